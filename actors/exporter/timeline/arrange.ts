// Places the items of a request on a timeline. Here, and nowhere else, times become frames: both ends of an
// item are rounded to the frames of the sequence, so items that meet in seconds meet in frames, at every
// rate.
import type { Rational } from '../../decoder/contract.ts';
import { oneLine } from '../rows.ts';
import type { Chapter } from '../summary/contract.ts';
import {
  mostTracks,
  stillSeconds,
  type TimelineBody,
  type TimelineItem,
  timelineErrors,
} from './contract.ts';
import {
  type Clip,
  countingRate,
  frameAt,
  frameFrom,
  framesIn,
  framesPerSecond,
  isSameRate,
  isSameTime,
  type Marker,
  nanoseconds,
  type SoundTrack,
  secondsOf,
  type Timeline,
  type TimelineSource,
  wholeFrames,
} from './model.ts';
import { type SourceFacts, sequenceOf } from './sequence.ts';

export interface Arranged {
  readonly timeline: Timeline;
  /** Conformed rates and sizes, in words. */
  readonly warnings: readonly string[];
}

type Kind = 'video' | 'audio';

interface Placed {
  readonly item: number;
  readonly clip: Clip;
  /** Where it ends in its source, in nanoseconds. */
  readonly last: number;
}

/**
 * `facts`: of the paths of the items; without them an item is left out. `chapters`: of paths that have some.
 * Throws ITEM_INVALID and SEQUENCE_INVALID naming the field.
 */
export function arrange(
  request: TimelineBody,
  facts: ReadonlyMap<string, SourceFacts>,
  chapters: ReadonlyMap<string, readonly Chapter[]> = new Map(),
): Arranged {
  const { items } = request;
  const pictures = items.flatMap(({ track, media_path }) =>
    facts.has(media_path) && tracksOf(track, facts.get(media_path)!).includes('video')
      ? [facts.get(media_path)!]
      : [],
  );
  const sequence = sequenceOf(request, pictures);
  const sources = new Sources(facts, sequence.rate);
  const marks = new ChapterMarks(chapters);
  const placed: Record<Kind, Placed[]> = { video: [], audio: [] };
  for (const [i, item] of items.entries()) {
    const source = facts.get(item.media_path);
    if (!source) continue;
    const tracks = tracksOf(item.track, source);
    const follows = item.track === 'both' ? (['video', 'audio'] as const) : tracks;
    const [before] = follows.map((track) => placed[track].at(-1)).sort(byEnd);
    const placement = { item: i, ...place(item, `items[${i}]`, { sources, marks }, before) };
    for (const track of tracks) placed[track].push(placement);
  }
  const all = [...placed.video, ...placed.audio].map(({ clip }) => clip);
  const timeline = {
    ...sequence,
    duration: all.reduce((latest, { end }) => Math.max(latest, end), 0),
    sources: sources.listed(all),
    video: layered(placed.video).map((clips) => ({ clips })),
    audio: soundTracks(placed.audio, sources),
  };
  return { timeline, warnings: sources.warnings };
}

/** Picture, sound, or whichever of them the file has. */
function tracksOf(track: TimelineItem['track'], { kind, sound }: SourceFacts): Kind[] {
  if (track !== 'both') return [track];
  return [...(kind === 'audio' ? [] : (['video'] as const)), ...(sound ? (['audio'] as const) : [])];
}

/** Orders by end, latest first; picture and sound of an item begin together. */
function byEnd(a: Placed | undefined, b: Placed | undefined): number {
  return (b?.clip.end ?? -1) - (a?.clip.end ?? -1);
}

