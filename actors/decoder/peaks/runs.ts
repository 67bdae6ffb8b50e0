// The runs of a decoder that go on, by the names their callers gave them.
import type { Turn } from '../../../runtime/actor.ts';
import type { Reply, Request } from '../../../runtime/contract.ts';
import { type decoderContract, mediaErrors } from '../contract.ts';
import { type Frame, Packet, type Stream, ticks } from '../ffmpeg.ts';
import { timelineStart } from '../packets/head.ts';
import { loudestIn, SoundDecoder } from '../sound/decoder.ts';
import { chosenTracks } from '../sound/sound.ts';
import { expectUnchanged, type FileStamp, readFileStamp } from '../source/file.ts';
import { packetCheckpoint } from '../source/packet-checkpoint.ts';
import { openSource, type Source } from '../source/source.ts';
import { isStill } from '../source/still.ts';
import { peakErrors, peaksPerSecond } from './contract.ts';

// One run over the sound of a file: the source stays open from one part to the next.

/** Limits of one part, some tens of milliseconds of work. */
const mostPackets = 256;
const mostSamples = 8_000_000;

interface PeakTrack {
  readonly stream: Stream;
  readonly decoder: SoundDecoder;
  /** Where the sound goes on that has no time of its own, in seconds. */
  next: number;
}

/** The turn that a source currently works for. */
class CurrentTurn {
  now: Turn;

  constructor(turn: Turn) {
    this.now = turn;
  }

  throwIfCancelled(): void {
    this.now.throwIfCancelled();
  }

  alive(): void {
    this.now.alive();
  }

  reserve(bytes: number): Promise<() => void> {
    return this.now.reserve(bytes);
  }
}

export class PeakRun {
  readonly grid = new PeakGrid();
  readonly #path: string;
  readonly #stamp: FileStamp;
  readonly #source: Source;
  readonly #turn: CurrentTurn;
  /** Tracks by the index of their stream. */
  readonly #tracks: ReadonlyMap<number, PeakTrack>;
  readonly #zero: number;
  /** Seconds up to which sound counts: a damaged file may say anything. */
  readonly #end: number;
  readonly #packet = new Packet();
  #packets = 0;
  #frames = 0;
  /** Samples of all channels in this part. */
  #samples = 0;
  #closed = false;

  private constructor(source: Source, stamp: FileStamp, turn: CurrentTurn, zero: number) {
    const { path } = source;
    this.#path = path;
    this.#source = source;
    this.#stamp = stamp;
    this.#turn = turn;
    this.#zero = zero;
    const indexes = chosenTracks(source, null).map(({ stream }) => stream);
    this.#end = source.endSeconds - zero + 1;
    this.#tracks = openTracks(source, indexes);
    this.#packet.alloc();
    source.only(indexes);
  }

  static async open(path: string, turn: Turn): Promise<PeakRun> {
    const stamp = await readFileStamp(path);
    if (await isStill(path)) throw mediaErrors.NO_SOUND(`${path}: is a picture without sound`, { path });
    const current = new CurrentTurn(turn);
    const source = await openSource(path, { turn: current });
    try {
      // Before anything is decoded: a film without sound has no use for it.
      chosenTracks(source, null);
      return new PeakRun(source, stamp, current, await timelineStart(source, current));
    } catch (error) {
      source.close();
      throw error;
    }
  }

