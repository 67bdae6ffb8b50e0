// The packets of all audio tracks of a file from shortly before a moment on.
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AVMEDIA_TYPE_AUDIO,
  AVSEEK_FLAG_BACKWARD,
  type Packet,
  type Stream,
} from '../ffmpeg.ts';
import { type OpenOptions, openSource, type Source } from '../source/source.ts';
import { ticks } from '../source/ticks.ts';

/** Seconds before the first wanted sample at which decoding starts: codecs need some packets to come to their state. */
const preroll = 1;

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

/** Reads through a source of its own, so that pictures are read at their own pace. */
export class SoundPackets {
  readonly #source: Source;
  readonly path: string;
  readonly streams: readonly Stream[];
  readonly #from: number;

  private constructor(source: Source, from: number) {
    this.#source = source;
    this.path = source.path;
    this.streams = soundStreams(source);
    this.#from = from;
    source.only(this.streams.map(({ index }) => index));
  }

  /** `from`: seconds of the clock of the streams. Null for a file without sound. The caller closes it. */
  static async open(path: string, from: number, options: OpenOptions): Promise<SoundPackets | null> {
    const source = await openSource(path, options);
    if (soundStreams(source).length === 0) {
      source.close();
      return null;
    }
    const packets = new SoundPackets(source, from - preroll);
    packets.#seek();
    return packets;
  }

  /** The next packet; null at the end of the file. Those long before the first wanted sample are left out. */
  next(): SoundPacket | null {
    for (;;) {
      const packet = this.#source.next();
      if (!packet) return null;
      const stream = this.streams.find(({ index }) => index === packet.streamIndex);
      if (!stream) {
        packet.free();
        continue;
      }
      const at = ticks(packet.pts);
      const seconds = at === null ? null : (at * stream.timeBase.num) / stream.timeBase.den;
      if (seconds === null || seconds >= this.#from) return { packet, stream, seconds };
      packet.free();
    }
  }

  close() {
    this.#source.close();
  }

  #seek() {
    const { video, format } = this.#source;
    const stream = video ?? this.streams[0]!;
    const { num, den } = stream.timeBase;
    const start = ticks(stream.startTime);
    const target = Math.floor((this.#from * den) / num);
    // Where it cannot seek, it reads from the start.
    if (start === null || target <= start) return;
    if (video) this.#source.seek(target);
    else format.seekFrameSync(stream.index, BigInt(target), AVSEEK_FLAG_BACKWARD);
  }
}
