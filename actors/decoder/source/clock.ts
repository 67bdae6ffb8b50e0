// The clock of a transport or program stream. It restarts where two recordings were joined, and jumps
// where the recorder changed its mind; a film that is read by such times would lose one of its parts, or last
// for hours. Here the times of each part are moved so that the picture goes on.
import { Packet, type Stream, ticks } from '../ffmpeg.ts';
import type { TimeBase } from '../grid.ts';
import { type PacketTurn, packetCheckpoint } from './packet-checkpoint.ts';

/** Containers whose packets carry a clock, and that have no index which says when it restarts. */
export const hasClock = (container: string) => container === 'mpegts' || container === 'mpeg';

/** Steps of the clock, in seconds: back by more is a restart, ahead by more a jump. */
const limits = { back: 1, ahead: 60 };
/** Pictures that come later than this, and than so many usual ones, leave a gap in the film. */
const gap = { seconds: 2, pictures: 4 };
/** Packets of a part that are looked at for its earliest picture: some are stored before it. */
const mostReordered = 64;
/** Bytes read, at most; what follows counts as the last part. */
const mostBytes = 64 * 1024 ** 3;
/** Random access points that are kept, at most, and seconds between two of them at least. */
const entries = { most: 100_000, apart: 0.4 };

/** Part of a file with one run of the clock. Seconds of the guiding stream, as in the file. */
interface Part {
  /** Bytes from the start of the file to its first packet, and to the last one of the part before. */
  readonly position: number;
  readonly before: number;
  readonly first: number;
  last: number;
  /** When the earliest picture begins and the latest ends. */
  begin: number;
  end: number;
  packets: number;
  /** Added to the times of the file. */
  shift: number;
}

/** A stretch of a film without pictures, in seconds. */
export interface Gap {
  readonly at: number;
  readonly seconds: number;
}

/** Times on the clock that goes on are seconds, and those of the first part are as in the file. */
export class SourceClock {
  readonly #parts: readonly Part[];
  /** Random access points: their times, ascending, and their places in the file. */
  readonly #times: readonly number[];
  readonly #positions: readonly number[];
  readonly gaps: readonly Gap[];

  constructor(parts: readonly Part[], points: readonly Point[], gaps: readonly (Gap & { part: Part })[]) {
    this.#parts = parts;
    const moved = points.map(({ part, seconds, position }) => ({ seconds: seconds + part.shift, position }));
    const ascending = moved.filter(({ seconds }, i) => i === 0 || seconds > moved[i - 1]!.seconds);
    this.#times = ascending.map(({ seconds }) => seconds);
    this.#positions = ascending.map(({ position }) => position);
    const { begin } = parts[0]!;
    this.gaps = gaps.map(({ at, seconds, part }) => ({
      at: rounded(at + part.shift - begin),
      seconds: rounded(seconds),
    }));
  }

  /** Seconds from the first picture at which the clock restarts or jumps. */
  get restarts(): readonly number[] {
    const { begin } = this.#parts[0]!;
    return this.#parts.slice(1).map((part) => rounded(part.begin + part.shift - begin));
  }

