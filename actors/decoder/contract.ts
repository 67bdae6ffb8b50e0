// The decoder's messages: facts about a media file, its content hash, the pictures of its 1-per-second grid,
// its sound and its subtitles.
import { type Static, Type } from 'typebox';
import { ask, Bytes, contract, feed, SlotHandle } from '../../runtime/contract.ts';
import { EngineError, errorTable } from '../../runtime/errors.ts';
import { clipMessages } from './clips/contract.ts';
import {
  BarShares,
  FilmPart,
  SectionsOf,
  SmallPictures,
  SmallRequest,
  sectionMessages,
} from './frames/contract.ts';
import { peakMessages } from './peaks/contract.ts';
import { Xmp } from './probe/contract.ts';
import { timesMessages } from './times/contract.ts';

export const mediaErrors = errorTable({
  FILE_NOT_FOUND: { meaning: 'File not found', status: 404 },
  NAME_NOT_UTF8: {
    meaning: 'The name of the file or of a folder above it is not valid UTF-8; rename it',
    status: 400,
  },
  FILE_UNREADABLE: { meaning: 'The file cannot be opened', status: 400 },
  TOO_MANY_FILES: {
    meaning: 'Too many files are open; the limit of the system (ulimit -n) is too low',
    status: 503,
    retryable: true,
  },
  FILE_EMPTY: { meaning: 'The file is empty', status: 400 },
  FILE_CHANGED: { meaning: 'The file changed while it was being read', status: 409, retryable: true },
  NOT_MEDIA: { meaning: 'The file is not a film, picture or sound', status: 400 },
  NO_PICTURE: { meaning: 'The file has no picture', status: 400 },
  UNSUPPORTED_CODEC: { meaning: 'The codec of the file is not supported', status: 400 },
  DECODE_FAILED: { meaning: 'The pictures cannot be decoded', status: 400 },
  NO_SOUND: { meaning: 'The file has no sound', status: 400 },
  NO_CHANNEL: { meaning: 'The file does not have this audio channel', status: 400 },
  NO_SUBTITLES: { meaning: 'The file does not have this subtitle track', status: 400 },
  TOO_LARGE: {
    meaning: 'The picture, the index of the film, or the number of its streams is too large',
    status: 400,
  },
  TOO_SLOW: { meaning: 'The file cannot be opened in time', status: 400 },
  INCOMPLETE: { meaning: 'Most of the file is missing', status: 400 },
});

/** The file itself is the reason. */
export function isMediaError(error: unknown): error is EngineError {
  return error instanceof EngineError && error.code in mediaErrors;
}

/** An exact ratio, as in the file: 30000/1001, 179/6. */
export const Rational = Type.Object({ num: Type.Integer(), den: Type.Integer({ minimum: 1 }) });
export type Rational = Static<typeof Rational>;

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);

export const VideoStream = Type.Object({
  index: Type.Integer(),
  codec: Type.String(),
  profile: Nullable(Type.String()),
  /** Coded size in px, before sample aspect ratio and rotation. */
  coded_width: Type.Integer(),
  coded_height: Type.Integer(),
  /** Sample aspect ratio; 1/1 when the file says nothing. */
  pixel_aspect: Rational,
  /** Degrees clockwise by which a player rotates the picture: 0, 90, 180, 270. */
  rotation: Type.Integer(),
  pixel_format: Type.String(),
  bit_depth: Type.Integer(),
  color_space: Nullable(Type.String()),
  color_transfer: Nullable(Type.String()),
  color_primaries: Nullable(Type.String()),
  /** HDR by its transfer function (PQ or HLG). */
  hdr: Type.Boolean(),
  frame_rate: Rational,
  /** Pictures come at unequal times, as far as the first packets show. Only when `pace` was asked for. */
  rate_varies: Type.Optional(Type.Boolean()),
  bit_rate: Nullable(Type.Integer()),
});
export const AudioStream = Type.Object({
  index: Type.Integer(),
  codec: Type.String(),
  sample_rate: Type.Integer(),
  channels: Type.Integer(),
  layout: Nullable(Type.String()),
  language: Nullable(Type.String()),
});
export const SubtitleStream = Type.Object({
  index: Type.Integer(),
  codec: Type.String(),
  language: Nullable(Type.String()),
  /** The kind of `Sidecar`. Missing for full subtitles, and in records of older analyses. */
  kind: Type.Optional(Type.Union([Type.Literal('sdh'), Type.Literal('comment'), Type.Literal('forced')])),
  /** Players show it by themselves. Missing where it is not so, and in records of older analyses. */
  is_default: Type.Optional(Type.Literal(true)),
});

