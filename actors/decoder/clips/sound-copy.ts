// The sound of a copied clip: packets of all audio tracks as they are.
import { AV_PKT_DATA_SKIP_SAMPLES, type Packet, type Stream } from '../ffmpeg.ts';
import type { ClipFile } from './clip-file.ts';
import { shift } from './picture-copy.ts';
import type { SoundPackets } from './sound-packets.ts';

/** Seconds that packets of several tracks lie apart in a file, at most. */
const apart = 5;

export class SoundCopy {
  #file: ClipFile | null = null;
  readonly #packets: SoundPackets;
  readonly #zero: number;
  /** Seconds of the clock of the streams that become time 0 of the file; null before the first packet. */
  #base: number | null;
  readonly #streams = new Map<Stream, Stream>();
  /** Seconds of the clip up to which packets were read. */
  #read = 0;
  /** Seconds of the clip at which the first packet starts and the last one ends; null while there is none. */
  span: { start: number; end: number } | null = null;

  /**
   * `zero`: start of the clip in seconds of the clock of the streams. Sound alone begins with its first
   * packet, however that lies to it.
   */
  constructor(packets: SoundPackets, zero: number, hasPictures: boolean) {
    this.#packets = packets;
    this.#zero = zero;
    this.#base = hasPictures ? zero : null;
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
      // Packets begin and end as near to the clip as they can; a short one has that of its middle.
      const isInside = at >= -length / 2 && at < end - length / 2;
      if (!isInside && !(at <= end / 2 && at + length > end / 2)) return;
      const { start = at, end: until = at } = this.span ?? {};
      this.span = { start: Math.min(start, at), end: Math.max(until, at + length) };
      this.#base ??= seconds;
      if (this.#file!.container.muxer === 'mp3') keepDelay(packet);
      shift(packet, BigInt(Math.round((this.#base * den) / num)));
      this.#file!.write(packet, this.#streams.get(stream)!, stream.timeBase);
    } finally {
      packet.free();
    }
  }
}

/** Samples that decoders of MP3 are late by, and leave out of themselves. */
const decoderDelay = 529;

/**
 * A packet says what its file leaves out at start and end, which is not what the clip does. FFmpeg's muxer
 * takes less than the delay of decoders for a large number.
 */
function keepDelay(packet: Packet) {
  if (!packet.getSideData(AV_PKT_DATA_SKIP_SAMPLES)) return;
  const skips = Buffer.alloc(10);
  skips.writeUInt32LE(decoderDelay, 0);
  packet.addSideData(AV_PKT_DATA_SKIP_SAMPLES, skips);
}
