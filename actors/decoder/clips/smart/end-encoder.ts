// The encoder of the pictures at one end of a smart clip: H.264 that the same reader takes as the packets
// between the ends.
import {
  AV_PICTURE_TYPE_NONE,
  type CodecContext,
  type Frame,
  type Packet,
  type Stream,
} from '../../ffmpeg.ts';
import type { Source } from '../../source/source.ts';
import type { ClipFile, TimeBase } from '../clip-file.ts';
import { clipErrors } from '../contract.ts';
import { type EncodedInto, Encoder } from '../encoder.ts';
import { describePictures, keyframeDistance, pictureShape, quality } from '../picture-encoder.ts';
import { type AvcSets, areApart, avcRecord, avcSets, freeNumber, profileOf, withLengths } from './avc.ts';

/** FFmpeg's name. */
export const endEncoder = 'libx264';

export interface EndEncoderOptions {
  readonly source: Source;
  readonly sets: AvcSets;
  readonly base: TimeBase;
  readonly joined: JoinedStream;
}

/** One picture to encode; times in ticks of the clip. */
interface Shown {
  readonly shown: number;
  readonly length: number;
}

export class EndEncoder {
  readonly #encoder: Encoder;
  readonly #lengths = new Map<bigint, bigint>();

  /** `first`: *borrowed*. Errors: CLIP_NOT_SMART, CLIP_UNWRITABLE. */
  constructor(options: EndEncoderOptions, first: Frame) {
    const { source, sets, base, joined } = options;
    const number = freeNumber(sets);
    if (number === null) throw clipErrors.CLIP_NOT_SMART('the file uses all numbers of parameters');
    const shape = pictureShape(source, source.video!, base, first);
    this.#encoder = new Encoder(joined, {
      name: endEncoder,
      options: {
        ...quality,
        profile: profileOf(sets),
        bf: '0',
        g: String(keyframeDistance(shape)),
        'x264-params': `sps-id=${number}`,
      },
      prepare: (context) => {
        describePictures(context, shape);
        context.pixelFormat = first.format as typeof context.pixelFormat;
        context.threadCount = 0;
      },
    });
  }

  /** Of a picture, *borrowed*. Changes its times. Throws CLIP_NOT_SMART for one of another size or format. */
  encode(frame: Frame, { shown, length }: Shown) {
    const { context } = this.#encoder;
    const { width, height, format } = frame;
    if (width !== context.width || height !== context.height || format !== context.pixelFormat) {
      throw clipErrors.CLIP_NOT_SMART('the size of the pictures changes');
    }
    frame.pts = BigInt(shown);
    frame.duration = BigInt(length);
    // The type the source had would be forced on the encoder.
    frame.pictType = AV_PICTURE_TYPE_NONE;
    this.#lengths.set(frame.pts, frame.duration);
    this.#encode(frame);
  }

  /** Writes what is left. */
  finish() {
    this.#encode(null);
  }

  close() {
    this.#encoder.close();
  }

  #encode(frame: Frame | null) {
    this.#encoder.encode(frame, (packet) => {
      packet.duration = this.#lengths.get(packet.pts) ?? 1n;
      this.#lengths.delete(packet.pts);
    });
  }
}

// The video stream of a smart clip: packets of encoders and of the source, with one record of all parameter
// sets, on one clock of decoding. Owns nothing.

interface JoinedOptions {
  readonly file: ClipFile;
  readonly source: Stream;
  /** Parameter sets of the source. */
  readonly sets: AvcSets;
  readonly base: TimeBase;
  /** Ticks by which packets are decoded before they are shown, at most. */
  readonly delay: number;
}

/** Times of one packet, in ticks of the clip. */
interface PacketTimes {
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