  /** One part; true when there is nothing left. */
  async step(turn: Turn): Promise<boolean> {
    this.#turn.now = turn;
    this.#samples = 0;
    const checkpoint = packetCheckpoint(turn);
    const last = this.#packets + mostPackets;
    while (this.#packets < last && this.#samples < mostSamples) {
      if (!this.#source.read(this.#packet)) return this.#finish();
      await checkpoint();
      this.#packets++;
      this.#send(this.#tracks.get(this.#packet.streamIndex)!, this.#packet);
      this.#packet.unref();
    }
    return false;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#packet.free();
    for (const { decoder } of this.#tracks.values()) decoder.close();
    this.#source.close();
  }

  async #finish(): Promise<true> {
    for (const track of this.#tracks.values()) this.#send(track, null);
    await expectUnchanged(this.#path, this.#stamp);
    const path = this.#path;
    if (this.#packets > 0 && this.#frames === 0)
      throw mediaErrors.DECODE_FAILED(`${path}: none of its sound can be decoded`, { path });
    return true;
  }

  #send(track: PeakTrack, packet: Packet | null): void {
    const { decoder } = track;
    // A packet that cannot be decoded leaves a gap.
    decoder.send(packet);
    for (let frame = decoder.receive(); frame; frame = decoder.receive())
      if (frame !== 'broken' && frame.nbSamples > 0 && frame.sampleRate > 0) this.#hear(track, frame);
  }

  #hear(track: PeakTrack, frame: Frame): void {
    const { nbSamples: count, sampleRate: rate } = frame;
    const seconds = this.#secondsOf(track, frame) ?? track.next;
    this.#frames++;
    this.#samples += count * frame.channels;
    track.next = seconds + count / rate;
    if (seconds < this.#end) this.grid.add(seconds, count, rate, loudestIn(frame));
  }

  #secondsOf({ stream }: PeakTrack, frame: Frame): number | null {
    const at = ticks(frame.pts) ?? ticks(frame.bestEffortTimestamp);
    if (at === null) return null;
    const { num, den } = stream.timeBase;
    return (at * num) / den - this.#zero;
  }
}

/** The caller closes the decoders. Throws UNSUPPORTED_CODEC. */
function openTracks({ format, path }: Source, indexes: readonly number[]): Map<number, PeakTrack> {
  const tracks = new Map<number, PeakTrack>();
  try {
    for (const index of indexes) {
      const stream = format.streams[index]!;
      tracks.set(index, { stream, decoder: SoundDecoder.open(stream, path), next: 0 });
    }
    return tracks;
  } catch (error) {
    for (const { decoder } of tracks.values()) decoder.close();
    throw error;
  }
}

// Peaks on an even grid of time. Its length is bounded: a grid that is full becomes coarser.

/** Most values, those of a day. */
const mostValues = 24 * 3600 * peaksPerSecond;

export class PeakGrid {
  #values = new Uint8Array(4096);
  #length = 0;
  #perSecond = peaksPerSecond;

  get perSecond(): number {
    return this.#perSecond;
  }

  /** Copied. */
  get values(): Uint8Array<ArrayBuffer> {
    return this.#values.slice(0, this.#length);
  }

  /**
   * `count` samples from `seconds` on; `loudest` answers the loudest of those in [from, to), 0 to 1. What
   * lies before 0 is left out.
   */
  add(seconds: number, count: number, rate: number, loudest: (from: number, to: number) => number): void {
    this.#coarsenUntil(seconds + count / rate);
    const perSecond = this.#perSecond;
    let from = Math.max(0, Math.ceil(-seconds * rate));
    while (from < count) {
      // A sample on a border belongs to what follows it, however it was rounded.
      const index = Math.floor((seconds + from / rate) * perSecond + 1e-6);
      const next = Math.ceil(((index + 1) / perSecond - seconds) * rate - 1e-3);
      const to = Math.min(count, Math.max(from + 1, next));
      this.#set(index, loudest(from, to));
      from = to;
    }
  }

  #set(index: number, loudest: number): void {
    if (index >= this.#values.length) {
      const grown = new Uint8Array(Math.max(index + 1, this.#values.length * 2));
      grown.set(this.#values);
      this.#values = grown;
    }
    // Only silence is 0.
    const value = Math.ceil(Math.min(1, loudest) * 255 - 1e-6);
    if (value > this.#values[index]!) this.#values[index] = value;
    if (index >= this.#length) this.#length = index + 1;
  }

  #coarsenUntil(seconds: number): void {
    while (seconds * this.#perSecond > mostValues) {
      const values = this.#values;
      const length = Math.ceil(this.#length / 2);
      for (let i = 0; i < length; i++) values[i] = Math.max(values[2 * i]!, values[2 * i + 1] ?? 0);
      values.fill(0, length);
      this.#length = length;
      this.#perSecond /= 2;
    }
  }
}

type C = typeof decoderContract;

/**
 * Files that are open at the same time: what goes beyond ends the one that was not gone on with for longest.
 */
const mostRuns = 4;

export class PeakRuns {
  readonly #runs = new Map<string, PeakRun>();

  async step({ path, run: name, begins }: Request<C, 'peaks'>, turn: Turn): Promise<Reply<C, 'peaks'>> {
    const run = begins ? await PeakRun.open(path, turn) : this.#runs.get(name);
    if (!run) throw peakErrors.PEAKS_LOST(`${path}: ${peakErrors.PEAKS_LOST.meaning}`, { path });
    this.end(begins ? name : '');
    this.#runs.delete(name);
    this.#runs.set(name, run);
    this.#endOldest();
    try {
      if (!(await run.step(turn))) return { peaks: null };
    } catch (error) {
      this.end(name);
      throw error;
    }
    const { perSecond: per_second, values } = run.grid;
    this.end(name);
    return { peaks: { per_second, values } };
  }

  end(name: string): void {
    this.#runs.get(name)?.close();
    this.#runs.delete(name);
  }

  close(): void {
    for (const name of [...this.#runs.keys()]) this.end(name);
  }

  #endOldest(): void {
    for (const name of this.#runs.keys()) {
      if (this.#runs.size <= mostRuns) return;
      this.end(name);
    }
  }
}
