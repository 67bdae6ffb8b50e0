// Finds other takes and copies of a shot: asks the index for sequences step by step, and tells where their
// media lie now. Files of the same content are copies without any comparison.
import type { Clock } from '../../../runtime/clock.ts';
import { rangeFault } from '../../../runtime/ranges.ts';
import type { VisualModel } from '../../embedder/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import type { FramePlace, RankedTake } from '../../index/visual/contract.ts';
import { exactTimes, type Shots, secondsWithin } from '../../index/visual/shots.ts';
import { searchErrors } from '../contract.ts';
import { now } from '../loaded-data.ts';
import { copiesIn, locateMatches } from '../media/match-locations.ts';
import { knownMedia, shotsOf } from '../scenes/scenes.ts';
import { alike } from '../visual/bands.ts';
import type { VisualSearchParts } from '../visual/visual-search.ts';
import { type Take, type TakePart, type TakesAnswer, type TakesRequest, takesErrors } from './contract.ts';

export interface TakesParts extends VisualSearchParts {
  readonly clock: Clock;
}

/** Bars of strong pictures: a cosine, and its distance above the background. */
const bars = { least: alike.strong, above: alike.above };
/** A page ends after so long. */
const pageMs = 5000;
/** Seconds up to which each second of a part is looked for; of a longer one, one in four. */
const shortPart = 60;
/** Mean weight of a second from which on sequences are copies: chosen on recorded films. */
const strongEvidence = 0.6;

/** A sequence, or a file of the same content. */
interface FoundPair {
  readonly source_hash: string;
  readonly take: RankedTake | null;
}

/** Errors: BAD_TIME, BAD_CURSOR, WHICH_MEDIA, MEDIA_UNKNOWN, NOT_LOADED, SUMMARY_RUNNING. */
export async function findTakes(
  parts: TakesParts,
  request: TakesRequest,
  signal: AbortSignal | undefined,
): Promise<TakesAnswer> {
  const { cache_dir, start_seconds: start, end_seconds: end = Number.MAX_SAFE_INTEGER } = request;
  if (parts.summarizing?.())
    throw searchErrors.SUMMARY_RUNNING('Search again when the summaries are finished');
  if (end <= start) throw badTime('end_seconds', rangeFault(start, end));
  const isNamed = request.media_path !== undefined || request.hash_str !== undefined;
  if (!isNamed && (start > 0 || request.end_seconds !== undefined))
    throw badTime('start_seconds', 'a part needs media_path or hash_str');
  const named = isNamed ? await knownMedia(parts, request, now(signal)) : null;
  const within = { cache_dir, model_key: parts.models.active() };
  await parts.visual.settled(within, signal);
  await parts.visual.require(within, signal);
  const model = await parts.models.open('pictures', signal);
  const how = {
    ...{ cache_dir, model_key: model.model_key, only: named?.record.identity.hash_str ?? null },
    ...{ ...framesOf(start, end), step: end - start <= shortPart ? 1 : 4 },
    ...{ ...bars, mirror: model.mirror, blank: await blanks(parts, model, signal) },
  };
  const pairs: FoundPair[] = [];
  const until = parts.clock.now() + pageMs;
  let place = placeOf(request.cursor);
  let last: FramePlace | null = null;
  for (let count = 0, goesOn = true; goesOn; ) {
    const step = { ...how, place };
    const ask = () => parts.index.ask('takes', step, { lane: isNamed ? 'now' : 'later', signal });
    const { source_hash, takes, begun, next } = await parts.visual.within(within, ask, signal);
    pairs.push(...begun.map((hash) => ({ source_hash: hash, take: null })));
    if (source_hash !== null) pairs.push(...takes.map((take) => ({ source_hash, take })));
    count += takes.length;
    [place, last] = [next, next ?? last];
    goesOn = next !== null && count < request.limit && parts.clock.now() < until;
  }
  return answerOf(parts, request, { pairs, place, last, named }, signal);
}

/** The seconds within a part, or around one that has none. */
function framesOf(start: number, end: number): { from: number; end: number } {
  const [from, until] = secondsWithin(start, end);
  return until > from ? { from, end: until } : { from: Math.floor(start), end: Math.ceil(end) };
}

function badTime(field: string, what: string) {
  return searchErrors.BAD_TIME(`${field}: ${what}`, { field });
}

function placeOf(cursor: string | undefined): FramePlace | null {
  if (cursor === undefined) return null;
  const [, hash_str, frame] = /^([0-9a-f-]+)@(\d{1,9})$/.exec(cursor) ?? [];
  if (hash_str === undefined)
    throw takesErrors.BAD_CURSOR('cursor: is not a next_cursor', { field: 'cursor' });
  return { hash_str, frame_index: Number(frame) };
}

/** The vectors of pictures of a single colour, k×d: two films that fade to black show no shot in common. */
async function blanks(
  { pool, embedder }: TakesParts,
  { model_key }: VisualModel,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const holder = pool.holder();
  try {
    const slots = [];
    for (const level of [0, 255]) {
      const slot = await pool.acquire(holder, signal, 'now');
      pool.view(slot).fill(level);
      slots.push(slot);
    }
    const request = { model_key, pictures: slots, urgent: true };
    return (await embedder.ask('pictures', request, { ...now(signal), slots })).vectors;
  } finally {
    pool.releaseAll(holder);
  }
}

