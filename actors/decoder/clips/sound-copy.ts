// The sound of a copied clip: packets of all audio tracks as they are.
import type { Stream } from '../ffmpeg.ts';
import type { ClipFile } from './clip-file.ts';
import { shift } from './picture-copy.ts';
import type { SoundPackets } from './sound-packets.ts';

/** Seconds that packets of several tracks lie apart in a file, at most. */
const apart = 5;

export class SoundCopy {
  #file: ClipFile | null = null;
  readonly #packets: SoundPackets;
  readonly #zero: number;
  readonly #streams = new Map<Stream, Stream>();
  /** Seconds of the clip up to which packets were read. */
  #read = 0;
  /** Seconds of the clip at which the first packet starts and the last one ends; null while there is none. */
  span: { start: number; end: number } | null = null;

  /** `zero`: start of the clip in seconds of the clock of the streams. */
  constructor(packets: SoundPackets, zero: number) {
    this.#packets = packets;
    this.#zero = zero;
  }

  begin(file: ClipFile, keepsTag: boolean) {
    this.#file = file;
    this.#streams.clear();
    for (const stream of this.#packets.streams) {
      this.#streams.set(stream, file.copiedStream(stream, keepsTag));
    }
  }

  /** Seconds of the clip up to which packets were read; Infinity at the end of the file. */
  get position(): number {
    return this.#read;
  }

  /** Writes the next packet, unless it lies before the clip or from `end` on, in seconds of the clip. */
  step(end: number) {
    const next = this.#packets.next();
    if (!next) {
      this.#read = Number.POSITIVE_INFINITY;
      return;
    }
    const { packet, stream, seconds } = next;
    const { num, den } = stream.timeBase;
    const length = (Number(packet.duration) * num) / den;
    try {
      if (seconds === null) return;
      const at = seconds - this.#zero;
      this.#read = Math.max(this.#read, at > end + apart ? Number.POSITIVE_INFINITY : at);
      // A packet that lies half before the clip would be heard too early without it, and half after it too late.
      if (at < -length / 2 || at >= end - length / 2) return;
      const { start = at, end: until = at } = this.span ?? {};
      this.span = { start: Math.min(start, at), end: Math.max(until, at + length) };
      shift(packet, BigInt(Math.round((this.#zero * den) / num)));
      this.#file!.write(packet, this.#streams.get(stream)!, stream.timeBase);
    } finally {
      packet.free();
    }
  }
}