  /** Seconds from the first picture to the end of the last one. */
  get seconds(): number {
    return rounded(this.end - this.#parts[0]!.begin);
  }

  get end(): number {
    return Math.max(...this.#parts.map(({ end, shift }) => end + shift));
  }

  /** Seconds to add to the times of a packet. `position`: its place; `seconds`: its time in the file. */
  shiftAt(position: number, seconds: number | null): number {
    const parts = this.#parts;
    const next = parts.findIndex((part, i) => i > 0 && part.position > position);
    const index = (next < 0 ? parts.length : next) - 1;
    const part = parts[index]!;
    const later = parts[index + 1];
    // Between two packets of the guiding stream, those of other streams may belong to either part.
    const isBetween = later !== undefined && position > later.before && seconds !== null;
    const isNext = isBetween && Math.abs(seconds - later.first) < Math.abs(seconds - part.last);
    return (isNext ? later : part).shift;
  }

  /** Place of the last random access point not after a time; the start of the file where there is none. */
  positionBefore(seconds: number): number {
    let [from, to] = [0, this.#times.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#times[middle]! <= seconds) from = middle + 1;
      else to = middle;
    }
    return this.#positions[from - 1] ?? 0;
  }
}

/** To the microsecond. */
const rounded = (seconds: number) => Math.round(seconds * 1e6) / 1e6;

interface Point {
  readonly part: Part;
  readonly seconds: number;
  readonly position: number;
}

/** A packet on the clock of the file. */
interface Read {
  readonly position: number;
  /** Seconds: when it is decoded, shown, and no longer shown. */
  readonly at: number;
  readonly shown: number;
  readonly until: number;
  readonly isEntry: boolean;
}

/**
 * Finds the parts of a film from the packets of one stream, in the order of the file. Null where the clock
 * runs through without a gap.
 */
export class ClockReader {
  readonly #parts: Part[] = [];
  readonly #points: Point[] = [];
  readonly #gaps: (Gap & { part: Part })[] = [];
  readonly #usual: number;
  #last = 0;

  /** `usual`: seconds from one picture to the next. */
  constructor(usual: number) {
    this.#usual = usual;
  }

  add(read: Read): void {
    const part = this.#partOf(read);
    if (part.packets++ < mostReordered) part.begin = Math.min(part.begin, read.shown);
    part.end = Math.max(part.end, read.until);
    part.last = read.at;
    this.#last = read.position;
    if (read.isEntry) this.#remember({ part, seconds: read.shown, position: read.position });
  }

  finish(): SourceClock | null {
    for (const [i, part] of this.#parts.entries()) {
      const before = this.#parts[i - 1];
      if (before) part.shift = rounded(before.end + before.shift - part.begin);
    }
    if (this.#parts.length < 2 && this.#gaps.length === 0) return null;
    return new SourceClock(this.#parts, this.#points, this.#gaps);
  }

  #partOf({ position, at, shown, until }: Read): Part {
    const part = this.#parts.at(-1);
    const step = part ? at - part.last : 0;
    if (part && step >= -limits.back && step <= limits.ahead) {
      if (step > Math.max(gap.seconds, gap.pictures * this.#usual))
        this.#gaps.push({ part, at: part.last + this.#usual, seconds: step - this.#usual });
      return part;
    }
    const next = { position, before: this.#last, first: at, last: at, begin: shown, end: until };
    this.#parts.push({ ...next, packets: 0, shift: 0 });
    return this.#parts.at(-1)!;
  }

  #remember(point: Point): void {
    const last = this.#points.at(-1);
    if (last?.part === point.part && point.seconds - last.seconds < entries.apart) return;
    if (this.#points.length < entries.most) this.#points.push(point);
  }
}

interface Packets {
  readonly bytes: number;
  /** The stream whose clock counts. */
  readonly guide: Stream | null;
  only(indexes: readonly number[]): void;
  read(packet: Packet): boolean;
  seekToByte(position: number): boolean;
}

function emptyPacket(): Packet {
  const packet = new Packet();
  packet.alloc();
  return packet;
}

/** Files below this size are read whole, larger ones at some places first. */
const wholeBytes = 16 * 1024 * 1024;
/** Places in equal distances, the first of those that double theirs, and those before the end, in bytes. */
const places = { even: 12, first: 512 * 1024, last: [512 * 1024, 2 * 1024 * 1024] };
/** Packets and bytes read at a place, at most, to find one of the guiding stream. */
const atPlace = { packets: 2000, bytes: 8 * 1024 * 1024 };
/** An interval may be this many times as long as its bytes let expect. */
const mostUneven = 4;

/** Reads the next packet of any stream; false at the end, and once looking at places has taken too long. */
type Look = (packet: Packet) => Promise<boolean>;

/**
 * Reads `source`, which is of no use afterwards. Null where the clock runs through. Throws CANCELLED.
 */
export async function readClock(source: Packets, turn: PacketTurn, look: Look): Promise<SourceClock | null> {
  const { guide } = source;
  if (!guide) return null;
  if (source.bytes > wholeBytes && (await runsEvenly(source, look))) return null;
  source.seekToByte(0);
  source.only([guide.index]);
  const { num, den } = guide.avgFrameRate;
  const reader = new ClockReader(num > 0 ? den / num : 0);
  const checkpoint = packetCheckpoint(turn);
  const packet = emptyPacket();
  try {
    let [bytes, before] = [0, 0];
    while (bytes < mostBytes && source.read(packet)) {
      bytes += packet.size;
      const read = readOf(packet, guide.timeBase, before);
      before = read?.position ?? before;
      if (read) reader.add(read);
      packet.unref();
      await checkpoint();
    }
  } finally {
    packet.free();
  }
  return reader.finish();
}

/** Null for a packet without a time. `before`: place of the one before, which a parser may have split. */
function readOf(packet: Packet, { num, den }: TimeBase, before: number): Read | null {
  const [pts, dts] = [ticks(packet.pts), ticks(packet.dts)];
  const at = dts ?? pts;
  if (at === null) return null;
  const seconds = (value: number) => (value * num) / den;
  const shown = seconds(pts ?? at);
  const position = packet.pos >= 0n ? Number(packet.pos) : before;
  const isEntry = packet.isKeyframe && packet.pos >= 0n && pts !== null;
  return { position, at: seconds(at), shown, until: shown + seconds(Number(packet.duration)), isEntry };
}

interface Sample {
  readonly position: number;
  readonly seconds: number;
}

/** True if the clock runs evenly with the bytes at sample places of the file. */
async function runsEvenly(source: Packets, look: Look): Promise<boolean> {
  const samples: Sample[] = [];
  let next = 0;
  for (const position of placesIn(source.bytes)) {
    // Where a place was reached by reading on from the one before, nothing lies between.
    if (position < next) continue;
    const sample = await sampleAt(source, position, look);
    if (!sample) continue;
    samples.push({ position, seconds: sample.seconds });
    next = sample.position;
  }
  return isEven(samples);
}

/**
 * Places in the file. Those at doubling distances find a first part however short it is: the clock is lower
 * at one of them than at the one before.
 */
function placesIn(bytes: number): number[] {
  const positions = Array.from({ length: places.even }, (_, i) => Math.floor((i * bytes) / places.even));
  for (let at = places.first; at < bytes; at *= 2) positions.push(at);
  positions.push(...places.last.map((before) => bytes - before));
  return positions.sort((a, b) => a - b);
}

/** The first packet of the guiding stream from a place on. */
async function sampleAt(source: Packets, position: number, look: Look): Promise<Sample | null> {
  const { guide } = source;
  if (!guide || !source.seekToByte(position)) return null;
  const packet = emptyPacket();
  try {
    for (let [count, bytes] = [0, 0]; count < atPlace.packets && bytes < atPlace.bytes; count++) {
      if (!(await look(packet))) return null;
      const at = packet.streamIndex === guide.index ? ticks(packet.dts) : null;
      const packetPosition = packet.pos >= 0n ? Number(packet.pos) : position;
      bytes += packet.size;
      packet.unref();
      const { num, den } = guide.timeBase;
      if (at !== null) return { position: packetPosition, seconds: (at * num) / den };
    }
    return null;
  } finally {
    packet.free();
  }
}

/** `samples`: by their place in the file. */
export function isEven(samples: readonly Sample[]): boolean {
  const steps = samples.slice(1).map(({ position, seconds }, i) => ({
    bytes: position - samples[i]!.position,
    seconds: seconds - samples[i]!.seconds,
  }));
  const rates = steps.filter(({ bytes }) => bytes > 0).map(({ bytes, seconds }) => seconds / bytes);
  const usual = rates.sort((a, b) => a - b)[rates.length >> 1] ?? 0;
  return steps.every(
    ({ bytes, seconds }) =>
      seconds >= -limits.back && seconds <= mostUneven * Math.max(0, usual) * bytes + limits.ahead,
  );
}