interface Found {
  readonly pairs: readonly FoundPair[];
  readonly place: FramePlace | null;
  readonly last: FramePlace | null;
  readonly named: { readonly record: MediaRecord; readonly media_path: string } | null;
}

async function answerOf(
  parts: TakesParts,
  request: TakesRequest,
  { pairs, place, last, named }: Found,
  signal: AbortSignal | undefined,
): Promise<TakesAnswer> {
  const hashes = pairs.flatMap(({ source_hash, take }) =>
    take === null ? [source_hash] : [source_hash, take.hash_str],
  );
  const files = await locate(parts, request.cache_dir, [...hashes, ...(last ? [last.hash_str] : [])], signal);
  const namedFile = named && files.get(named.record.identity.hash_str);
  if (namedFile)
    files.set(namedFile.record.identity.hash_str, { ...namedFile, ...atPath(namedFile, named.media_path) });
  const takes = pairs.filter(isBestPlace).flatMap(({ source_hash, take }): Take[] => {
    const file = files.get(source_hash);
    // A take without a file is left out: another content is at its path by now.
    if (file === undefined) return [];
    if (take === null) return copiesOf(file, request);
    const takeFile = files.get(take.hash_str);
    return takeFile === undefined ? [] : [takeOf(file, takeFile, take)];
  });
  const at = last && files.get(last.hash_str);
  return {
    takes,
    next_cursor: place && `${place.hash_str}@${place.frame_index}`,
    compared: at ? { media_path: at.path, time_seconds: last!.frame_index } : null,
  };
}

/** A still camera shows the same at any time: what is found better from elsewhere in a file is told once. */
function isBestPlace({ source_hash, take }: FoundPair, _: number, pairs: readonly FoundPair[]): boolean {
  if (take === null) return true;
  const foundFrom = ({ start, offset }: RankedTake) => start + offset;
  return !pairs.some(
    ({ source_hash: by, take: otherTake }) =>
      otherTake !== null &&
      otherTake.evidence > take.evidence &&
      by === source_hash &&
      otherTake.hash_str === take.hash_str &&
      foundFrom(take) < otherTake.end + otherTake.offset &&
      foundFrom(otherTake) < take.end + take.offset,
  );
}

interface File {
  readonly record: MediaRecord;
  /** Null where edges are on the grid. */
  readonly shots: Shots | null;
  readonly path: string;
  readonly others: readonly string[];
}

async function locate(
  parts: TakesParts,
  cache_dir: string,
  all: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Map<string, File>> {
  const hashes = [...new Set(all)];
  const { by_hash } = await parts.index.ask('find', { cache_dir, paths: [], hashes }, now(signal));
  const records = new Map(
    by_hash.flatMap((record) => (record === null ? [] : [[record.identity.hash_str, record]])),
  );
  const matches = [...records].map(([hash_str, { path }]) => ({ hash_str, path }));
  const { shown } = await locateMatches(parts, cache_dir, matches, () => [], now(signal));
  const shots = await shotsOf(parts, cache_dir, [...records.keys()], now(signal));
  return new Map(
    shown.map(({ match: { hash_str }, path, others }) => [
      hash_str,
      { record: records.get(hash_str)!, shots: shots.get(hash_str) ?? null, path, others },
    ]),
  );
}

/** The same with the path by which it was named. */
function atPath({ path, others }: File, named: string): Pick<File, 'path' | 'others'> {
  const all = [path, ...others].filter((candidate) => candidate !== named).sort();
  return { path: named, others: path === named ? others : all };
}

function partOf({ record, path, others }: File, start: number, end: number): TakePart {
  const { kind, duration_seconds } = record.probe;
  const last = kind === 'video' ? Math.min(end, duration_seconds) : end;
  return {
    ...{ hash_str: record.identity.hash_str, media_path: path, ...copiesIn({ others }) },
    ...{ start_seconds: start, end_seconds: Math.max(start, last) },
  };
}

function takeOf(source: File, match: File, take: RankedTake): Take {
  const { start, end, offset, mirrored, frames, evidence, equal } = take;
  const isStrong = evidence >= strongEvidence * (end - start);
  // Its first frame may agree with the one a second later.
  const first = Math.max(0, start + offset);
  return {
    asked: partOf(source, ...exactTimes(source.shots, start, end)),
    found: partOf(match, ...exactTimes(match.shots, first, end + offset)),
    ...{ offset_seconds: offset, mirrored, agreeing_frames: frames },
    certainty: equal ? 'exact' : isStrong ? 'strong' : 'likely',
  };
}

/** Files of the same content. */
function copiesOf(file: File, { start_seconds, end_seconds }: TakesRequest): Take[] {
  const { grid_frames } = file.record.probe;
  const requestedPart = partOf(file, start_seconds, Math.min(end_seconds ?? grid_frames, grid_frames));
  const { other_paths: _, ...part } = requestedPart;
  const agreeing_frames = Math.max(0, Math.ceil(requestedPart.end_seconds) - Math.floor(start_seconds));
  return file.others.map((media_path) => ({
    ...{ asked: part, found: { ...part, media_path }, offset_seconds: 0, mirrored: false },
    ...{ agreeing_frames, certainty: 'exact' },
  }));
}
