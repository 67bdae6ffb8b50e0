// Handlers of the visual stage: written, loaded, searched, and read frame by frame.
import { type Handlers, Sent, type Turn } from '../../../runtime/actor.ts';
import type { Contract, Request } from '../../../runtime/contract.ts';
import { toFields } from '../../../runtime/errors.ts';
import { inScope, type ScopeParts } from '../facets/scope.ts';
import type { OpenStages } from '../numbered-work.ts';
import { storeErrors } from '../store/contract.ts';
import type { VectorStage } from '../store/stage.ts';
import type { Store } from '../store/store.ts';
import { backgroundOf, spreadOver } from './background.ts';
import type { visualMessages } from './contract.ts';
import { lowerBound } from './frames.ts';
import type { LoadedVectors } from './loaded.ts';
import type { Passes } from './passes.ts';
import { relevanceOf, type ScaleCache, scaleOf } from './scale-cache.ts';
import { scorerOf } from './scan.ts';
import { scenesOf } from './scene-lists.ts';
import {
  type Aspect,
  aspectsOf,
  bestOf,
  checkedQuery,
  checkedWords,
  eachOf,
  lowering,
  scoringOf,
  type VectorQuery,
} from './scoring.ts';
import type { SearchedVectors } from './search.ts';
import { compareFrom } from './takes/compare.ts';
import type { VisualIndex } from './visual-index.ts';

type VisualContract = Contract<typeof visualMessages>;

export interface VisualParts extends ScopeParts {
  readonly visual: VisualIndex;
  readonly stages: OpenStages<VectorStage>;
  readonly passes: Passes;
}

export function visualHandlers(parts: VisualParts): Handlers<VisualContract> {
  const { folders, visual } = parts;
  return {
    ...writingHandlers(parts),
    stored: ({ cache_dir, model_key, hashes }) =>
      folders.with(cache_dir, ({ visual }) => ({
        stored: visual.stored(model_key, hashes),
        from_previews: hashes.map((hash) => model_key !== null && visual.isFromPreviews(model_key, hash)),
      })),
    load: ({ cache_dir, model_key, hashes, load = null }, turn) =>
      folders.with(cache_dir, (store) =>
        visual.load(store, model_key, hashes, load, () => turn.throwIfCancelled()),
      ),
    outdated: ({ cache_dir, model_key, older, most }) =>
      folders.with(cache_dir, (store) => {
        const renewed = new Set(store.visual.hashes(model_key));
        const stored = new Set(older.flatMap((key) => store.visual.hashes(key)));
        const hashes = [...stored].filter((hash) => !renewed.has(hash)).toSorted();
        return { hashes: hashes.slice(0, most), count: hashes.length };
      }),
    drop: () => {
      visual.drop();
      return {};
    },
    relevance: (request, turn) => relevance(parts, request, () => turn.throwIfCancelled()),
    standing: (request, turn) => stand(parts, request, () => turn.throwIfCancelled()),
    takes: (request, turn) => takes(parts, request, () => turn.throwIfCancelled()),
    search: (request, turn) => ranked(parts, request, () => turn.throwIfCancelled()),
    scenes: ({ cache_dir, model_key, hashes }, turn) =>
      folders.with(cache_dir, (store) => {
        store.requireReadable();
        const answer = scenesOf(store, visual, model_key, hashes, () => turn.throwIfCancelled());
        const transfer = answer.lists.flatMap((list) => (list === null ? [] : [list.scenes.buffer]));
        return new Sent(answer, { transfer });
      }),
    vector: ({ cache_dir, model_key, hash_str, frame_index }) =>
      folders.with(cache_dir, (store) => ({ vector: store.visual.vector(model_key, hash_str, frame_index) })),
    previews: (request, turn) => previews(parts, request, turn),
  };
}

type Writing = 'begin' | 'append' | 'commit' | 'commit_all' | 'set_edges' | 'abort';

