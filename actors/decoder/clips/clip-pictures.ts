// The pictures of a clip that is being written, however they come about.
import type { ClipFile } from './clip-file.ts';

export interface ClipPictures {
  /**
   * Makes the stream of the clip, up to its first picture. Errors: CLIP_OUTSIDE, CLIP_UNWRITABLE and others.
   */
  open(file: ClipFile): Promise<void>;
  /** Where the clip starts, in seconds of the clock of the streams; known once it is open. */
  readonly origin: number;
  /** Seconds of the clip up to which its pictures are known; Infinity at the end. */
  readonly position: number;
  /** Seconds of the clip at its end; null while it is not known. */
  readonly length: number | null;
  /** In seconds of the source; known at the end. */
  readonly span: { readonly start: number; readonly end: number };
  /** Pictures so far. */
  readonly frames: number;
  /** FFmpeg's name of what encodes them; null where none are encoded. */
  readonly encoder: string | null;
  /** The encoder of a device that could not be opened; null when none failed. */
  readonly failedEncoder: string | null;
  /** Goes on by one picture. */
  step(): Promise<void>;
  close(): Promise<void>;
}
