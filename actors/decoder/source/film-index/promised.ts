// Estimates FFmpeg's memory for the header of a film before FFmpeg opens it.
import { closeSync, openSync, readSync } from 'node:fs';
import { mediaErrors } from '../../contract.ts';
import type { Needs } from '../coded-size.ts';
import { cannotOpen } from '../file.ts';
import type { PacketTurn } from '../packet-checkpoint.ts';
import { FileBytes } from './file-bytes.ts';
import { isMatroska, matroskaHeaderBytes } from './matroska-header.ts';
import { EmptyPromise, promisedByMp4 } from './mp4-index.ts';

/** FFmpeg reads attached files, copies them into their streams, and copies those to look at the streams. */
const attachedCopies = 3;

export interface HeaderNeeds extends Needs {
  /** Bytes. */
  readonly memory: number;
}

/**
 * Errors: FILE_UNREADABLE, TOO_MANY_FILES, NOT_MEDIA for a file that promises more than its bytes can hold,
 * CANCELLED.
 */
export function promisedBy(path: string, size: number, turn: PacketTurn): HeaderNeeds {
  const file = openForReading(path);
  try {
    const bytes = new FileBytes(size, (into, position) => readSync(file, into, 0, into.length, position));
    if (isMatroska(bytes)) {
      const header = matroskaHeaderBytes(bytes);
      const what = `its header with attached files of ${Math.ceil(header / 1e6)} MB`;
      return { path, what, details: { header }, memory: attachedCopies * header };
    }
    const { samples, memory } = promisedByMp4(bytes, () => turn.throwIfCancelled());
    const what = `the index of the ${samples} samples that it declares`;
    return { path, what, details: { samples }, memory };
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
