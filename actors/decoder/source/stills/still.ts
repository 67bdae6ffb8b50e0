// What a reader of stills answers: facts from the header, and the way to decode the picture. Nothing is
// decoded by opening.
import type { Sharp } from 'sharp';
import type { EngineError } from '../../../../runtime/errors.ts';
import { mediaErrors, type Probe } from '../../contract.ts';
import type { Size } from '../coded-size.ts';

/** Largest image that is opened, in px; 16384 × 16384 is 268 million. */
export const maxStillPixels = 1_000_000_000;

/** Size: as shown, upright. */
export interface Still extends Size {
  readonly path: string;
  /** Name of the format for people: `JPEG`. */
  readonly format: string;
  /** Name of the format in a probe: `jpeg`. */
  readonly container: string;
  readonly samples: NonNullable<Probe['still']>;
  /** The EXIF block; empty where there is none. */
  readonly exif: Uint8Array;
  /** Bytes that decoding takes at most, for a picture that is reduced to this size. */
  memory(reduced: Size): number;
  /**
   * Reads what has to be read before scaling. The answer makes one pipeline of sharp for each call: the
   * upright picture in colours of any kind, with or without transparency. Used by `decodeStill` alone.
   */
  decode(): Promise<() => Sharp>;
}

/** Throws TOO_LARGE for a size that no reader opens, and DECODE_FAILED for none at all. */
export function expectSize(path: string, format: string, { width, height }: Size): void {
  if (!(width > 0 && height > 0)) throw damaged(path, format, `says that it has ${width}x${height} pixels`);
  if (width * height > maxStillPixels) {
    throw mediaErrors.TOO_LARGE(`${path}: ${width}x${height} is too large`, { path, width, height });
  }
}

/** The header or the data of the file is not as its format says. `what`: "its … {what}", for a person. */
export function damaged(path: string, format: string, what: string, cause?: unknown): EngineError {
  return mediaErrors.DECODE_FAILED(`${path}: its ${format} ${what}`, { path, format }, cause);
}

/**
 * The file is as it should be, but nothing here reads this kind of picture. `what`: for example "LZMA
 * compression".
 */
export function unsupported(path: string, format: string, what: string): EngineError {
  return mediaErrors.UNSUPPORTED_CODEC(`${path}: ${format} with ${what} is not supported`, { path, format });
}
