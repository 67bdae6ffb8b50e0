// The video stream of a smart clip: packets of encoders and of the source, with one record of all parameter
// sets, on one clock of decoding. Owns nothing.
import type { CodecContext, Packet, Stream } from '../../ffmpeg.ts';
import type { ClipFile, TimeBase } from '../clip-file.ts';
import { clipErrors } from '../contract.ts';
import type { EncodedInto } from '../encoder.ts';
import { type AvcSets, areApart, avcRecord, avcSets, withLengths } from './avc.ts';

export interface JoinedOptions {
  readonly file: ClipFile;
  readonly source: Stream;
  /** Parameter sets of the source. */
  readonly sets: AvcSets;
  readonly base: TimeBase;
  /** Ticks by which packets are decoded before they are shown, at most. */
  readonly delay: number;
}

/** Times of one packet, in ticks of the clip. */
export interface PacketTimes {
  readonly shown: number;
  /** Without the delay. */
  readonly decoded: number;
  readonly length: number;
}

export class JoinedStream implements EncodedInto {
  readonly #options: JoinedOptions;
  #stream: Stream | null = null;
  #encoded: AvcSets | null = null;

  constructor(options: JoinedOptions) {
    this.#options = options;
  }

  get format() {
    return this.#options.file.format;
  }

  must(result: number, doing: string): number {
    return this.#options.file.must(result, doing);
  }

  /** Without any picture that is encoded. */
  open() {
    const { file, source, sets, base } = this.#options;
    this.#stream = file.joinedStream(source, avcRecord([sets]), base);
  }

  /**
   * Makes the stream for the first encoder; the others have to write the same parameters. Throws
   * CLIP_NOT_SMART.
   */
  encodedStream(context: CodecContext): Stream {
    const { file, source, sets, base } = this.#options;
    const own = avcSets(context.extraData);
    if (!own || !areApart(own, sets)) throw refusal('the encoder cannot number its parameters');
    if (!this.#stream) this.#stream = file.joinedStream(source, avcRecord([sets, own]), base);
    else if (!this.#encoded || !areEqual(own, this.#encoded)) {
      throw refusal('both ends need different parameters');
    }
    this.#encoded = own;
    return this.#stream;
  }

  /** Of an encoder: decoded in the order in which they are shown. */
  write(packet: Packet, _: Stream, base: TimeBase) {
    if (packet.pts !== packet.dts) throw refusal('the encoder changes the order of pictures');
    const shown = Number(packet.pts);
    this.#put(packet, this.#encoded!, { shown, decoded: shown, length: Number(packet.duration) }, base);
  }

  /** Of the source. */
  copy(packet: Packet, times: PacketTimes) {
    this.#put(packet, this.#options.sets, times, this.#options.base);
  }

  #put(packet: Packet, { framing }: AvcSets, { shown, decoded, length }: PacketTimes, base: TimeBase) {
    const { data, flags } = packet;
    const framed = data && withLengths(data, framing);
    if (!framed) throw refusal('a packet is damaged');
    if (framed !== data) {
      // Setting the data of a packet resets its other fields.
      packet.data = framed;
      packet.setFlags(flags);
    }
    packet.pts = BigInt(shown);
    packet.dts = BigInt(decoded - this.#options.delay);
    packet.duration = BigInt(length);
    this.#options.file.write(packet, this.#stream!, base);
  }
}

const refusal = (why: string) => clipErrors.CLIP_NOT_SMART(why);

function areEqual(a: AvcSets, b: AvcSets): boolean {
  const [one, other] = [a, b].map(({ sequences, pictures }) => [...sequences, ...pictures]);
  return one!.length === other!.length && one!.every((unit, i) => unit.equals(other![i]!));
}