/** `before`: of its kind. */
function place(item: TimelineItem, at: string, { sources, marks }: Placing, before: Placed | undefined) {
  const source = sources.numberOf(item, at);
  const { facts, rate, frames, isEven } = sources.at(source);
  const { first, last } = range(item, at, facts);
  const earlier = before?.clip.end ?? 0;
  const toFrame = isEven ? frameAt : frameFrom;
  const span = { first, last, after: earlier, rate: sources.sequenceRate, toFrame };
  const { start, end: nearest, frameOf } = placeOf(item, at, span);
  if (nearest <= start) {
    throw refused(at, 'source_end_seconds', 'is shorter than a frame of the sequence');
  }
  const isSame = isSameRate(rate, sources.sequenceRate);
  // The first frame of such a source may begin later than the range, but none may show what lies behind it.
  const late = isEven || isSame ? 0 : nanoseconds(secondsOf(toFrame(first, rate), rate)) - first;
  const after = late > 0 ? start + Math.max(1, toFrame(last - first - late, sources.sequenceRate)) : nearest;
  const goesOn =
    before?.clip.source === source && before.clip.end === start && isSameTime(before.last, first);
  // A continued source leaves out and repeats no picture at the cut.
  const from = goesOn && isSame ? before.clip.out : toFrame(first, rate);
  const name = item.name === undefined ? facts.name : oneLine(item.name);
  if (name === '') throw refused(at, 'name', 'has no printable characters');
  const lengthTo = (end: number) => {
    const requestedFrames = Math.max(1, framesIn(end - start, sources.sequenceRate, rate));
    return frames === null ? requestedFrames : Math.min(requestedFrames, frames);
  };
  // The last frame of a file may be rounded past its end: then the whole range moves by that frame.
  const within = frames === null ? from : Math.min(from, frames - lengthTo(after));
  // A frame of the sequence may reach past the end of a file of another rate: then it is left out.
  const most =
    frames === null || isSame ? after : start + wholeFrames(frames - within, rate, sources.sequenceRate);
  const end = Math.max(start + 1, Math.min(after, most));
  const length = lengthTo(end);
  const markers = marks.within(item.media_path, { first, last, start, end }, frameOf);
  return { clip: { name, source, start, end, in: within, out: within + length, markers }, last };
}

interface Placing {
  readonly sources: Sources;
  readonly marks: ChapterMarks;
}

interface Range {
  /** In nanoseconds of the source. */
  readonly first: number;
  readonly last: number;
  /** Where the item before it ends. */
  readonly after: number;
  readonly rate: Rational;
  readonly toFrame: typeof frameAt;
}

/** `frameOf`: the frame of the sequence for a time of the source, rounded as the ends are. */
function placeOf(
  { timeline_start_seconds: startSeconds }: TimelineItem,
  at: string,
  { first, last, after, rate, toFrame }: Range,
): { readonly start: number; readonly end: number; readonly frameOf: (nanos: number) => number } {
  if (startSeconds === undefined) {
    // The clip has as many frames as its source there, so a continued source continues here as well.
    const frameOf = (nanos: number) => after + toFrame(nanos, rate) - toFrame(first, rate);
    const end = frameOf(last);
    // Shorter than a frame, and within one.
    return { start: after, end: end > after ? end : after + frameAt(last - first, rate), frameOf };
  }
  if (!(startSeconds >= 0)) throw refused(at, 'timeline_start_seconds', 'must be a number of seconds');
  const begin = nanoseconds(startSeconds);
  const frameOf = (nanos: number) => toFrame(begin + nanos - first, rate);
  return { start: toFrame(begin, rate), end: frameOf(last), frameOf };
}

/**
 * In nanoseconds. The analysis counts whole seconds, and the last one of a file is rarely whole: an end in
 * that second is the end of the file.
 */
function range(item: TimelineItem, at: string, { kind, seconds, path }: SourceFacts) {
  const { source_start_seconds: start } = item;
  if (!(start >= 0)) throw refused(at, 'source_start_seconds', 'must be a number of seconds');
  const isWhole = item.source_end_seconds === undefined;
  if (isWhole && kind !== 'image' && seconds === 0)
    throw refused(at, 'source_end_seconds', `is needed, because ${path} does not say how long it lasts`);
  // A start that is past the end of the file is refused below, by its own name.
  const fileEnd = kind === 'image' ? start + stillSeconds : Math.max(seconds, start + GRACE);
  const end = item.source_end_seconds ?? fileEnd;
  if (!(end > start)) throw refused(at, 'source_end_seconds', `must be after the start, ${start}`);
  const [first, last] = [nanoseconds(start), nanoseconds(end)];
  if (kind === 'image' || seconds === 0) return { first, last };
  const length = nanoseconds(seconds);
  if (first >= length) {
    throw refused(at, 'source_start_seconds', `is past the end of ${path}, which lasts ${seconds} s`);
  }
  if (end > Math.ceil(seconds) + GRACE) {
    throw refused(at, 'source_end_seconds', `is past the end of ${path}, which lasts ${seconds} s`);
  }
  return { first, last: Math.min(last, length) };
}

