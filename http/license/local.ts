// Validates the keys issued on this machine. Their folder is checked for changes at most once a second, so a
// key that is issued or revoked while the service runs takes effect a moment later.
import type { Log } from '../../runtime/log.ts';
import type { KeyValidation } from './decision.ts';
import type { Validator } from './licenses.ts';
import { createKeyLookup, folderState, type IssuedKey, readKeys } from './store.ts';

/**
 * Coarsest time stamps of a file system: a folder changed so recently may change again under the same stamp.
 */
const COARSEST_TICK_MS = 2_500;

/**
 * `now`: Unix ms. Throws INVALID_CONFIG when the keys cannot be read; a damaged file is logged and opens
 * nothing.
 */
export function localKeys(folder: string, now: () => number, log: Log): Validator {
  let seenVersion = '';
  let lookUp = createKeyLookup([]);
  let unreadable = false;
  let logged = '';

  const read = (): void => {
    const { version, modifiedMs } = folderState(folder);
    const stored = readKeys(folder);
    seenVersion = Math.abs(now() - modifiedMs) < COARSEST_TICK_MS ? `${version}?` : version;
    lookUp = createKeyLookup(stored.keys);
    const damaged = stored.damaged.map(({ file, message }) => `${file} ${message}`);
    if (damaged.length > 0 && damaged.join() !== logged) log.error('license keys are damaged', { damaged });
    logged = damaged.join();
  };
  read();
  return {
    validate: (_key, keyHash) =>
      unreadable
        ? {
            kind: 'invalid',
            message: 'The license keys of this machine cannot be read; see the log for the reason',
          }
        : validationOf(lookUp(keyHash), now()),
    changed: () => {
      try {
        if (!unreadable && folderState(folder).version === seenVersion) return false;
        read();
        unreadable = false;
      } catch (error) {
        if (unreadable) return false;
        unreadable = true;
        log.error('the license keys cannot be read', { folder, error });
      }
      return true;
    },
    close: () => {},
  };
}

function validationOf(issued: IssuedKey | undefined, now: number): KeyValidation {
  if (!issued)
    return {
      kind: 'invalid',
      message:
        'The license key was not issued on this machine; to issue one: framehound license issue --tier pro',
    };
  if (issued.revoked_at !== null)
    return { kind: 'invalid', message: `The license key was revoked on ${day(issued.revoked_at)}` };
  const until = issued.expires_at === null ? Number.POSITIVE_INFINITY : issued.expires_at * 1000;
  if (now >= until) return { kind: 'invalid', message: `The license key expired on ${day(until / 1000)}` };
  return { kind: 'valid', tier: issued.tier, message: 'OK', until };
}

/** Unix seconds as a date. */
export function day(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
