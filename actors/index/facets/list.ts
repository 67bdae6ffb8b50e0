// The facets there are. Left out on purpose: exact seconds, exact numbers of frames, levels of codecs,
// timecodes.
import type { Facet } from './facet.ts';
import { originFacets } from './origin.ts';
import { pictureFacets } from './picture.ts';
import { soundFacets } from './sound.ts';

export const facets: readonly Facet[] = [...pictureFacets, ...soundFacets, ...originFacets];
