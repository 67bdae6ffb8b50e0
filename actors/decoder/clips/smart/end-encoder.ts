// The encoder of the pictures at one end of a smart clip: H.264 that the same reader takes as the packets
// between the ends.
import { AV_PICTURE_TYPE_NONE, type Frame } from '../../ffmpeg.ts';
import type { Source } from '../../source/source.ts';
import type { TimeBase } from '../clip-file.ts';
import { clipErrors } from '../contract.ts';
import { Encoder } from '../encoder.ts';
import { describePictures, keyframeDistance, pictureShape, quality } from '../picture-encoder.ts';
import { type AvcSets, freeNumber, profileOf } from './avc.ts';
import type { JoinedStream } from './joined-stream.ts';

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