/** Seconds; a client that counts frames may come out this much late. */
const GRACE = 0.05;

function layered(placed: readonly Placed[]): Clip[][] {
  return stacked(
    placed.map(({ clip }) => clip),
    (i) => refused(`items[${placed[i]!.item}]`, 'timeline_start_seconds', 'overlaps too many items'),
  );
}

/** Clips with another number of channels lie on tracks of their own, as editing programs want it. */
function soundTracks(placed: readonly Placed[], sources: Sources): SoundTrack[] {
  const soundOf = ({ clip }: Placed) => sources.at(clip.source).facts.sound!;
  const kinds = Map.groupBy(
    placed,
    (placement) => `${soundOf(placement).channels} ${soundOf(placement).isStereo}`,
  );
  return [...kinds.values()].flatMap((some) => {
    const { channels, isStereo } = soundOf(some[0]!);
    return layered(some).map((clips) => ({ clips, channels, isStereo }));
  });
}

interface Counted {
  readonly facts: SourceFacts;
  readonly rate: Rational;
  /** Null when it has no end: stills, and sound that does not say its length. */
  readonly frames: number | null;
  /** Its pictures begin at frames of this rate. */
  readonly isEven: boolean;
}

/** The files of the items, each once. */
class Sources {
  readonly sequenceRate: Rational;
  readonly warnings: string[] = [];
  readonly #facts: ReadonlyMap<string, SourceFacts>;
  readonly #numbers = new Map<string, number>();
  readonly #list: Counted[] = [];

  constructor(facts: ReadonlyMap<string, SourceFacts>, sequenceRate: Rational) {
    this.#facts = facts;
    this.sequenceRate = sequenceRate;
  }

  at(source: number): Counted {
    return this.#list[source]!;
  }

  numberOf({ media_path, track }: TimelineItem, at: string): number {
    const facts = this.#facts.get(media_path)!;
    if (track === 'video' && facts.kind === 'audio')
      throw refused(at, 'track', 'is video, but the file has no pictures');
    if (track === 'audio' && facts.sound === null)
      throw refused(at, 'track', 'is audio, but the file has no sound');
    const number = this.#numbers.get(media_path);
    if (number !== undefined) return number;
    this.#numbers.set(media_path, this.#list.length);
    this.#list.push(this.#counted(facts));
    return this.#list.length - 1;
  }

  listed(clips: readonly Clip[]): TimelineSource[] {
    const longest = this.#list.map(() => 0);
    for (const { source, out } of clips) longest[source] = Math.max(longest[source]!, out);
    return this.#list.map(({ facts, rate, frames }, i) => {
      const { path, name, kind, width, height, sound } = facts;
      const timecode = facts.timecode ?? { frame: 0, rate, dropFrame: false };
      return { path, name, kind, width, height, sound, rate, timecode, frames: frames ?? longest[i]! };
    });
  }

  #counted(facts: SourceFacts): Counted {
    const { kind, seconds, varies } = facts;
    const isFilm = kind === 'video';
    const rate = isFilm ? this.#rateOf(facts) : this.sequenceRate;
    const frames = seconds === 0 ? null : Math.max(1, frameAt(nanoseconds(seconds), rate));
    const isEven = !isFilm || (!varies && facts.rate !== null && (countingRate(facts.rate)?.isOwn ?? false));
    return { facts, rate, frames, isEven };
  }

  #rateOf({ rate: sourceRate, varies, path }: SourceFacts): Rational {
    const supportedRate = sourceRate && countingRate(sourceRate);
    const rate = supportedRate?.rate ?? this.sequenceRate;
    const counted = framesPerSecond(rate);
    const shown = framesPerSecond(this.sequenceRate);
    const tell = (what: string) => this.warnings.push(`${path}: ${what}`);
    if (!supportedRate) tell(`its frame rate is unknown; frames are counted at ${counted} per second`);
    else if (!supportedRate.isOwn) {
      const about = `editing programs do not support its ${framesPerSecond(sourceRate)} frames per second`;
      tell(
        `${about}, and the rate ${varies ? 'varies' : 'may vary'}; frames are counted at ${counted} per second`,
      );
    } else if (varies) {
      tell(`its frame rate varies; frames are counted at ${counted} per second`);
    }
    if (supportedRate?.isOwn && !isSameRate(rate, this.sequenceRate))
      tell(`has ${counted} frames per second, but the sequence has ${shown}`);
    return rate;
  }
}

