// Knows the keys issued on this machine. Their folder is looked at again at most once a second, so a key that is
// issued or revoked beside a running service counts a moment later.
import type { Log } from '../../runtime/log.ts';
import type { Validator } from './licenses.ts';
import { finder, folderState, type Issued, readKeys } from './store.ts';
import type { Finding } from './verdict.ts';

/** The clock of a file system may tick this slowly: a folder changed so lately may change again unseen. */
const COARSEST_TICK_MS = 2_500;

/** `now`: Unix ms. Throws INVALID_CONFIG when the keys cannot be read; a damaged file is told to the log and opens nothing. */
export function localKeys(folder: string, now: () => number, log: Log): Validator {
  let seen = '';
  let find = finder([]);
  let unreadable = false;
  let told = '';

  const read = (): void => {
    const { mark, at } = folderState(folder);
    const stored = readKeys(folder);
    seen = Math.abs(now() - at) < COARSEST_TICK_MS ? `${mark}?` : mark;
    find = finder(stored.keys);
    const damaged = stored.damaged.map(({ file, message }) => `${file} ${message}`);
    if (damaged.length > 0 && damaged.join() !== told) log.error('license keys are damaged', { damaged });
    told = damaged.join();
  };
  read();
  return {
    validate: (_key, keyHash) =>
      unreadable
        ? { kind: 'invalid', message: 'The license keys of this machine cannot be read; the log says why' }
        : judge(find(keyHash), now()),
    changed: () => {
      try {
        if (!unreadable && folderState(folder).mark === seen) return false;
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

function judge(issued: Issued | undefined, now: number): Finding {
  if (!issued) return { kind: 'invalid', message: 'The license key is not one of this machine' };
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
