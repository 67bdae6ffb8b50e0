// Handlers about people named in a question, and about all named people.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract, Reply, Request } from '../../../runtime/contract.ts';
import { joinRanges } from '../../../runtime/ranges.ts';
import { compareText } from '../../../runtime/text.ts';
import { checkSearchFilters, inScope, type ScopeParts } from '../facets/scope.ts';
import type { FacetTable } from '../facets/table.ts';
import type { StoredClusters } from '../people/cluster-columns.ts';
import { idText } from '../people/entry-id.ts';
import type { FrameRanges } from '../people/moments.ts';
import type { PeopleIndex } from '../people/people-index.ts';
import { readable } from '../store/faults.ts';
import { pathFinder } from '../store/media.ts';
import type { Store } from '../store/store.ts';
import { storedFaces } from '../things/stored-shots.ts';
import type { TranscriptIndex } from '../transcripts/transcript-index.ts';
import { scenesOf } from '../visual/scene-lists.ts';
import { exactTimes, type Shots, shotAt } from '../visual/shots.ts';
import type { VisualIndex } from '../visual/visual-index.ts';
import type { sightingMessages } from './contract.ts';

export interface SightingParts extends SelectedParts {
  readonly people: PeopleIndex;
}

type SightingContract = Contract<typeof sightingMessages>;
type SeenRequest = Request<SightingContract, 'seen_in_scenes'>;

export function sightingHandlers(parts: SightingParts): Handlers<SightingContract> {
  const { folders, people } = parts;
  return {
    named_faces: ({ cache_dir, hashes }, turn) =>
      folders.with(cache_dir, (store) => namedFaces(store, hashes, () => turn.throwIfCancelled())),
    people_named: ({ cache_dir, text, whole_only }) =>
      folders.with(cache_dir, (store) => people.namedIn(store, text, whole_only)),
    seen_in_scenes: (request, turn) => seenInScenes(parts, request, () => turn.throwIfCancelled()),
    selected: ({ cache_dir, ...request }, turn) =>
      folders.with(cache_dir, (store) => selected(parts, store, request, () => turn.throwIfCancelled())),
  };
}

function namedFaces(
  store: Store,
  hashes: readonly string[],
  pause: () => void,
): Reply<SightingContract, 'named_faces'> {
  const unreadable: string[] = [];
  // Names of each face by its id, for each content.
  const names = hashes.map(() => new Map<string, Set<string>>());
  for (const clustering of store.people.clusterings()) {
    pause();
    const stored = readable(
      () => store.people.readClusters(clustering),
      () => unreadable.push(clustering),
    );
    if (stored) addNames(names, stored, hashes);
  }
  return { people: hashes.map((hash, at) => peopleOf(storedFaces(store, hash), names[at]!)), unreadable };
}

function addNames(
  names: readonly Map<string, Set<string>>[],
  { hashes: all, names: ofClusters, ids, media, clusters }: StoredClusters,
  hashes: readonly string[],
): void {
  const places = new Map(hashes.map((hash, at) => [hash, at]));
  const placeOfMedia = Int32Array.from(all, (hash) => places.get(hash) ?? -1);
  for (let at = 0; at < media.length; at++) {
    const place = placeOfMedia[media[at]!]!;
    const name = place < 0 ? '' : (ofClusters[clusters[at]!] ?? '');
    if (name === '') continue;
    const id = idText(ids, at);
    const namesOfFace = names[place]!.get(id);
    if (namesOfFace) namesOfFace.add(name);
    else names[place]!.set(id, new Set([name]));
  }
}

type NamedFaces = Reply<SightingContract, 'named_faces'>['people'][number];