function refused(at: string, name: string, what: string) {
  const field = `${at}.${name}`;
  return timelineErrors.ITEM_INVALID(`${field} ${what}`, { field });
}

// Puts clips that overlap on tracks one above the other.

/**
 * Each clip on the lowest track above all earlier clips that it overlaps: what comes later covers what came
 * before. The tracks have their clips in order of time. `refuse`: makes the error for the clip that would
 * need one track too many.
 */
function stacked(clips: readonly Clip[], refuse: (clip: number) => Error): Clip[][] {
  const tracks: Clip[][] = [];
  for (const [i, clip] of clips.entries()) {
    const above = 1 + tracks.findLastIndex((track) => overlaps(track, clip));
    if (above === mostTracks) throw refuse(i);
    const track = tracks[above];
    if (track) track.splice(firstFrom(track, clip.start), 0, clip);
    else tracks.push([clip]);
  }
  return tracks;
}

function overlaps(track: readonly Clip[], { start, end }: Clip): boolean {
  const next = firstFrom(track, start);
  return (track[next - 1]?.end ?? 0) > start || (track[next]?.start ?? end) < end;
}

/** Place of the first clip that starts at `frame` or later. */
function firstFrom(track: readonly Clip[], frame: number): number {
  let [low, high] = [0, track.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track[middle]!.start < frame) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The chapters of the files of a timeline as marks on it, each clipped to what is shown of it.

/** `first`, `last`: what is shown of a source, half-open, in nanoseconds. */
type Shown = Pick<Clip, 'start' | 'end'> & { readonly first: number; readonly last: number };

interface Timed {
  readonly name: string;
  /** Half-open, in nanoseconds of the source. */
  readonly begins: number;
  readonly ends: number;
}

class ChapterMarks {
  readonly #chapters: ReadonlyMap<string, readonly Timed[]>;
  /** Moments with a marker: picture and sound of one moment share it. */
  readonly #marked = new Set<string>();

  /** `chapters`: by path, each in order of time. */
  constructor(chapters: ReadonlyMap<string, readonly Chapter[]>) {
    this.#chapters = new Map([...chapters].map(([path, some]) => [path, some.map(timed)]));
  }

  /** `frameOf`: the frame of the sequence at a time of the source; it rounded the ends of the clip, too. */
  within(path: string, { first, last, start, end }: Shown, frameOf: (nanos: number) => number): Marker[] {
    const chapters = this.#chapters.get(path) ?? [];
    const markers: Marker[] = [];
    for (let i = firstAfter(chapters, first); i < chapters.length && chapters[i]!.begins < last; i++) {
      const { name, begins, ends } = chapters[i]!;
      const from = begins <= first ? start : frameOf(begins);
      // Less than half a frame of it is shown.
      if (from >= end) continue;
      const to = ends >= last ? end : Math.min(end, Math.max(from + 1, frameOf(ends)));
      const key = `${from} ${to} ${name}`;
      if (!this.#marked.has(key)) markers.push({ name, start: from, end: to });
      this.#marked.add(key);
    }
    return markers;
  }
}

function timed({ title, start_seconds, end_seconds }: Chapter): Timed {
  return { name: title, begins: nanoseconds(start_seconds), ends: nanoseconds(end_seconds) };
}

/** The place of the first chapter that ends after `nanos`. */
function firstAfter(chapters: readonly Timed[], nanos: number): number {
  let [low, high] = [0, chapters.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (chapters[middle]!.ends <= nanos) low = middle + 1;
    else high = middle;
  }
  return low;
}
