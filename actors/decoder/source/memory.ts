// Memory for a still or for the index of a film, out of the budget that all decoders share.
import type { Turn } from '../../../runtime/actor.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { mediaErrors } from '../contract.ts';
import type { Size } from './coded-size.ts';

export interface Needs {
  readonly path: string;
  /** What needs the memory, as in "its picture". */
  readonly what: string;
  /** Of the error. */
  readonly details: Readonly<Record<string, number>>;
}

/** To be decoded. */
export function pictureOf({ path, width, height }: Size & { readonly path: string }): Needs {
  return { path, what: `its picture of ${width}x${height}`, details: { width, height } };
}

/** Waits until so many bytes may be used; the answer gives them back. Errors: TOO_LARGE, CANCELLED. */
export async function reserveFor(
  { path, what, details }: Needs,
  bytes: number,
  turn: Pick<Turn, 'reserve'>,
): Promise<() => void> {
  try {
    return await turn.reserve(Math.ceil(bytes));
  } catch (error) {
    if (!engineErrors.OVER_BUDGET.is(error)) throw error;
    const limit = Number(error.details.limit);
    throw mediaErrors.TOO_LARGE(
      `${path}: ${what} needs about ${megabytes(bytes)} MB of memory to be decoded, and the setting still_memory_mb ` +
        `allows ${megabytes(limit)}`,
      { path, ...details, needed_bytes: Math.ceil(bytes), limit_bytes: limit },
      error,
    );
  }
}

/** In the unit of the setting. */
function megabytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}
