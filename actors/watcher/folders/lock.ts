// The lock of what several engines keep in one home folder, with the errors of watch folders.
import type { Clock } from '../../../runtime/clock.ts';
import { codeOf } from '../../../runtime/files/error-code.ts';
import { underLock } from '../../../runtime/files/lock.ts';
import { watchErrors } from './contract.ts';

/** See `underLock`. WATCH_FOLDERS_UNWRITABLE. */
export function withLock<T>(path: string, clock: Clock, change: () => T): Promise<T> {
  return underLock(path, { clock, refused }, change);
}

export function unwritable(path: string, error: unknown) {
  return refused(`${path} cannot be written (${codeOf(error) || String(error)})`, path, error);
}

function refused(what: string, path: string, cause?: unknown) {
  return watchErrors.WATCH_FOLDERS_UNWRITABLE(what, { path }, cause);
}
