// Turns errors of the operating system and of LMDB into errors of the store that name the file.
import { EngineError, reasonOf } from '../../../runtime/errors.ts';
import { storeErrors } from './contract.ts';

export type AccessKind = 'read' | 'write';

const full = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const denied = new Set(['EROFS', 'EACCES', 'EPERM']);
// lmdb-js gives some codes as numbers only: errno values, and LMDB's own below -30000.
const numbered: ReadonlyMap<number, string> = new Map([
  [28, 'ENOSPC'],
  [122, 'EDQUOT'],
  [27, 'EFBIG'],
  [30, 'EROFS'],
  [13, 'EACCES'],
  [1, 'EPERM'],
  [2, 'ENOENT'],
  [5, 'EIO'],
]);
/** MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_PANIC, MDB_VERSION_MISMATCH, MDB_INVALID. */
const damagedCodes = new Set([-30797, -30796, -30795, -30794, -30793]);

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'number') {
    if (damagedCodes.has(code)) return 'DAMAGED';
    return numbered.get(Math.abs(code)) ?? String(code);
  }
  if (typeof code === 'string') return code;
  const message = error instanceof Error ? error.message : '';
  if (/no space left/i.test(message)) return 'ENOSPC';
  if (/read-only file system|permission denied/i.test(message)) return 'EACCES';
  if (/MDB_(CORRUPTED|PAGE_NOTFOUND|INVALID|VERSION_MISMATCH|PANIC)/.test(message)) return 'DAMAGED';
  return '';
}

/** The error to throw for `error`, met while reading or writing `file`. An EngineError passes unchanged. */
export function storeFault(error: unknown, file: string, doing: AccessKind): EngineError {
  if (error instanceof EngineError) return error;
  const code = codeOf(error);
  const reason = reasonOf(error);
  const details = { file, reason };
  if (full.has(code)) return storeErrors.STORE_FULL(`No space left to write ${file}`, details, error);
  if (denied.has(code) && doing === 'write') {
    return storeErrors.STORE_READ_ONLY(`${file} cannot be written: ${reason}`, details, error);
  }
  if (code === 'ENOENT' && doing === 'read') {
    // Every file that is read is named by a record, so its absence is damage.
    return storeErrors.STORE_DAMAGED(`${file} is missing`, details, error);
  }
  // A write that failed changed nothing that is visible.
  if (code === 'DAMAGED' || (code === 'EIO' && doing === 'read')) {
    return storeErrors.STORE_DAMAGED(`${file} is damaged: ${reason}`, details, error);
  }
  return storeErrors.STORE_UNAVAILABLE(
    `${file} cannot be ${doing === 'read' ? 'read' : 'written'}: ${reason}`,
    details,
    error,
  );
}

export function damaged(file: string, what: string): EngineError {
  return storeErrors.STORE_DAMAGED(`${file} is damaged: ${what}`, { file, reason: what });
}

/** Error for damaged records, without which nothing in the folder can be read. */
export function damagedRecords(file: string, what: string): EngineError {
  return damaged(file, `${what}. Restore the folder from a backup, or move it away and analyse again`);
}

/** True for ENOENT, also when it is the cause of an EngineError. */
export function isMissing(error: unknown): boolean {
  if (error instanceof EngineError) return isMissing(error.cause);
  return codeOf(error) === 'ENOENT';
}

export function replaced(file: string): EngineError {
  return storeErrors.STORE_REPLACED(
    `${file} was removed or replaced while it was open; uncommitted changes are lost. Try again`,
    { file },
  );
}

/** Null when what is read is damaged, of which `broken` is told. */
export function readable<T>(read: () => T, broken: (error: Error) => void = () => {}): T | null {
  try {
    return read();
  } catch (error) {
    if (!storeErrors.STORE_DAMAGED.is(error)) throw error;
    broken(error);
    return null;
  }
}

/**
 * A file named by a record can be replaced between the two reads by the writing process: then both are read
 * again.
 */
export function readAgain<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isMissing(error)) throw error;
    return read();
  }
}