function writingHandlers({ folders, stages }: VisualParts): Pick<Handlers<VisualContract>, Writing> {
  return {
    begin: ({ cache_dir, hash_str, model_key, dimensions, span }) =>
      folders.with(cache_dir, (store) => {
        const stage = store.begin(hash_str, model_key, dimensions, span);
        const { frames, changed, next } = stage.storedFrames;
        const answer = {
          stage: stages.add(store, stage),
          stored_frames: frames.length,
          next_frame: next,
          frames,
          changed,
        };
        return new Sent(answer, { transfer: [frames.buffer, changed.buffer] });
      }),
    append: ({ stage: number, keep, ...added }) => {
      const { store, stage } = stages.get(number);
      store.append(stage, added, keep);
      return {};
    },
    commit: (request) => {
      const [result] = committed(stages, [request]);
      if (typeof result !== 'number') throw result;
      return { vectors: result };
    },
    commit_all: ({ all }) => ({
      stored: committed(stages, all).map((result) =>
        typeof result === 'number'
          ? { vectors: result, error: null }
          : { vectors: 0, error: toFields(result) },
      ),
    }),
    set_edges: ({ cache_dir, hash_str, edges }) =>
      folders.with(cache_dir, (store) => ({ vectors: store.setEdges(hash_str, edges) })),
    abort: ({ stage: number }) => {
      const open = stages.remove(number);
      open?.store.abort(open.stage);
      return {};
    },
  };
}

/** Whatever becomes of a commit, the store has no stage afterwards. */
function committed(
  stages: OpenStages<VectorStage>,
  all: Request<VisualContract, 'commit_all'>['all'],
): (number | Error)[] {
  const results = new Map<unknown, number | Error>();
  const open = all.flatMap((request) => {
    const openStage = stages.remove(request.stage);
    if (openStage === undefined) results.set(request, stages.lost(request.stage));
    return openStage === undefined ? [] : [{ ...openStage, ...request, stage: openStage.stage, request }];
  });
  for (const [store, group] of Map.groupBy(open, (opened) => opened.store)) {
    for (const [i, result] of store.commitAll(group).entries()) results.set(group[i]!.request, result);
  }
  return all.map((request) => results.get(request)!);
}

async function ranked(parts: VisualParts, request: Request<VisualContract, 'search'>, pause: () => void) {
  const { cache_dir, max_results: matches, max_per_media: perVideo = matches } = request;
  const open = (store: Store) => parts.visual.of(store, request.model_key);
  const hashesOf = ({ catalog }: LoadedVectors) => catalog.hashes();
  const { data: loaded, hashes, sightings } = await inScope(parts, request, open, hashesOf, pause);
  const peopleTwice =
    sightings === null || sightings.twice.length === 0 ? {} : { people_twice: [...sightings.twice] };
  if (loaded.catalog.vectors === 0) return { matches: [], searched: 0, ...peopleTwice };
  const query = checkedQuery(request, loaded.dimensions);
  const scope = { hashes, ranges: request.scope.ranges, only: sightings?.ranges ?? null };
  const search = { query, scope, matches, perVideo, pause };
  return { ...(await parts.passes.join({ loaded, cache_dir, search })), ...peopleTwice };
}

function relevance(
  { folders, visual }: VisualParts,
  request: Request<VisualContract, 'relevance'>,
  pause: () => void,
) {
  return folders.with(request.cache_dir, (store) => {
    const loaded = visual.of(store, request.model_key);
    const query = checkedQuery(request, loaded.dimensions);
    const media = loaded.catalog.get(request.hash_str);
    if (media === undefined) return { values: null, background: 0, best: 0, frames: loaded.catalog.vectors };
    const at = loaded.searched(store, pause);
    const rows = () => loaded.cache.rows(at.catalog);
    const { text, picture, exclude, text_weight } = request;
    const scoring = scoringOf(query, spreadOver(at.bank, rows));
    const scaleKey = [text_weight, text, picture, exclude];
    const scale = loaded.cache.scales.of(scaleKey, () => scaleOf(at, scoring, rows()));
    const runs = at.catalog.runsOf(media.hash);
    const values = relevanceOf(at, scoring, { media, runs }, scale);
    return new Sent({ values, ...scale }, { transfer: [values.buffer] });
  });
}

