// The packets of all audio tracks of a file from shortly before a moment on.
import { mediaErrors } from '../contract.ts';
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AVMEDIA_TYPE_AUDIO,
  type Packet,
  type Stream,
  ticks,
} from '../ffmpeg.ts';
import { type OpenOptions, openSource, type Source } from '../source/source.ts';

/**
 * Seconds before the first wanted sample at which decoding starts: codecs need some packets to come to their
 * state.
 */
const preroll = 1;
/** Seconds before that at which a seek is tried, one after the other: tracks can lie far apart in a file. */
const margins = [0, 5, 30];
/** Packets read after a seek, at most, to see whether each track begins early enough. */
const mostLooked = 500;

export interface SoundPacket {
  /** *Moved* to whoever takes it. */
  readonly packet: Packet;
  readonly stream: Stream;
  /** Seconds of the clock of the streams; null when the packet has no time. */
  readonly seconds: number | null;
}

export function soundStreams({ format }: Source): Stream[] {
  return format.streams.filter(
    ({ codecpar, disposition }) =>
      codecpar.codecType === AVMEDIA_TYPE_AUDIO && (disposition & AV_DISPOSITION_ATTACHED_PIC) === 0,
  );
}

/**
 * A clip may end with the file, but not where a disk or a share cannot be read any more. Throws
 * DECODE_FAILED.
 */
export function expectReadable({ ended, path }: Pick<Source, 'ended' | 'path'>) {
  if (ended === 'broken') throw mediaErrors.DECODE_FAILED(`${path}: cannot be read to the end`, { path });
}

/** Reads through a source of its own, so that pictures are read at their own pace. */
export class SoundPackets {
  readonly #source: Source;
  readonly path: string;
  readonly streams: readonly Stream[];
  readonly #from: number;
  readonly #looked: SoundPacket[] = [];

  private constructor(source: Source, from: number) {
    this.#source = source;
    this.path = source.path;
    this.streams = soundStreams(source);
    this.#from = from;
  }

  /** `from`: seconds of the clock of the streams. Null for a file without sound. The caller closes it. */
  static async open(path: string, from: number, options: OpenOptions): Promise<SoundPackets | null> {
    const source = await openSource(path, options);
    const packets = new SoundPackets(source, from - preroll);
    try {
      if (packets.streams.length > 0) {
        packets.#start();
        return packets;
      }
    } catch (error) {
      packets.close();
      throw error;
    }
    source.close();
    return null;
  }

  /** The next packet; null at the end of the file. Those long before the first wanted sample are left out. */
  next(): SoundPacket | null {
    for (;;) {
      const next = this.#looked.shift() ?? this.#read();
      if (!next || next.seconds === null || next.seconds >= this.#from) return next;
      next.packet.free();
    }
  }

  close() {
    this.#forget();
    this.#source.close();
  }

  #read(): SoundPacket | null {
    for (;;) {
      const packet = this.#source.next();
      if (!packet) {
        expectReadable(this.#source);
        return null;
      }
      const stream = this.streams.find(({ index }) => index === packet.streamIndex);
      if (stream) return { packet, stream, seconds: inSeconds(ticks(packet.pts), stream) };
      packet.free();
    }
  }

  /** Goes to the first wanted packet of each track; where no seek finds it, to the start of the file. */
  #start() {
    const only = () => this.#source.only(this.streams.map(({ index }) => index));
    let isMoved = false;
    for (const margin of margins) {
      // Some demuxers find a place only by a stream that is being read.
      this.#source.readAll();
      if (!this.#seek(this.#from - margin)) break;
      isMoved = true;
      only();
      if (this.#isEarlyEnough()) return;
      this.#forget();
    }
    if (isMoved) {
      this.#source.readAll();
      this.#source.rewind();
    }
    only();
  }

  /** True when a seek changed the place. */
  #seek(seconds: number): boolean {
    const guide = this.#source.guide!;
    const { num, den } = guide.timeBase;
    const start = ticks(guide.startTime);
    const target = Math.floor((seconds * den) / num);
    return start !== null && target > start && this.#source.seek(target);
  }

  /**
   * Reads until it has seen a packet of each track: false when a track has begun already, but comes later
   * here.
   */
  #isEarlyEnough(): boolean {
    const unseen = new Set(this.streams);
    while (unseen.size > 0 && this.#looked.length < mostLooked) {
      const next = this.#read();
      if (!next) return unseen.size < this.streams.length;
      this.#looked.push(next);
      const { stream, seconds } = next;
      if (seconds === null || !unseen.delete(stream)) continue;
      const begins = inSeconds(ticks(stream.startTime), stream) ?? seconds;
      if (seconds > this.#from + preroll / 2 && begins < seconds) return false;
    }
    return true;
  }

  #forget() {
    for (const { packet } of this.#looked.splice(0)) packet.free();
  }
}

function inSeconds(at: number | null, { timeBase: { num, den } }: Stream): number | null {
  return at === null ? null : (at * num) / den;
}
