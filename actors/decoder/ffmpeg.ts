// Access to FFmpeg: the only file that imports node-av. It silences FFmpeg's own log, exports only the names
// in use, and turns FFmpeg's error numbers into mediaErrors that name the file.
import { AV_LOG_QUIET, AVERROR_EOF, AVERROR_INVALIDDATA } from 'node-av/constants';
import { Codec, FFmpegError, getFFmpegInfo, Log, PosixError } from 'node-av/lib';
import type { EngineError } from '../../runtime/errors.ts';
import { mediaErrors } from './contract.ts';

// Under which licence a build of FFmpeg may be passed on, as its configure script decides it.
// Source: FFmpeg's LICENSE.md and configure, and https://ffmpeg.org/legal.html.

/** Parts that lawyers ask for by name. */
const request = { libx264: 'x264', libx265: 'x265', 'libfdk-aac': 'fdk-aac' } as const;

/** `configuration`: what the build was configured with. `GPL version 3 or later, with x264 and x265`. */
export function buildLicense(configuration: string): string {
  const has = (option: string) => new RegExp(`(^|\\s)--enable-${option}(\\s|$)`).test(configuration);
  const parts = Object.entries(request).flatMap(([option, name]) => (has(option) ? [name] : []));
  const license = has('nonfree')
    ? 'nonfree: must not be passed on'
    : has('gpl')
      ? `GPL version ${has('version3') ? '3' : '2'} or later`
      : `LGPL version ${has('version3') ? '3' : '2.1'} or later`;
  return parts.length === 0 ? license : `${license}, with ${parts.join(', ')}`;
}

// biome-ignore lint/performance/noBarrelFile: no other file imports node-av.
export {
  AV_CODEC_CAP_SMALL_LAST_FRAME,
  AV_CODEC_FLAG_BITEXACT,
  AV_CODEC_FLAG_FRAME_DURATION,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_CODEC_FLAG_INTERLACED_DCT,
  AV_CODEC_FLAG_OUTPUT_CORRUPT,
  AV_CODEC_FLAG_QSCALE,
  AV_CODEC_ID_ASS,
  AV_CODEC_ID_MJPEG,
  AV_CODEC_ID_MOV_TEXT,
  AV_CODEC_ID_SUBRIP,
  AV_CODEC_ID_WEBVTT,
  AV_CODEC_PROP_INTRA_ONLY,
  AV_DISPOSITION_ATTACHED_PIC,
  AV_DISPOSITION_CLEAN_EFFECTS,
  AV_DISPOSITION_COMMENT,
  AV_DISPOSITION_DEFAULT,
  AV_DISPOSITION_DESCRIPTIONS,
  AV_DISPOSITION_FORCED,
  AV_DISPOSITION_HEARING_IMPAIRED,
  AV_DISPOSITION_KARAOKE,
  AV_DISPOSITION_VISUAL_IMPAIRED,
  AV_FRAME_FLAG_CORRUPT,
  AV_FRAME_FLAG_INTERLACED,
  AV_FRAME_FLAG_TOP_FIELD_FIRST,
  AV_PICTURE_TYPE_I,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_YUVJ420P,
  AV_PIX_FMT_YUVJ444P,
  AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
  AV_PKT_DATA_NEW_EXTRADATA,
  AV_PKT_DATA_SKIP_SAMPLES,
  AV_PKT_FLAG_CORRUPT,
  AV_PKT_FLAG_DISCARD,
  AV_PKT_FLAG_KEY,
  AV_SAMPLE_FMT_FLTP,
  AVCHROMA_LOC_LEFT,
  AVCOL_PRI_BT709,
  AVCOL_PRI_UNSPECIFIED,
  AVCOL_RANGE_JPEG,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_RGB,
  AVCOL_SPC_UNSPECIFIED,
  AVCOL_TRC_BT709,
  AVCOL_TRC_UNSPECIFIED,
  AVDISCARD_ALL,
  AVDISCARD_DEFAULT,
  AVDISCARD_NONKEY,
  AVERROR_EOF,
  AVERROR_INVALIDDATA,
  AVFMT_FLAG_BITEXACT,
  AVFMT_FLAG_IGNIDX,
  AVFMT_GLOBALHEADER,
  AVFMT_NOTIMESTAMPS,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_FLAG_BACKWARD,
  AVSEEK_FLAG_BYTE,
  SWS_BILINEAR,
} from 'node-av/constants';
export {
  avChannelLayoutDefault,
  avChannelLayoutDescribe,
  avGetCodecName,
  avGetCodecString,
  avGetPixFmtFromName,
  avGetPixFmtName,
  avGetSampleFmtName,
  avImageGetBufferSize,
  Codec,
  CodecContext,
  Dictionary,
  FFmpegError,
  FormatContext,
  Frame,
  HardwareDeviceContext,
  HardwareFramesContext,
  InputFormat,
  OutputFormat,
  Packet,
  Rational,
  SoftwareResampleContext,
  SoftwareScaleContext,
  type Stream,
} from 'node-av/lib';