function takes(
  { folders, visual }: VisualParts,
  { cache_dir, model_key, place, blank, ...request }: Request<VisualContract, 'takes'>,
  pause: () => void,
) {
  return folders.with(cache_dir, (store) => {
    const loaded = visual.of(store, model_key);
    const how = { ...request, blank: blanksOf(blank, loaded) };
    const at = loaded.searched(store, pause);
    return compareFrom(at, how, place, loaded.cache.rows(at.catalog));
  });
}

/** d each. */
function blanksOf(blank: Float32Array, { dimensions }: LoadedVectors): Float32Array[] {
  return blank.length === 0 ? [] : checkedWords(blank, dimensions);
}

function stand(
  { folders, visual }: VisualParts,
  request: Request<VisualContract, 'standing'>,
  pause: () => void,
) {
  return folders.with(request.cache_dir, (store) => {
    const loaded = visual.of(store, request.model_key);
    const words = checkedWords(request.words, loaded.dimensions);
    const query = { ...checkedQuery(request, loaded.dimensions), words };
    return standing(loaded.searched(store, pause), loaded.cache, query, request.moments);
  });
}

function previews({ folders }: VisualParts, request: Request<VisualContract, 'previews'>, turn: Turn) {
  return folders.with(request.cache_dir, (store) => {
    store.requireReadable();
    const previews = request.frames.map((): Uint8Array<ArrayBuffer> | null => null);
    const unreadable: string[] = [];
    for (const [hash, entries] of Map.groupBy(request.frames.entries(), ([, frame]) => frame.hash_str)) {
      const frames = entries.map(([, frame]) => frame.frame_index);
      try {
        const jpegs = store.previews(hash, frames);
        for (const [i, [at]] of entries.entries()) previews[at] = jpegs[i] ?? null;
      } catch (error) {
        if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
        turn.log.warn('Previews cannot be read', { hash, reason: error.message });
        unreadable.push(hash);
      }
    }
    const transfer = previews.flatMap((preview) => (preview === null ? [] : [preview.buffer]));
    return new Sent({ previews, unreadable }, { transfer });
  });
}

// How far matches stand out from everything that is loaded, whatever part of it was searched: the scores of
// text, picture and each part of the words alone, the background of each, and what the excluded things take.
//
// Backgrounds are those of what is asked for, without what is excluded: to exclude something lowers matches
// and raises none.

interface Moment {
  readonly hash_str: string;
  readonly frame_index: number;
}

/** `words`: the parts of the text. Sets the queries of the bank. */
export function standing(
  at: SearchedVectors,
  cache: ScaleCache,
  query: VectorQuery & { readonly words: readonly Float32Array[] },
  moments: readonly Moment[],
) {
  const rows = () => cache.rows(at.catalog);
  const scoring = scoringOf(query, spreadOver(at.bank, rows));
  const aspects = aspectsOf(query);
  const background = (bases: Aspect) =>
    cache.backgrounds.of(bases, () => backgroundOf(rows(), scorerOf(at.bank, { bases, exclude: [] })));
  return {
    frames: at.catalog.vectors,
    background: eachOf(aspects, background),
    scores: moments.map((moment) => {
      at.pause();
      const vector = vectorOf(at, moment);
      if (vector === null) return null;
      const lost = lowering(scoring, vector);
      const scores = eachOf(aspects, (bases) => bestOf(bases, vector));
      const all = lost.reduce((sum, loss) => sum + loss, 0);
      return { ...scores, lost: all, lowered: lost.map((loss) => loss > 0) };
    }),
  };
}

/** Null where it is not loaded any more, or cannot be read. */
function vectorOf(
  { catalog, fine }: SearchedVectors,
  { hash_str, frame_index }: Moment,
): Float32Array | null {
  const media = catalog.get(hash_str);
  if (media === undefined) return null;
  const position = lowerBound(media.frames, frame_index);
  if (media.frames[position] !== frame_index) return null;
  const { run, row } = catalog.rowOf(media, position);
  return fine(run, row, 1)[0]!;
}