/** Sample format of a still. */
export const StillSamples = Type.Object({
  bit_depth: Type.Integer(),
  /** `srgb`, `b-w`, `cmyk`... */
  color_model: Type.String(),
  alpha: Type.Boolean(),
  /** `4:2:0`; null when the format does not say. */
  chroma_subsampling: Nullable(Type.String()),
});

export const Timecode = Type.Object({
  /** Start timecode `HH:MM:SS:FF`, always with colons; `00:00:00:00` when the file has none. */
  text: Type.String(),
  drop_frame: Type.Boolean(),
  /** The rate the timecode counts at. */
  rate: Rational,
});

export const Probe = Type.Object({
  kind: Type.Union([Type.Literal('video'), Type.Literal('audio'), Type.Literal('image')]),
  container: Type.String(),
  /** Main brand of an MP4 or QuickTime file: `qt`, `isom`. Missing in records of older analyses. */
  brand: Type.Optional(Nullable(Type.String())),
  size_bytes: Type.Integer(),
  /** Seconds; 0 for stills. */
  duration_seconds: Type.Number(),
  /** Frames on the 1-per-second grid: ceil(duration) for video, 1 for a still, 0 for audio. */
  grid_frames: Type.Integer(),
  /** Size as shown, in px: sample aspect ratio and rotation applied. 0 for audio. */
  width: Type.Integer(),
  height: Type.Integer(),
  video: Nullable(VideoStream),
  /** Samples of a still that no video codec decodes. Missing in records of older analyses. */
  still: Type.Optional(Nullable(StillSamples)),
  audio: Type.Array(AudioStream),
  subtitles: Type.Array(SubtitleStream),
  timecode: Timecode,
  /** ISO 8601, from the file's own tags. */
  creation_date: Nullable(Type.String()),
  camera_make: Nullable(Type.String()),
  camera_model: Nullable(Type.String()),
  /** ISO 6709 text or `lat,lon`, as embedded. */
  location: Nullable(Type.String()),
  /**
   * EXIF orientation of a still, 1 where its pixels are stored upright. Missing in records of older analyses.
   */
  orientation: Type.Optional(Type.Integer({ minimum: 1, maximum: 8 })),
  /** Missing where there is no XMP, and in records of older analyses. */
  xmp: Type.Optional(Xmp),
  /** Fault of the file's times, for a person. */
  warning: Type.Optional(Type.String()),
});
export type Probe = Static<typeof Probe>;
export type VideoStream = Static<typeof VideoStream>;

/** Frames per second to a thousandth, as people write it: 29.97, 23.976; null when the file does not say. */
export function rateOf(rate: Rational | undefined): number | null {
  return rate && rate.num > 0 ? Math.round((1000 * rate.num) / rate.den) / 1000 : null;
}

/** Clocks that were never set begin here: QuickTime, Unix, FAT, Matroska. */
const clockStarts = ['1904-01-01', '1970-01-01', '1980-01-01', '2001-01-01'].map((day) => Date.parse(day));
const DAY_MS = 86_400_000;

/**
 * True if a date in ISO 8601 is that of a clock that was never set: within a day of 1904 or 1970, which also
 * covers time zones, or exactly another start.
 */
export function isUnsetDate(text: string): boolean {
  const hasZone = /(Z|[+-]\d\d:\d\d)$/.test(text);
  const at = Date.parse(text.includes('T') && !hasZone ? `${text}Z` : text);
  return clockStarts.some((start, i) =>
    i < 2 ? Math.abs(at - start) < DAY_MS : text.includes('T') && at === start,
  );
}

export const FileIdentity = Type.Object({
  hash_str: Type.String(),
  size_bytes: Type.Integer(),
  /** Milliseconds since 1970, as `modifiedMs` makes them. */
  mtime_ms: Type.Number(),
  inode: Type.String(),
  /**
   * Time of the last change of content, name or rights, which no program can set back; as `mtime_ms`. Missing
   * in records of older analyses.
   */
  ctime_ms: Type.Optional(Type.Number()),
  /** Result of `digest`; only for contents that were compared with another of the same hash. */
  content_digest: Type.Optional(Type.String()),
});
export type FileIdentity = Static<typeof FileIdentity>;

/** Time of the last change, rounded down to µs: a number cannot hold the nanoseconds exactly. */
export function modifiedMs({ mtimeNs }: { readonly mtimeNs: bigint }): number {
  return Number(mtimeNs / 1000n) / 1000;
}

/** The same of `ctime_ms`. */
export function changedMs({ ctimeNs }: { readonly ctimeNs: bigint }): number {
  return Number(ctimeNs / 1000n) / 1000;
}

/**
 * How a picture is scaled to a model's input size. Filled into a slot as width×height×3 RGB bytes, row by
 * row.
 */
