// Memory for the index of a film that FFmpeg makes while it opens a file, out of the budget of all decoders.
import { closeSync, openSync, readSync } from 'node:fs';
import type { Turn } from '../../../../runtime/actor.ts';
import { mediaErrors } from '../../contract.ts';
import { cannotOpen } from '../file-stamp.ts';
import { reserveFor } from '../memory.ts';
import type { PacketTurn } from '../packet-checkpoint.ts';
import { FileBytes } from './file-bytes.ts';
import { EmptyPromise, type Promised, promisedByMp4 } from './mp4-index.ts';

/**
 * An index as films of some hours have it is part of what a decoder takes; only a longer one waits for the
 * budget.
 */
const ordinary = 64 * 2 ** 20;

/** Turns that hold memory for an index. */
const holding = new WeakSet<object>();

/**
 * Waits until the index of the file may be made; the answer gives its memory back. Errors: FILE_UNREADABLE,
 * TOO_MANY_FILES, NOT_MEDIA for a file that promises more than its bytes can hold, TOO_LARGE, CANCELLED.
 */
export async function reserveIndex(
  path: string,
  size: number,
  turn: PacketTurn & Pick<Turn, 'reserve'>,
): Promise<() => void> {
  const { samples, memory } = promisedBy(path, size, turn);
  // A turn reads some films by several sources. One that waited for more while it holds some might wait for
  // itself; so the sources after the first go without, a few for each of the turns that the budget lets go
  // on.
  if (memory <= ordinary || holding.has(turn)) return () => {};
  const what = `the index of the ${samples} samples that it declares`;
  const release = await reserveFor({ path, what, details: { samples } }, memory, turn);
  holding.add(turn);
  return () => {
    holding.delete(turn);
    release();
  };
}

function promisedBy(path: string, size: number, turn: PacketTurn): Promised {
  const file = openForReading(path);
  try {
    const bytes = new FileBytes(size, (into, position) => readSync(file, into, 0, into.length, position));
    return promisedByMp4(bytes, () => turn.throwIfCancelled());
  } catch (error) {
    if (!(error instanceof EmptyPromise)) throw error;
    const text = `${path}: it is damaged: it declares ${error.message}, more than fit in its ${size} bytes`;
    throw mediaErrors.NOT_MEDIA(text, { path });
  } finally {
    closeSync(file);
  }
}

function openForReading(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw cannotOpen(path, error as NodeJS.ErrnoException);
  }
}