/** Detections of one face by two models count once. */
function peopleOf(
  faces: ReturnType<typeof storedFaces>,
  names: ReadonlyMap<string, Set<string>>,
): NamedFaces {
  const facesByName = new Map<string, NamedFaces[number]['faces']>();
  const seenIds = new Set<string>();
  for (const { id, frame, box } of faces) {
    if (seenIds.has(id)) continue;
    seenIds.add(id);
    for (const name of names.get(id) ?? []) {
      const facesOfName = facesByName.get(name);
      if (facesOfName) facesOfName.push({ frame, box });
      else facesByName.set(name, [{ frame, box }]);
    }
  }
  return [...facesByName]
    .map(([name, facesOfName]) => ({ name, faces: facesOfName.toSorted((a, b) => a.frame - b.frame) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function seenInScenes(
  parts: SightingParts,
  request: SeenRequest,
  pause: () => void,
): Promise<Reply<SightingContract, 'seen_in_scenes'>> {
  const { cache_dir, person, scope } = request;
  const open = (store: Store) => parts.people.seen(store, person).ranges;
  const hashesOf = (shown: FrameRanges) => [...shown.keys()];
  const { data: shown, hashes, sightings } = await inScope(parts, request, open, hashesOf, pause);
  const frames = framesInBoth(shown, sightings?.ranges ?? null);
  const within = framesInBoth(frames, rangesOf(frames, hashes && new Set(hashes), scope.ranges));
  return parts.folders.with(cache_dir, (store) => best(parts, store, request, within, pause));
}

/** Ranges of these contents within the scope. */
function rangesOf(
  frames: FrameRanges,
  hashes: ReadonlySet<string> | null,
  ranges: SeenRequest['scope']['ranges'],
): FrameRanges {
  const rangesByHash = new Map<string, Uint32Array>();
  for (const hash of frames.keys()) {
    if (hashes?.has(hash) === false) continue;
    const frameRanges = Object.hasOwn(ranges, hash) ? joinRanges(ranges[hash]!).flat() : [0, 2 ** 32 - 1];
    rangesByHash.set(hash, Uint32Array.from(frameRanges));
  }
  return rangesByHash;
}

function best(
  { visual }: SightingParts,
  store: Store,
  { model_key, max_results }: SeenRequest,
  frames: FrameRanges,
  pause: () => void,
): Reply<SightingContract, 'seen_in_scenes'> {
  const hashes = [...frames.keys()].sort();
  const { lists: sceneLists } = scenesOf(store, visual, model_key, hashes, pause);
  const lists = new Map(hashes.map((hash, i) => [hash, sceneLists[i] ?? null]));
  const appearances = appearancesInScenes(frames, hashes, (hash) => lists.get(hash)?.scenes ?? null);
  const pathOf = pathFinder(store.media);
  const matches = appearances.slice(0, max_results).map(({ hash, start, end, scene }) => ({
    hash_str: hash,
    path: pathOf(hash) ?? '',
    frames: [start, end] as [number, number],
    scene: scene && ([...scene] as [number, number]),
    ...exactly(lists.get(hash)?.shots ?? null, start, end),
  }));
  // A folder that was emptied since they were clustered knows no path.
  return { matches: matches.filter(({ path }) => path !== '') };
}

function exactly(shots: Shots | null, start: number, end: number): Pick<Match, 'seconds' | 'shot'> {
  return { seconds: exactTimes(shots, start, end), ...(shots && { shot: shotAt(shots, start) }) };
}

/** The frames in both; `only` null: all of `ranges`. */
function framesInBoth(ranges: FrameRanges, only: FrameRanges | null): FrameRanges {
  if (only === null) return ranges;
  const both = new Map<string, Uint32Array>();
  for (const [hash, frames] of ranges) {
    const otherFrames = only.get(hash);
    if (otherFrames !== undefined) both.set(hash, common(frames, otherFrames));
  }
  return both;
}

// Selection by filters, people and ranges without a search: whole media or parts of them, the latest
// recording first. It needs the table of facets and the loaded state, and reads no vector.

interface SelectedParts extends ScopeParts {
  readonly visual: VisualIndex;
  readonly transcripts: TranscriptIndex;
}

type Selecting = Omit<Request<SightingContract, 'selected'>, 'cache_dir'>;
type Selected = Reply<SightingContract, 'selected'>;
type Match = Selected['matches'][number];

/** `pause` may throw to stop. Errors: NOT_LOADED, those of filters and people. */
function selected(parts: SelectedParts, store: Store, request: Selecting, pause: () => void): Selected {
  const { scope, people } = request;
  const filters = checkSearchFilters(scope.filters, parts.tables.known(store, scope.filters));
  const sightings = people === undefined ? null : parts.people.seen(store, people);
  const table = parts.tables.of(store, pause);
  const passes = table.passing(filters);
  const named = scope.hashes === null ? null : new Set(scope.hashes);
  const hashes = loadedHashes(parts, store, request).filter(
    (hash) => named?.has(hash) !== false && sightings?.ranges.has(hash) !== false && passes(hash),
  );
  const each = people?.people.map(
    (person) => parts.people.seen(store, { mode: 'or', people: [person] }).ranges,
  );
  const matches: Match[] = [];
  // A media without a part in the ranges or with the people gives its place to the next.
  const isWhole = sightings === null && Object.keys(scope.ranges).length === 0;
  const most = isWhole ? request.max_results : hashes.length;
  for (const { hash, path } of newest(table, hashes, most, pause)) {
    if (matches.length >= request.max_results) break;
    pause();
    matches.push(
      ...partsOf(parts, store, { ...request, peopleRanges: sightings?.ranges ?? null, each }, { hash, path }),
    );
  }
  return { matches: matches.slice(0, request.max_results), people_twice: [...(sightings?.twice ?? [])] };
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

/** Orders by the camera's clock, so that recordings of one day stay together in any time zone. */
function newestFirst(a: Placed, b: Placed): number {
  return b.recorded - a.recorded || compareText(a.path, b.path) || compareText(a.hash, b.hash);
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
  readonly peopleRanges: FrameRanges | null;
  /** The same of each of them. */
  readonly each: readonly FrameRanges[] | undefined;
}

function partsOf(
  { visual }: SelectedParts,
  store: Store,
  { scope, model_key, peopleRanges, each = [] }: Where,
  { hash, path }: Pick<Placed, 'hash' | 'path'>,
): Match[] {
  const seconds = readable(() => store.media.content(hash))?.probe.duration_seconds ?? 0;
  const all: [number, number] = [0, Math.max(1, Math.ceil(seconds))];
  const ranges = Object.hasOwn(scope.ranges, hash) ? joinRanges(scope.ranges[hash]!) : [all];
  const within = common(Uint32Array.from(ranges.flat()), Uint32Array.from(all));
  const match = { hash_str: hash, path };
  if (peopleRanges === null) {
    const pairs = Array.from({ length: within.length / 2 }, (_, i) => within.subarray(2 * i, 2 * i + 2));
    return pairs.map(([start, end]) => ({
      ...match,
      ...{ frames: [start!, end!], seconds: [start!, end!], scene: null, people: [] },
    }));
  }
  const frames = new Map([[hash, common(peopleRanges.get(hash)!, within)]]);
  const [scenes] = scenesOf(store, visual, model_key, [hash], () => {}).lists;
  return appearancesInScenes(frames, [hash], () => scenes?.scenes ?? null)
    .sort((a, b) => a.start - b.start)
    .map(({ start, end, scene }) => ({
      ...match,
      frames: [start, end],
      scene: scene && [...scene],
      ...exactly(scenes?.shots ?? null, start, end),
      people: each.flatMap((rangesOfPerson, i) => (isIn(rangesOfPerson.get(hash), start, end) ? [i] : [])),
    }));
}

function isIn(ranges: Uint32Array | undefined, start: number, end: number): boolean {
  return ranges !== undefined && common(ranges, Uint32Array.of(start, end)).length > 0;
}

// Where somebody is seen, scene by scene: those that show them longest first.

/** Half-open ranges of grid frames. */
interface SceneAppearance {
  readonly hash: string;
  /** From the first to the last second in which they are seen. */
  readonly start: number;
  readonly end: number;
  /** Around them; null where nobody knows of scenes. */
  readonly scene: readonly [number, number] | null;
  /** In which they are seen. */
  readonly seconds: number;
}

/** Seconds without them that end an appearance where no scenes are known. */
const mostBetween = 2;

/**
 * `scenes`: of one content, start, end, start, end...; null where there are none. Of the same length the
 * order is that of `hashes`, then of time.
 */
export function appearancesInScenes(
  peopleRanges: FrameRanges,
  hashes: readonly string[],
  scenes: (hash: string) => Int32Array | null,
): SceneAppearance[] {
  const appearances = hashes.flatMap((hash) => {
    const ranges = peopleRanges.get(hash);
    return ranges === undefined ? [] : ofContent(hash, ranges, scenes(hash));
  });
  // Stable: what is equally long stays in order.
  return appearances.sort((a, b) => b.seconds - a.seconds);
}

function ofContent(hash: string, ranges: Uint32Array, scenes: Int32Array | null): SceneAppearance[] {
  const appearances: SceneAppearance[] = [];
  let last: { start: number; end: number; seconds: number; scene: readonly [number, number] | null } | null =
    null;
  const close = () => {
    if (last !== null) appearances.push({ hash, ...last });
    last = null;
  };
  const take = (start: number, end: number, scene: readonly [number, number] | null) => {
    const before = last;
    const goesOn =
      before !== null &&
      (scene === null
        ? before.scene === null && start - before.end <= mostBetween
        : before.scene?.[0] === scene[0]);
    if (goesOn) last = { ...before!, end, seconds: before!.seconds + end - start };
    else {
      close();
      last = { start, end, seconds: end - start, scene };
    }
  };
  let at = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    const end = ranges[i + 1]!;
    for (let start = ranges[i]!; start < end; ) {
      while (scenes !== null && at < scenes.length && scenes[at + 1]! <= start) at += 2;
      const within = scenes !== null && at < scenes.length && scenes[at]! <= start;
      const next = scenes === null || at >= scenes.length ? end : within ? scenes[at + 1]! : scenes[at]!;
      const until = Math.min(end, next);
      take(start, until, within ? [scenes[at]!, scenes[at + 1]!] : null);
      start = until;
    }
  }
  close();
  return appearances;
}

/** Both: start, end, start, end..., ascending and apart. */
export function common(a: Uint32Array, b: Uint32Array): Uint32Array {
  const ranges: number[] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    const [start, end] = [Math.max(a[i]!, b[j]!), Math.min(a[i + 1]!, b[j + 1]!)];
    if (start < end) ranges.push(start, end);
    if (a[i + 1]! < b[j + 1]!) i += 2;
    else j += 2;
  }
  return Uint32Array.from(ranges);
}