export const PictureShape = Type.Object({
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
  /** `stretch`: both sides to size. `cover`: shortest side to size, then a centre crop. */
  fit: Type.Union([Type.Literal('stretch'), Type.Literal('cover')]),
  resample: Type.Union([Type.Literal('area'), Type.Literal('bilinear'), Type.Literal('bicubic')]),
  /**
   * Black bars around the picture are left out before it is scaled: those of the whole film, or those of a
   * still.
   */
  trim_bars: Type.Optional(Type.Boolean()),
});
export type PictureShape = Static<typeof PictureShape>;

/** In px. */
export const PictureSize = Type.Object({
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
});
export type PictureSize = Static<typeof PictureSize>;

export const PreviewShape = Type.Object({
  max_side: Type.Integer({ minimum: 16 }),
  /** JPEG quality 1-100. */
  quality: Type.Integer({ minimum: 1, maximum: 100 }),
});
export type PreviewShape = Static<typeof PreviewShape>;

export const DecodeMode = Type.Union([Type.Literal('exact'), Type.Literal('keyframes')]);
export type DecodeMode = Static<typeof DecodeMode>;

export const GridFrame = Type.Object({
  /** Index on the 1-per-second grid. */
  frame_index: Type.Integer({ minimum: 0 }),
  /** Presentation time of the picture shown at that second, relative to the start of the video. */
  seconds: Type.Number(),
  picture: SlotHandle,
  /** The same picture in each of the `further_shapes`, in their order; missing when none was asked for. */
  further_pictures: Type.Optional(Type.Array(SlotHandle)),
  /** JPEG, *moved*; null when no preview was asked for. */
  preview: Nullable(Bytes),
  /** Parts of the picture are missing, because the file is damaged or incomplete. */
  is_damaged: Type.Optional(Type.Literal(true)),
  /** The pictures since the frame before, where they were asked for and nothing prevents it. */
  small: Type.Optional(SmallPictures),
});
export type GridFrame = Static<typeof GridFrame>;

/** The picture of one moment as JPEG. */
export const MomentPicture = Type.Object({
  /** Index of the moment in the request. */
  moment: Type.Integer({ minimum: 0 }),
  /** Presentation time of the picture, relative to the start of the video. */
  seconds: Type.Number(),
  /** *Moved*. */
  jpeg: Bytes,
});
export type MomentPicture = Static<typeof MomentPicture>;

/** The pictures of a part of a film, in the order in which they are shown. */
export const PartPictures = Type.Object({
  /** Index of the part in the request. */
  part: Type.Integer({ minimum: 0 }),
  /** Presentation time of each, relative to the start of the video. */
  seconds: Type.Array(Type.Number()),
  /** n×height×width×3: red, green and blue, *moved*. */
  pictures: Bytes,
});
export type PartPictures = Static<typeof PartPictures>;

/** Samples per second of all sound that the decoder delivers. */
export const soundRate = 16_000;

/**
 * Consecutive samples of one channel. The blocks of a channel follow each other without a gap, from sample 0
 * on.
 */
export const SoundBlock = Type.Object({
  /** Position in the list of channels asked for; 0 for the downmix. */
  channel: Type.Integer({ minimum: 0 }),
  /** Position in samples at 16 kHz; 0 is the 0 of the picture grid. */
  first_sample: Type.Integer({ minimum: 0 }),
  count: Type.Integer({ minimum: 1 }),
  /** `count` f32, −1 to 1, at the start of the slot. */
  samples: SlotHandle,
});
export type SoundBlock = Static<typeof SoundBlock>;

