// What the export of clips takes and answers.
import { type Static, Type } from 'typebox';
import { described } from '../../../runtime/schema.ts';
import { type ClipMade, ClipMode } from '../../decoder/clips/contract.ts';

/** Clips of one request. */
export const mostClips = 1000;

export interface ClipSpec {
  /** A clip of a path that is not absolute fails. */
  readonly media_path: string;
  /** Seconds from the start of the file; the end is not part of the clip. */
  readonly start_seconds: number;
  readonly end_seconds: number;
  /** Name of the file, with its ending or without; made from that of the source when left out. */
  readonly output_name?: string;
}

export interface ClipsRequest {
  /** Absolute; made when it is not there. */
  readonly output_dir: string;
  /** Folders above it are made where they are missing. */
  readonly create_folders?: boolean | undefined;
  readonly mode: ClipMode;
  readonly clips: readonly ClipSpec[];
}

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);

export const ClipResult = Type.Object({
  success: Type.Boolean(),
  error: described(Nullable(Type.String()), 'Why the clip failed; null on success.'),
  media_path: Type.String(),
  start_seconds: described(Type.Number(), 'The requested start and end.'),
  end_seconds: Type.Number(),
  output_path: Nullable(Type.String()),
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
    Type.Optional(Nullable(Type.String())),
    'Encoder of the pictures: `libx264`, `libopenh264`, or an encoder of a device such as `h264_nvenc`; null if no ' +
      'pictures were encoded.',
  ),
  mode_used: described(
    Type.Optional(ClipMode),
    'How the clip was cut: `precise` if `smart` was not possible.',
  ),
  mode_reason: described(
    Type.Optional(Nullable(Type.String())),
    'Why the mode differs from the requested one; null if it does not.',
  ),
});
export type ClipResult = Static<typeof ClipResult>;

export const ClipsAnswer = Type.Object({
  results: described(Type.Array(ClipResult), 'One result for each clip, in the order of the request.'),
  summary: described(
    Type.Object({
      total: Type.Integer(),
      succeeded: described(Type.Integer(), 'Number of clips that were written.'),
      failed: Type.Integer(),
    }),
    'Number of requested clips.',
  ),
  output_dir: described(Type.String(), 'Path of the output folder.'),
});
export type ClipsAnswer = Static<typeof ClipsAnswer>;

export interface ClipWritten extends ClipMade {
  /** Absolute. */
  readonly output_path: string;
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
  /** Those of them that were made in software because the encoder of a device failed, by that encoder. */
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
