// Selection by filters, people and ranges, for a request with neither a query nor a picture: whole media or
// parts of them, the latest recording first, and no lists to fuse.
import { storeErrors } from '../../index/store/contract.ts';
import { type LoadedData, type LoadKey, now } from '../loaded-data.ts';
import { listNote } from '../notes/contract.ts';
import { frameField, peopleFilter } from '../scope/contract.ts';
import { entriesOf, findScope, isGlobal } from '../scope/scope.ts';
import type { MomentsRequest, Reason } from './contract.ts';
import { type FusedMoment, placeOf } from './fuse.ts';
import { depthOf, type KindFound, leastNamed, type MomentParts, placeIn } from './lists.ts';

/** True when there is nothing to search for, and something that says what is meant. */
export function isSelection(request: MomentsRequest): boolean {
  const { query = '', image_path, image_data, like, exclude } = request;
  const isAsked =
    query.trim() !== '' || exclude.length > 0 || (image_path ?? image_data ?? like) !== undefined;
  const {
    metadata_filter_request: metadataFilter,
    people_filter: people,
    segments_to_frame_indices: ranges,
  } = request;
  const filters = metadataFilter?.filters.length ?? 0;
  return !isAsked && filters + people.length + Object.keys(ranges).length > 0;
}

export interface Selection {
  readonly ranking: readonly FusedMoment<Reason>[];
  readonly result: KindFound;
}

/** Errors: NOT_LOADED, those of the scope and of people. */
export async function select(
  parts: MomentParts,
  request: MomentsRequest,
  signal: AbortSignal | undefined,
): Promise<Selection> {
  const { cache_dir } = request;
  const loaded = await loadedOf(parts, request, signal);
  const { model_key } = loaded;
  const { scope, ...scopeReport } = await scopeOf(parts, request, signal);
  const query = {
    ...{ cache_dir, scope, ...peopleFilter(request), ...loaded },
    max_results: depthOf(request, leastNamed),
  };
  const ask = () => parts.index.ask('selected', query, now(signal));
  // Data that the index has lost is reloaded.
  const within =
    <K extends LoadKey, R extends { readonly unreadable: readonly string[] }>(
      data: LoadedData<K, R>,
      key: K | null,
      work: typeof ask,
    ): typeof ask =>
    () =>
      key === null ? work() : data.within(key, work, signal);
  const byPictures = within(parts.visual, model_key === null ? null : { cache_dir, model_key }, ask);
  const bySpeech = within(parts.transcripts, loaded.transcripts ? { cache_dir } : null, byPictures);
  const byPeople = within(parts.people, query.people === undefined ? null : { cache_dir }, bySpeech);
  const { matches, people_twice } = await byPeople();
  const people = await peopleOf(parts, request, signal);
  const ranking = matches.map(
    ({ hash_str: hash, path, frames, seconds, people: personIndexes, ...around }, i) => {
      const { scene, shot } = placeIn(around.shot, around.scene);
      const [start, end] = placeOf({ scene, time: frames[0] }) ?? frames;
      const visible = { start_seconds: seconds[0], end_seconds: seconds[1] };
      const reasons = personIndexes.map(
        (at): Reason => ({ kind: 'person', rank: i + 1, ...people[at]!, ...visible }),
      );
      const kinds = new Set(reasons.map(({ kind }) => kind));
      return { hash, path, time: frames[0], start, end, ...(shot && { shot }), reasons, kinds };
    },
  );
  const notes = [listNote('SAME_PERSON_TWICE', people_twice)];
  return { ranking, result: { lists: [], notes, scope: scopeReport } };
}

/** Loaded data for the kind of media in the filters. NOT_LOADED if there is none. */
async function loadedOf(
  { visual, transcripts, models }: MomentParts,
  { cache_dir, metadata_filter_request: metadataFilter }: MomentsRequest,
  signal: AbortSignal | undefined,
) {
  const key = { cache_dir, model_key: models.state.model_key ?? '' };
  await Promise.all([visual.settled(key, signal), transcripts.settled({ cache_dir }, signal)]);
  const media = metadataFilter?.scope?.media_type ?? 'any';
  const model_key = media !== 'speech' && visual.isLoaded(key) ? key.model_key : null;
  const hasSpeech = media !== 'visual' && transcripts.isLoaded({ cache_dir });
  if (model_key !== null || hasSpeech) return { model_key, transcripts: hasSpeech };
  await (media === 'speech' ? transcripts.require({ cache_dir }, signal) : visual.require(key, signal));
  throw storeErrors.NOT_LOADED(`Nothing of ${cache_dir} is loaded; load it first (POST /analysis-data/load)`);
}

/** Media are looked up by name in the folder; which kinds of them there are is told by what is loaded. */
function scopeOf(parts: MomentParts, request: MomentsRequest, signal: AbortSignal | undefined) {
  const { segments_to_frame_indices: ranges, metadata_filter_request: metadataFilter } = request;
  const scope = metadataFilter?.scope;
  const isOfAll = !scope || isGlobal(scope, entriesOf(scope, 'metadata_filter_request.scope'));
  const metadata_filter_request =
    metadataFilter && (isOfAll ? { filters: metadataFilter.filters } : metadataFilter);
  const searched = { model_key: null, stored: true, field: frameField };
  return findScope(parts, { ...request, metadata_filter_request, ranges }, searched, signal);
}

/** The people of the filter, as reasons tell them. */
async function peopleOf(
  { index }: MomentParts,
  { cache_dir, people_filter: entries }: MomentsRequest,
  signal: AbortSignal | undefined,
) {
  return Promise.all(
    entries.map(async ({ person_name, cluster_id = '', cluster_job_name = '' }) => {
      if (!person_name) return { name: cluster_id, cluster_id, cluster_job_name };
      const { people } = await index.ask('people_named', { cache_dir, text: person_name }, now(signal));
      const [exactly] = people.filter(({ name }) => name === person_name);
      const clusters = (exactly ? [exactly] : people).flatMap((person) => person.clusters);
      const largest = clusters.find(
        (cluster) => !cluster_job_name || cluster.cluster_job_name === cluster_job_name,
      );
      return { name: person_name, ...(largest ?? { cluster_id, cluster_job_name }) };
    }),
  );
}