/** `HH:MM:SS` of a moment; fractions are cut off, hours do not wrap at 24 or 100. */
export function clockTime(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(Math.floor(seconds) % 60)}`;
}

export const decoderContract = contract(
  'decoder',
  {
    /** `pace`: whether the rate of a film varies, too; reads some of its packets. */
    probe: ask(Type.Object({ path: Type.String(), pace: Type.Optional(Type.Boolean()) }), Probe),
    identify: ask(Type.Object({ path: Type.String() }), FileIdentity),
    /**
     * One part of the digest of a content, by which two files of the same hash are told apart; `before`: what
     * the part before it came to, empty for the first one. In parts, so that other questions come in between.
     * The size is not in it.
     */
    digest: ask(
      Type.Object({ path: Type.String(), part: Type.Integer({ minimum: 0 }), before: Type.String() }),
      Type.Object({
        digest: Type.String(),
        parts: Type.Integer({ minimum: 1 }),
        /** Which file it was. */
        size_bytes: Type.Integer(),
        mtime_ms: Type.Number(),
        inode: Type.String(),
      }),
    ),
    /**
     * Every grid frame from `from_frame` on, in order. Frames that cannot be decoded are left out. A frame
     * fills a slot for `shape` and one for each further shape.
     */
    frames: feed(
      Type.Object({
        path: Type.String(),
        shape: PictureShape,
        /**
         * For other consumers of the same pass. A picture does not depend on which other shapes are asked
         * for.
         */
        further_shapes: Type.Optional(Type.Array(PictureShape)),
        preview: Nullable(PreviewShape),
        mode: DecodeMode,
        from_frame: Type.Integer({ minimum: 0 }),
        small: Type.Optional(SmallRequest),
        /** Sections of a film for this one of several decoders, instead of all. */
        sections: Type.Optional(SectionsOf),
      }),
      GridFrame,
      { slots: ({ further_shapes = [] }) => 1 + further_shapes.length },
    ),
    /**
     * Pictures that were stored as JPEG, in the order given, as frames whose `seconds` are their index; what
     * is not a picture is left out. Each fills slots as in `frames`. `preview`: with the JPEG itself.
     */
    stored_frames: feed(
      Type.Object({
        frames: Type.Array(Type.Object({ frame_index: Type.Integer({ minimum: 0 }), jpeg: Bytes })),
        shape: PictureShape,
        further_shapes: Type.Optional(Type.Array(PictureShape)),
        preview: Type.Boolean(),
        /** Bars of a film, which shapes without bars leave out. */
        bars: Type.Optional(Nullable(BarShares)),
      }),
      GridFrame,
      { slots: ({ further_shapes = [] }) => 1 + further_shapes.length },
    ),
    /**
     * The black bars that such pictures of one film have together, as shares of the sides; null without. In
     * `stored_frames` they take the place of those of each picture.
     */
    stored_bars: ask(Type.Object({ jpegs: Type.Array(Bytes) }), Type.Object({ bars: Nullable(BarShares) })),
    /** Size of a picture that was stored as JPEG, in px; null for what is not a picture. */
    stored_size: ask(Type.Object({ jpeg: Bytes }), Nullable(PictureSize)),
    /** The picture shown at `seconds` (ignored for a still), into a slot that the caller owns. */
    picture: ask(
      Type.Object({
        path: Type.String(),
        seconds: Type.Number({ minimum: 0 }),
        shape: PictureShape,
        preview: Nullable(PreviewShape),
        picture: SlotHandle,
      }),
      Type.Object({
        seconds: Type.Number(),
        preview: Nullable(Bytes),
        /** Black bars were left out. */
        trimmed: Type.Boolean(),
      }),
    ),
    /**
     * The pictures shown at several moments, in one pass over the file; a still is the same at each. Moments
     * after the end and those whose picture cannot be decoded are left out.
     */
    moments: feed(
      Type.Object({
        path: Type.String(),
        /** Ascending. */
        seconds: Type.Array(Type.Number({ minimum: 0 })),
        preview: PreviewShape,
      }),
      MomentPicture,
    ),
    /**
     * Every picture that begins to be shown within the parts of a film (seconds, both ends included),
     * scaled to `width` by `height`. `parts`: ascending by their beginning; they may overlap. Decoded in
     * software. None for a film whose packets have no times.
     */
    part_pictures: feed(
      Type.Object({
        path: Type.String(),
        parts: Type.Array(FilmPart, { minItems: 1 }),
        width: Type.Integer({ minimum: 1 }),
        height: Type.Integer({ minimum: 1 }),
      }),
      PartPictures,
    ),
    /**
     * The sound at 16 kHz, decoded once. `channels`: counted from 1 over all audio tracks, each delivered
     * separately; null mixes the default track and those recorded with it down to one. Gaps in the file
     * become zeros. NO_SOUND, NO_CHANNEL.
     */
    sound: feed(
      Type.Object({ path: Type.String(), channels: Nullable(Type.Array(Type.Integer({ minimum: 1 }))) }),
      SoundBlock,
      { slots: true },
    ),
    /**
     * The events of one embedded text track, ascending. `header`: that of an ASS script or WebVTT.
     * NO_SUBTITLES.
     */
    subtitles: ask(
      Type.Object({ path: Type.String(), stream_index: Type.Integer({ minimum: 0 }) }),
      Type.Object({
        codec: Type.String(),
        header: Nullable(Type.String()),
        cues: Type.Array(
          Type.Object({ start_seconds: Type.Number(), end_seconds: Type.Number(), text: Type.String() }),
        ),
      }),
    ),
    /**
     * JPEG pictures scaled down to at most `max_side` on the longest side, *copied*; null for what is not a
     * picture.
     */
    shrink: ask(
      Type.Object({ jpegs: Type.Array(Bytes), preview: PreviewShape }),
      Type.Object({ jpegs: Type.Array(Nullable(Bytes)) }),
    ),
    ...sectionMessages,
    ...peakMessages,
    ...timesMessages,
    ...clipMessages,
  },
  // Decoding blocks its thread, so a second turn would only slow the first one down.
  { concurrency: 1 },
);
