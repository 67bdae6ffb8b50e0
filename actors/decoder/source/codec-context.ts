// A codec context that decodes one stream.
import { mediaErrors } from '../contract.ts';
import { Codec, CodecContext, checked, type Stream } from '../ffmpeg.ts';

export interface OpenContextOptions {
  readonly stream: Stream;
  readonly path: string;
  /** Name of the codec, for messages. */
  readonly codec: string;
  /** What the stream holds, for messages: `stream`, `sound`. */
  readonly what: string;
  /** Changes the context before it is opened. */
  configure?(context: CodecContext, codec: Codec): void;
}

/**
 * Opens a decoder with one thread: several files are decoded in parallel instead. *Owned by the caller*, who
 * frees it. Throws UNSUPPORTED_CODEC.
 */
export function openCodecContext(options: OpenContextOptions): CodecContext {
  const { stream, path, codec: name, what, configure } = options;
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  if (!codec) {
    throw mediaErrors.UNSUPPORTED_CODEC(`${path}: no decoder for ${name}`, { path, codec: name });
  }
  const context = new CodecContext();
  try {
    context.allocContext3(codec);
    checked(context.parametersToContext(stream.codecpar), path, `its ${what} cannot be decoded`);
    context.threadCount = 1;
    context.pktTimebase = stream.timeBase;
    configure?.(context, codec);
    if (context.open2Sync(codec, null) < 0) {
      throw mediaErrors.UNSUPPORTED_CODEC(`${path}: ${name} cannot be decoded`, { path, codec: name });
    }
    return context;
  } catch (error) {
    context.freeContext();
    throw error;
  }
}
