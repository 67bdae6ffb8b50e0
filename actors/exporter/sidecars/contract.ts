// Sidecars: the facts found in each media file, as JSON and XMP for other programs.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../../runtime/errors.ts';
import { AbsolutePath } from '../../../runtime/paths.ts';
import { choiceOf, defaulted, described, field, nullable, oneOf, shown } from '../../../runtime/schema.ts';
import { CacheDir, FilePath } from '../../index/store/contract.ts';
import type { NamedSegment } from '../../index/transcripts/contract.ts';
import type { SeenAnswer } from '../../search/media/contract.ts';
import { createFolders } from '../contract.ts';

export const sidecarErrors = errorTable({
  WHERE: { meaning: 'The request must say where sidecars are written', status: 400 },
  SIDECAR_UNWRITABLE: { meaning: 'The sidecar cannot be written', status: 400 },
  SIDECAR_TAKEN: { meaning: 'Another program wrote the file of that name', status: 400 },
});

export const sidecarFormats = ['json', 'xmp'] as const;
export type SidecarFormat = (typeof sidecarFormats)[number];

export const mostSidecarMedia = 1000;

export const SidecarsRequest = Type.Object({
  cache_dir: CacheDir,
  media_paths: described(
    Type.Array(AbsolutePath, { minItems: 1, maxItems: mostSidecarMedia }),
    'Analysed media files. They may be missing now, unless sidecars are written beside them.',
  ),
  formats: defaulted(
    described(
      Type.Array(oneOf(...sidecarFormats), { minItems: 1, maxItems: 2 }),
      '`json`: what POST /media/seen answers, people and speech, with times. `xmp`: keywords, people and speech as ' +
        'photo and editing programs read them.',
    ),
    [...sidecarFormats],
  ),
  ...choiceOf({
    output_dir: Type.Optional(
      shown(
        described(
          AbsolutePath,
          'Absolute path of the folder that mirrors the library. It is created if it does not exist. Media of a root are in ' +
            'a folder with its name, others in `_` by their absolute path.',
        ),
        '/sidecars',
      ),
    ),
    beside_media: defaulted(
      described(
        Type.Boolean(),
        'Write beside the media files. Exactly one of this and `output_dir` is required.',
      ),
      false,
    ),
  }),
  ...createFolders,
});
export type SidecarsRequest = Static<typeof SidecarsRequest>;

const Count = Type.Integer({ minimum: 0 });

export const SidecarResult = Type.Object({
  media_path: FilePath,
  success: field('Whether all sidecars of the file were written.', Type.Boolean()),
  error: described(nullable(Type.String()), 'Why they were not; null on success.'),
  output_paths: described(Type.Array(Type.String()), 'Paths of the sidecars that were written.'),
  keywords: described(Count, 'Number of keywords in them.'),
  people: described(Count, 'Number of people with a name in them.'),
  segments: described(Count, 'Number of segments of the transcript in them.'),
  warning: Type.Optional(described(Type.String(), 'What is missing in them, and why.')),
});
export type SidecarResult = Static<typeof SidecarResult>;

export const SidecarsAnswer = Type.Object({
  results: described(Type.Array(SidecarResult), 'One result for each file, in the order of the request.'),
  summary: described(
    Type.Object({
      total: described(Count, 'Number of files.'),
      succeeded: described(Count, 'Number of files whose sidecars were written.'),
      failed: described(Count, 'Number of files whose sidecars were not.'),
    }),
    'Numbers of files.',
  ),
});
export type SidecarsAnswer = Static<typeof SidecarsAnswer>;

/** Left, top, width and height as shares of the picture as it is shown. */
export type RelativeBox = readonly [number, number, number, number];

export interface SidecarPerson {
  readonly name: string;
  /** When they are seen: half-open, in seconds, between the edges of shots where these are exact. */
  readonly ranges: readonly (readonly [number, number])[];
  readonly faces: readonly { readonly time_seconds: number; readonly box: RelativeBox }[];
}

/** Content of a sidecar, as plain values that can be sent to another thread. */
export interface SidecarFacts {
  readonly media_path: string;
  readonly hash_str: string;
  readonly kind: 'video' | 'audio' | 'image';
  readonly size_bytes: number;
  readonly duration_seconds: number;
  /** Displayed size, px; 0 for sound. */
  readonly width: number;
  readonly height: number;
  readonly creation_date: string | null;
  readonly camera_make: string | null;
  readonly camera_model: string | null;
  readonly location: string | null;
  /** EXIF orientation of a still, 1 to 8; null if unknown and for other media. */
  readonly orientation: number | null;
  /** Keywords of the XMP, things detected with certainty, and sounds. */
  readonly keywords: readonly string[];
  /** Named by people who use this program. */
  readonly people: readonly SidecarPerson[];
  /** Names that XMP had. */
  readonly people_in_xmp: readonly string[];
  readonly seen: Pick<SeenAnswer, 'things' | 'shots' | 'lines' | 'sounds'>;
  /** Null without a transcript. */
  readonly transcript: readonly NamedSegment[] | null;
}

export interface Sidecars {
  /**
   * Writes the sidecars of each file; one that fails is a result, and the others go on. A file of the same
   * name is replaced only where this program wrote it. Throws WHERE, SIDECAR_UNWRITABLE for an output folder
   * that is not there, and the errors of the store; CANCELLED, then the sidecars that are complete stay.
   */
  make(request: SidecarsRequest, signal: AbortSignal): Promise<SidecarsAnswer>;
  /** Ends the thread, and what it writes. */
  close(): Promise<void>;
}
