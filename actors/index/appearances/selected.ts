// What filters, people and ranges select where nothing is searched for: whole media or parts of them, those
// that were recorded last first. Everything is answered from the table of facets and from what is loaded; no
// vector is looked at.
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import { joinRanges } from '../../../runtime/ranges.ts';
import { checkSearchFilters, type FilterParts } from '../facets/scope.ts';
import type { FacetTable } from '../facets/table.ts';
import type { FrameRanges } from '../people/moments.ts';
import type { PeopleIndex } from '../people/people-index.ts';
import { readable } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { TranscriptIndex } from '../transcripts/transcript-index.ts';
import { scenesOf } from '../visual/scene-lists.ts';
import type { VisualIndex } from '../visual/visual-index.ts';
import type { appearanceMessages } from './contract.ts';
import { appearancesInScenes, common } from './scenes.ts';

export interface SelectedParts extends FilterParts {
  readonly people: Pick<PeopleIndex, 'seen'>;
  readonly visual: VisualIndex;
  readonly transcripts: TranscriptIndex;
}

type Messages = Contract<typeof appearanceMessages>;
type Selecting = Omit<Request<Messages, 'selected'>, 'cache_dir'>;
type Selected = Reply<Messages, 'selected'>;
type Match = Selected['matches'][number];

/** `pause` may throw to stop. Errors: NOT_LOADED, those of filters and people. */
export function selected(
  parts: SelectedParts,
  store: Store,
  request: Selecting,
  pause: () => void,
): Selected {
  const { scope, people } = request;
  const filters = checkSearchFilters(scope.filters, parts.tables.known(store, scope.filters));
  const seen = people === undefined ? null : parts.people.seen(store, people);
  const table = parts.tables.of(store, pause);
  const passes = table.passing(filters);
  const named = scope.hashes === null ? null : new Set(scope.hashes);
  const hashes = loadedHashes(parts, store, request).filter(
    (hash) => named?.has(hash) !== false && seen?.ranges.has(hash) !== false && passes(hash),
  );
  const each = people?.people.map((one) => parts.people.seen(store, { mode: 'or', people: [one] }).ranges);
  const matches: Match[] = [];
  // A media without a part in the ranges or with the people gives its place to the next.
  const isWhole = seen === null && Object.keys(scope.ranges).length === 0;
  const most = isWhole ? request.max_results : hashes.length;
  for (const { hash, path } of newest(table, hashes, most, pause)) {
    if (matches.length >= request.max_results) break;
    pause();
    matches.push(...partsOf(parts, store, { ...request, seen: seen?.ranges ?? null, each }, { hash, path }));
  }
  return { matches: matches.slice(0, request.max_results), people_twice: [...(seen?.twice ?? [])] };
}

function loadedHashes(
  { visual, transcripts }: SelectedParts,
  store: Store,
  { model_key, transcripts: hasTranscripts }: Selecting,
): readonly string[] {
  const pictures = model_key === null ? [] : visual.of(store, model_key).catalog.hashes();
  const speech = hasTranscripts ? transcripts.of(store).hashes() : [];
  return speech.length === 0 ? pictures : [...new Set([...pictures, ...speech])];
}

interface Placed {
  readonly hash: string;
  readonly path: string;
  /** The beginning of its date. */
  readonly recorded: number;
}

/** After everything that has a date. */
const undated = Number.MIN_SAFE_INTEGER;

/** By the clock of the camera: what was recorded on one day stays together, wherever that was. */
function newestFirst(a: Placed, b: Placed): number {
  return b.recorded - a.recorded || compare(a.path, b.path) || compare(a.hash, b.hash);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Media that are sorted together. */
const together = 8192;

/** The first `most`. Most of a large library is compared with the last of these alone. */
function newest(table: FacetTable, hashes: readonly string[], most: number, pause: () => void): Placed[] {
  const column = table.columns.find(({ facet }) => facet.id === 'time.creation_date');
  let best: Placed[] = [];
  let last: Placed | undefined;
  for (const hash of hashes) {
    const row = table.row(hash);
    if (row === undefined) continue;
    const recorded = column?.sizeAt(row) ?? undated;
    if (last !== undefined && recorded < last.recorded) continue;
    const placed = { hash, path: table.pathOf(row), recorded };
    if (last !== undefined && newestFirst(last, placed) < 0) continue;
    if (best.push(placed) < most + together) continue;
    pause();
    best = best.sort(newestFirst).slice(0, most);
    last = best.at(-1);
  }
  return best.sort(newestFirst).slice(0, most);
}

interface Where extends Selecting {
  /** Where the people are seen; null where nobody is asked for. */
  readonly seen: FrameRanges | null;
  /** The same of each of them. */
  readonly each: readonly FrameRanges[] | undefined;
}

function partsOf(
  { visual }: SelectedParts,
  store: Store,
  { scope, model_key, seen, each = [] }: Where,
  { hash, path }: Pick<Placed, 'hash' | 'path'>,
): Match[] {
  const seconds = readable(() => store.media.content(hash))?.probe.duration_seconds ?? 0;
  const all: [number, number] = [0, Math.max(1, Math.ceil(seconds))];
  const ranges = Object.hasOwn(scope.ranges, hash) ? joinRanges(scope.ranges[hash]!) : [all];
  const within = common(Uint32Array.from(ranges.flat()), Uint32Array.from(all));
  const match = { hash_str: hash, path };
  if (seen === null) {
    const pairs = Array.from({ length: within.length / 2 }, (_, i) => within.subarray(2 * i, 2 * i + 2));
    return pairs.map(([start, end]) => ({ ...match, frames: [start!, end!], scene: null, people: [] }));
  }
  const frames = new Map([[hash, common(seen.get(hash)!, within)]]);
  const [scenes] = scenesOf(store, visual, model_key, [hash], () => {}).found;
  return appearancesInScenes(frames, [hash], () => scenes?.scenes ?? null)
    .sort((a, b) => a.start - b.start)
    .map(({ start, end, scene }) => ({
      ...match,
      frames: [start, end],
      scene: scene && [...scene],
      people: each.flatMap((one, i) => (isIn(one.get(hash), start, end) ? [i] : [])),
    }));
}

function isIn(ranges: Uint32Array | undefined, start: number, end: number): boolean {
  return ranges !== undefined && common(ranges, Uint32Array.of(start, end)).length > 0;
}
