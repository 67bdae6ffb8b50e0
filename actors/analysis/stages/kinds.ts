// The kinds of work there are, in the order in which they are told; a stage comes after those it needs. Everything that
// speaks of kinds of work is read off this list.
import { pictureKind } from './picture/kind.ts';
import { speechKind } from './speech/kind.ts';

export const stageKinds = [pictureKind, speechKind] as const;
