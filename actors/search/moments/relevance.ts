// How much each second of one film has of a query, from the vectors that are loaded: nothing is decoded but
// the picture of the query, if that is a file.

import { searchErrors } from '../contract.ts';
import { now } from '../loaded-data.ts';
import { notesAnswer } from '../notes/contract.ts';
import { warning } from '../notes/warnings.ts';
import { knownMedia } from '../scenes/scenes.ts';
import { withExclusions } from '../scope/contract.ts';
import { visualWarnings } from '../visual/visual-notes.ts';
import { askVisual } from '../visual/visual-search.ts';
import { momentErrors, noScale, type RelevanceAnswer, type RelevanceRequest } from './contract.ts';
import type { MomentParts } from './lists.ts';
import { peopleInQuery } from './names.ts';
import { checkPicture, pictureOf, readPictureSource } from './picture.ts';

export async function relevance(
  parts: MomentParts,
  input: RelevanceRequest,
  signal: AbortSignal | undefined,
): Promise<RelevanceAnswer> {
  const request = withExclusions(input);
  const { cache_dir, exclude, text_weight } = request;
  const picture = pictureOf(request);
  const query = request.query?.trim() ?? '';
  if (query === '' && exclude.length > 0)
    throw searchErrors.EXCLUDE_WITHOUT_QUERY('exclude needs a query', { field: 'exclude' });
  if (query === '' && picture === null)
    throw momentErrors.NOTHING_ASKED('query: give a query or a picture', { field: 'query' });
  checkPicture(picture);
  const { record, media_path } = await knownMedia(parts, request, now(signal));
  const { hash_str } = record.identity;
  const { grid_frames } = record.probe;
  const answer = { hash_str, media_path };
  const plainQuery = await withoutNames(parts, cache_dir, query, signal);
  const zeros = () => Array.from({ length: grid_frames }, () => 0);
  if (plainQuery === '' && picture === null) return { ...answer, values: zeros(), scale: noScale };
  const parameters = {
    ...{ cache_dir, media_paths: [], search_all: true, max_results: 1, segments_to_frame_indices: {} },
    ...{ metadata_filter_request: null, people_filter: [], people_filter_mode: 'and' as const },
    ...{ query: plainQuery, text_weight, explain: false },
    exclude: plainQuery === '' ? [] : exclude,
  };
  const readings = (model: Parameters<typeof readPictureSource>[1]) =>
    readPictureSource(parts, model, cache_dir, picture, signal);
  const visual = await askVisual(parts, parameters, readings, signal);
  const { model_key, vectors } = visual;
  const options = { cache_dir, model_key, hash_str, ...vectors, text_weight };
  const ask = () => parts.index.ask('relevance', options, now(signal));
  const outcome =
    vectors.text || vectors.picture
      ? await parts.visual.within({ cache_dir, model_key }, ask, signal)
      : { values: null, ...noScale };
  const { values, ...scale } = outcome;
  const isUnloaded =
    values === null && record.probe.kind !== 'audio' && Boolean(vectors.text || vectors.picture);
  const result = { twice: [], missing: [], unloaded: isUnloaded ? [media_path] : [] };
  const warnings = await visualWarnings(parts, cache_dir, visual, result, signal);
  const gone = visual.gone === undefined ? [] : [visual.gone];
  const { notes } = warning({ ...warnings, gone, changed: [], noPreview: 0 });
  return {
    ...answer,
    values: values === null ? zeros() : whole(values, grid_frames),
    scale,
    ...notesAnswer(notes),
  };
}

/** One a second of the film: its last seconds may not have been decoded. */
function whole(values: Float32Array, seconds: number): number[] {
  return Array.from({ length: Math.max(seconds, values.length) }, (_, i) => round(values[i] ?? 0));
}

/** A bar of some pixels needs no more, and a film of ten hours is 200 kB. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** The same words as /search/moments looks for in pictures: names of people are taken out. */
async function withoutNames(
  parts: MomentParts,
  cache_dir: string,
  query: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  await parts.people.settled({ cache_dir }, signal);
  if (query === '' || !parts.people.isLoaded({ cache_dir })) return query;
  return (await peopleInQuery(parts, cache_dir, query, signal)).remainder;
}