// FFmpeg logs to stderr from its own threads; errors are reported by return values anyway.
Log.setLevel(AV_LOG_QUIET);

const AVERROR_EMFILE = FFmpegError.AVERROR(PosixError.EMFILE);
const AVERROR_EACCES = FFmpegError.AVERROR(PosixError.EACCES);
export const AVERROR_EAGAIN = FFmpegError.AVERROR(PosixError.EAGAIN);
const AVERROR_EINVAL = FFmpegError.AVERROR(PosixError.EINVAL);
const AVERROR_EISDIR = FFmpegError.AVERROR(PosixError.EISDIR);
const AVERROR_ENOENT = FFmpegError.AVERROR(PosixError.ENOENT);
export const AVERROR_ENOMEM = FFmpegError.AVERROR(PosixError.ENOMEM);
const AVERROR_EPERM = FFmpegError.AVERROR(PosixError.EPERM);

/** AV_NOPTS_VALUE. */
export const noTimestamp = -(2n ** 63n);

/** A timestamp as a number; null for AV_NOPTS_VALUE. */
export function ticks(value: bigint): number | null {
  return value === noTimestamp ? null : Number(value);
}

/** The mediaError for an FFmpeg error number; `doing` says what was tried, for the message. */
export function mediaError(number: number, path: string, doing: string): EngineError {
  const text = `${path}: ${doing}: ${FFmpegError.strerror(number)}`;
  const details = { path, ffmpeg: number };
  switch (number) {
    case AVERROR_ENOENT:
      return mediaErrors.FILE_NOT_FOUND(text, details);
    case AVERROR_EMFILE:
      return mediaErrors.TOO_MANY_FILES(text, details);
    case AVERROR_EACCES:
    case AVERROR_EPERM:
    case AVERROR_EISDIR:
      return mediaErrors.FILE_UNREADABLE(text, details);
    case AVERROR_INVALIDDATA:
    // FFmpeg returns this for a container that is not in the allowlist.
    case AVERROR_EINVAL:
      return mediaErrors.NOT_MEDIA(`${path}: ${doing}: it is damaged or not a media file`, details);
    case AVERROR_EOF:
      return mediaErrors.NOT_MEDIA(`${path}: ${doing}: it ends before the first picture or sound`, details);
    case AVERROR_ENOMEM:
      return mediaErrors.TOO_LARGE(text, details);
    default:
      return mediaErrors.DECODE_FAILED(text, details);
  }
}

/** Returns a result that is no error; throws the mediaError of a negative one. */
export function checked(result: number, path: string, doing: string): number {
  if (result < 0) throw mediaError(result, path, doing);
  return result;
}

/** The version in use and the licence of its build, for a person to read. */
export function describeFfmpeg(): string {
  const { version, libraries, configuration } = getFFmpegInfo();
  return `FFmpeg ${version}, libavcodec ${libraries.avcodec}; ${buildLicense(configuration)}`;
}

/** True if this build has the encoder. `name`: FFmpeg's. */
export function hasEncoder(name: string): boolean {
  return Codec.findEncoderByName(name as Parameters<typeof Codec.findEncoderByName>[0]) !== null;
}
