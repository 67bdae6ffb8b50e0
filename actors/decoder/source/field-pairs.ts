// Joins the two fields of an interlaced H.264 frame into one packet. Transport streams, and files remuxed
// from them, hold each field in a packet of its own; everything after this counts a packet as one picture.
import { type Packet, ticks } from '../ffmpeg.ts';
import { type H264Field, H264FieldReader, sameFrame } from '../packets/bitstream/h264-field.ts';

export class FieldPairs {
  readonly #reader: H264FieldReader;
  /** Read ahead to look for a second field, but not one. */
  #pending: { readonly packet: Packet; readonly field: H264Field | null } | null = null;
  /** Duration of the first frame whose fields were joined, in ticks; null before there was one. */
  frameTicks: number | null = null;

  private constructor(reader: H264FieldReader) {
    this.#reader = reader;
  }

  /** `codec`: FFmpeg's name. Null for a stream that has no packets to join. */
  static open(codec: string, extradata: Uint8Array | null): FieldPairs | null {
    const reader = codec === 'h264' ? H264FieldReader.open(extradata) : null;
    return reader && new FieldPairs(reader);
  }

  /**
   * The next frame, or a field without a second one; *moved* to the caller. `read` returns the next packet,
   * *moved*.
   */
  next(read: () => Packet | null): Packet | null {
    const first = this.#pending ?? this.#examine(read());
    this.#pending = null;
    if (!first?.field) return first?.packet ?? null;
    const second = this.#examine(read());
    if (second?.field && sameFrame(first.field, second.field)) {
      join(first.packet, second.packet);
      this.frameTicks ??= Number(first.packet.duration);
    } else this.#pending = second;
    return first.packet;
  }

  /** Frees what was read ahead; for a seek and at the end. */
  clear() {
    this.#pending?.packet.free();
    this.#pending = null;
  }

  #examine(packet: Packet | null) {
    return packet && { packet, field: packet.data && this.#reader.read(packet.data) };
  }
}

/** Adds the bytes and the duration of the second field to the packet of the first; frees the second. */
function join(first: Packet, second: Packet) {
  const { streamIndex, pts, dts, pos, duration, flags } = first;
  const [from, to] = [ticks(pts), ticks(second.pts)];
  const both =
    from !== null && to !== null && to > from ? BigInt(2 * (to - from)) : duration + second.duration;
  // Setting the data of a packet resets its other fields.
  first.data = Buffer.concat([first.data!, second.data!]);
  Object.assign(first, { streamIndex, pts: from === null ? second.pts : pts, dts, pos, duration: both });
  first.setFlags(flags);
  second.free();
}
