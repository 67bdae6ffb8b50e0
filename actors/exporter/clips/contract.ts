// Requests for clips and their answers.
import { type Static, Type } from 'typebox';
import { AbsolutePath } from '../../../runtime/paths.ts';
import { described, field, nullable, uncheckedPath } from '../../../runtime/schema.ts';
import { type ClipMade, ClipMode, clipModes } from '../../decoder/clips/contract.ts';
import { EndSeconds, FilePath } from '../../index/store/contract.ts';
import { createFolders } from '../contract.ts';

const mostClips = 1000;

export const ClipSpec = Type.Object({
  media_path: described(
    uncheckedPath(Type.String({ maxLength: 32_768 })),
    'Absolute path on the machine of the service. Clips with a relative path fail.',
  ),
  start_seconds: described(Type.Number(), 'Start of the clip, in seconds from the beginning of the file.'),
  end_seconds: described(
    Type.Number(),
    'End of the clip (exclusive), in seconds. An end after the end of the file counts as the end of the ' +
      'file.',
  ),
  output_name: Type.Optional(
    described(
      Type.String({ minLength: 1, maxLength: 1000 }),
      'Name of the file to write. If omitted, the name is made from the source and the times.',
    ),
  ),
});

export type ClipSpec = Static<typeof ClipSpec>;

export const ClipsRequest = Type.Object({
  output_dir: described(
    AbsolutePath,
    'Absolute path of the output folder. It is created if it does not exist.',
  ),
  ...createFolders,
  clips: described(Type.Array(ClipSpec, { minItems: 1, maxItems: mostClips }), 'The clips to cut.'),
  mode: Type.Unsafe<ClipMode>({
    type: 'string',
    enum: [...clipModes],
    default: 'precise',
    description:
      '`precise`: exact to the picture. `smart`: just as exact but faster, and `precise` where that is not ' +
      'possible. `copy`: fast and lossless, starting at the previous keyframe.',
  }),
});
export type ClipsRequest = Static<typeof ClipsRequest>;

export const ClipResult = Type.Object({
  success: field('Whether the clip was written.', Type.Boolean()),
  error: described(nullable(Type.String()), 'Why the clip failed; null on success.'),
  media_path: FilePath,
  start_seconds: described(Type.Number(), 'The requested start.'),
  end_seconds: EndSeconds,
  output_path: field('Path of the clip; null if it failed.', nullable(Type.String())),
  start_seconds_actual: described(
    Type.Optional(Type.Number()),
    'Actual start: the time of the first picture; with `copy`, the time of the previous keyframe.',
  ),
  end_seconds_actual: described(
    Type.Optional(Type.Number()),
    'Actual end. With `copy` it can be some pictures later, if the pictures before need them.',
  ),
  frame_count: described(Type.Optional(Type.Integer()), 'Number of pictures in the clip; 0 for sound.'),
  encoder: described(
    Type.Optional(nullable(Type.String())),
    'Encoder of the pictures: `libx264`, `libopenh264`, or an encoder of a device such as `h264_nvenc`; null if no ' +
      'pictures were encoded.',
  ),
  mode_used: described(
    Type.Optional(ClipMode),
    'How the clip was cut: `precise` if `smart` was not possible.',
  ),
  mode_reason: described(
    Type.Optional(nullable(Type.String())),
    'Why the mode differs from the requested one; null if it does not.',
  ),
});
export type ClipResult = Static<typeof ClipResult>;

export const ClipsAnswer = Type.Object({
  results: described(Type.Array(ClipResult), 'One result for each clip, in the order of the request.'),
  summary: described(
    Type.Object({
      total: field('Number of requested clips.', Type.Integer()),
      succeeded: described(Type.Integer(), 'Number of clips that were written.'),
      failed: field('Number of clips that failed.', Type.Integer()),
    }),
    'Numbers of clips.',
  ),
  output_dir: described(Type.String(), 'Path of the output folder.'),
});
export type ClipsAnswer = Static<typeof ClipsAnswer>;

export interface ClipWritten extends ClipMade {
  /** Absolute. */
  readonly output_path: string;
}

/** The part of a written clip that answers and task results have in common. */
export function clipFields(clip: ClipMade) {
  return {
    start_seconds_actual: clip.start_seconds,
    end_seconds_actual: clip.end_seconds,
    frame_count: clip.frames,
    encoder: clip.encoder,
    mode_used: clip.mode_used,
    mode_reason: clip.mode_reason,
  };
}

/** Clips that are cut into one folder; those of one name get it in the order in which they were asked for. */
export interface ClipSeries {
  /**
   * Cuts one clip and writes it. Throws why there is none, CANCELLED among it; then nothing is left of it.
   */
  cut(spec: ClipSpec, signal: AbortSignal): Promise<ClipWritten>;
}

/** Clips written since the start, by encoder. */
export interface ClipCounts {
  /** Clips whose pictures were encoded, or some of them, by what encoded them. */
  readonly encoded: ReadonlyMap<string, number>;
  /** Clips made in software because a device's encoder failed, counted by that encoder. */
  readonly failed: ReadonlyMap<string, number>;
}

export interface Clips {
  readonly counts: ClipCounts;
  /** Removes what killed processes left of clips in the folder, which need not exist. Never rejects. */
  begin(request: Omit<ClipsRequest, 'clips'>): Promise<ClipSeries>;
  /**
   * Cuts clips and writes them; what fails is told in the result of its clip, and the others go on. Throws
   * CANCELLED when the signal aborts: then clips that are complete stay, and nothing is left of the others.
   */
  export(request: ClipsRequest, signal: AbortSignal): Promise<ClipsAnswer>;
}
