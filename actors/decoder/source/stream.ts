// Facts of the container about a video stream: its size and rotation, its frame rate and its duration.
import { mediaErrors, type Rational } from '../contract.ts';
import { AV_PKT_DATA_DISPLAYMATRIX, Codec, CodecContext, checked, type Stream, ticks } from '../ffmpeg.ts';
import type { CodedSize } from './coded-size.ts';
import type { Source } from './source.ts';

export function codedSize(stream: Stream): CodedSize {
  const { codecpar } = stream;
  return {
    width: codecpar.width,
    height: codecpar.height,
    pixelAspect: pixelAspect(stream),
    ...turn(codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX)),
  };
}

/** Sample aspect ratio; the container overrides the codec. */
function pixelAspect(stream: Stream): Rational {
  for (const { num, den } of [stream.sampleAspectRatio, stream.codecpar.sampleAspectRatio]) {
    if (num > 0 && den > 0) return { num, den };
  }
  return { num: 1, den: 1 };
}

/**
 * Effect of a display matrix (nine 16.16 fixed-point numbers); degrees clockwise, rounded to a multiple of
 * 90.
 */
export function turn(matrix: Uint8Array | null): Pick<CodedSize, 'rotation' | 'mirrored'> {
  if (!matrix || matrix.length < 36) return { rotation: 0, mirrored: false };
  const view = new DataView(matrix.buffer, matrix.byteOffset, matrix.byteLength);
  const [a, b, c, d] = [0, 4, 12, 16].map((at) => view.getInt32(at, true)) as [
    number,
    number,
    number,
    number,
  ];
  const mirrored = a * d - b * c < 0;
  const degrees = ((mirrored ? Math.atan2(-b, -a) : Math.atan2(b, a)) * 180) / Math.PI;
  return { rotation: (((Math.round(degrees / 90) * 90) % 360) + 360) % 360, mirrored };
}

/**
 * More pictures a second than anything is played at: a count of ticks, as of raw DV, where FFmpeg averages
 * over them.
 */
const mostRate = 1000;

/** Frames per second; null when the file does not say. */
export function frameRate(stream: Pick<Stream, 'avgFrameRate' | 'rFrameRate' | 'codecpar'>): Rational | null {
  const rates = [stream.avgFrameRate, stream.rFrameRate, stream.codecpar.frameRate].filter(
    ({ num, den }) => num > 0 && den > 0,
  );
  const [rate] = [...rates.filter(({ num, den }) => num / den <= mostRate), ...rates];
  return rate ? { num: rate.num, den: rate.den } : null;
}

/**
 * Like `frameRate`, for the video stream. If fields are separate packets, FFmpeg may count them as frames.
 */
export function pictureRate({ video, fieldFrameTicks, usualRate }: Source): Rational | null {
  if (!video) return null;
  const usual = usualRate ?? frameRate(video);
  const { num, den } = video.rFrameRate;
  if (!fieldFrameTicks || !usual || num <= 0 || den <= 0) return usual;
  const measured = video.timeBase.den / (video.timeBase.num * fieldFrameTicks);
  const error = (rate: Rational) => Math.abs(rate.num / rate.den - measured);
  const rates = [usual, { num, den }, lowestTerms(num, 2 * den)];
  return rates.reduce((best, rate) => (error(rate) < error(best) ? rate : best));
}

function lowestTerms(num: number, den: number): Rational {
  let [common, remainder] = [num, den];
  while (remainder > 0) [common, remainder] = [remainder, common % remainder];
  return { num: num / common, den: den / common };
}

/** Usual time between pictures, in ticks of the video stream. */
export function frameStep(source: Source): number {
  const rate = pictureRate(source) ?? { num: 25, den: 1 };
  const { num, den } = source.video?.timeBase ?? { num: 1, den: 1 };
  return Math.max(1, (rate.den * den) / (rate.num * num));
}

/**
 * Most seconds of video that a file of this size is believed to have. A header of some bytes can claim
 * centuries, and a few packets can be that far apart; even films of one small picture a second take many
 * times these bytes.
 */
export function mostSeconds({ bytes }: Source): number {
  return Math.max(6 * 3600, bytes / 10);
}

/**
 * Duration of the video stream in seconds, as far as the file can hold it; null when the container does not
 * say.
 */
export function pictureSeconds(source: Source): number | null {
  const claimed = claimedSeconds(source);
  return claimed === null ? null : Math.min(claimed, mostSeconds(source));
}

function claimedSeconds({ format, video, container, clockSeconds, isEstimated }: Source): number | null {
  if (!video || clockSeconds !== null) return clockSeconds;
  if (isEstimated) return null;
  const { num, den } = video.timeBase;
  const duration = ticks(video.duration);
  if (duration !== null && duration > 0) return (duration * num) / den;
  // In Matroska, durations count from time 0, not from the first packet of the stream.
  const fromZero = container.startsWith('matroska');
  const start = fromZero ? Math.max(0, ((ticks(video.startTime) ?? 0) * num) / den) : 0;
  const end = tagSeconds(video) ?? positive(ticks(format.duration), 1_000_000);
  return end === null || end <= start ? null : end - start;
}

const positive = (value: number | null, unit: number) => (value !== null && value > 0 ? value / unit : null);

/** The statistics tag that Matroska writers add: `DURATION` or `DURATION-eng`, as `HH:MM:SS.fraction`. */
function tagSeconds(stream: Stream): number | null {
  const tags = stream.metadata?.getAll() ?? {};
  for (const [key, text] of Object.entries(tags)) {
    const match = /^DURATION(-\w+)?$/.test(key) ? /^(\d+):(\d\d):(\d\d(\.\d+)?)$/.exec(text) : null;
    if (match) return Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
  }
  return null;
}

// A codec context that decodes one stream.

export interface OpenContextOptions {
  readonly stream: Stream;
  readonly path: string;
  /** Name of the codec, for messages. */
  readonly codec: string;
  /** Content of the stream for messages: `stream`, `sound`. */
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
