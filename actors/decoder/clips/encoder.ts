// An encoder of one stream of a clip: frames in, packets into the file. Owns its native objects.
import {
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  AVFMT_GLOBALHEADER,
  Codec,
  CodecContext,
  type Frame,
  Packet,
  type Stream,
} from '../ffmpeg.ts';
import type { ClipFile } from './clip-file.ts';
import { clipErrors } from './contract.ts';

type CodecName = Parameters<typeof Codec.findEncoderByName>[0];

export interface EncoderOptions {
  /** FFmpeg's name. */
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
  /** Sets the fields that the codec needs before it is opened: size, format, time base. */
  prepare(context: CodecContext, codec: Codec): void;
}

/** The file that packets go into, or what joins them with others. */
export type EncodedInto = Pick<ClipFile, 'format' | 'must' | 'encodedStream' | 'write'>;

export class Encoder {
  readonly name: string;
  readonly context = new CodecContext();
  readonly stream: Stream;
  readonly #file: EncodedInto;
  readonly #packet = new Packet();

  /** Throws CLIP_UNWRITABLE. */
  constructor(file: EncodedInto, { name, options, prepare }: EncoderOptions) {
    this.name = name;
    this.#file = file;
    this.#packet.alloc();
    const codec = Codec.findEncoderByName(name as CodecName);
    if (!codec) throw clipErrors.CLIP_UNWRITABLE(`FFmpeg has no encoder ${name} here`);
    try {
      this.context.allocContext3(codec);
      if (file.format.oformat?.hasFlags(AVFMT_GLOBALHEADER))
        this.context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
      prepare(this.context, codec);
      // A dictionary given to an open call would be freed twice, by FFmpeg and by its binding.
      for (const [key, value] of Object.entries(options)) {
        file.must(this.context.setOption(key, value), `setting ${key}=${value}`);
      }
      file.must(this.context.open2Sync(codec, null), `opening the encoder ${name}`);
      this.stream = file.encodedStream(this.context);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** What frames have to be like. */
  get input(): CodecContext {
    return this.context;
  }

  /** Encodes a frame, *borrowed*, or with null what is left, and writes the packets that are ready. */
  encode(frame: Frame | null, finish?: (packet: Packet) => void) {
    this.#file.must(this.context.sendFrameSync(frame), 'encoding');
    for (;;) {
      const result = this.context.receivePacketSync(this.#packet);
      if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return;
      this.#file.must(result, 'encoding');
      finish?.(this.#packet);
      this.#file.write(this.#packet, this.stream, this.context.timeBase);
    }
  }

  close() {
    this.#packet.free();
    this.context.freeContext();
  }
}
