// Addresses of the bytes of single media, for a page: `<video>` and `<img>` send no key. An address names no path, cannot be
// guessed, is of one content of one analysis folder, and expires. It ends with the service.
import { createHmac, randomBytes } from 'node:crypto';
import { errorTable } from '../runtime/errors.ts';

export const linkErrors = errorTable({
  LINK_UNKNOWN: { meaning: 'There is no such link', status: 404, retryable: false },
});

/** A content of an analysis folder. */
export interface LinkedMedia {
  readonly cache_dir: string;
  readonly hash_str: string;
  /** Its proxy, and not the file itself. */
  readonly proxy?: boolean;
}

export interface MediaLinks {
  /** The same one for the same media within the hour, so that a browser keeps what it has. `expires`: Unix ms. */
  make(media: LinkedMedia): { readonly link: string; readonly expires: number };
  /** Throws LINK_UNKNOWN for what was never made, has expired, or was pushed out by very many others. */
  open(link: string): LinkedMedia;
}

/** As other secrets of this program begin, which logs take out. */
const PREFIX = 'fhm_';
const HOUR_MS = 3_600_000;
/** Links kept. */
const MOST = 50_000;

/** `now`: Unix ms. */
export function createMediaLinks(now: () => number): MediaLinks {
  const secret = randomBytes(32);
  const known = new Map<string, LinkedMedia & { readonly expires: number }>();
  return {
    make: ({ cache_dir, hash_str, proxy = false }) => {
      // One hour at least, two at most.
      const expires = (Math.floor(now() / HOUR_MS) + 2) * HOUR_MS;
      const text = JSON.stringify([cache_dir, hash_str, proxy, expires]);
      const link = PREFIX + createHmac('sha256', secret).update(text).digest('base64url');
      // The latest last.
      known.delete(link);
      known.set(link, { cache_dir, hash_str, proxy, expires });
      if (known.size > MOST) known.delete(known.keys().next().value!);
      return { link, expires };
    },
    open: (link) => {
      const found = known.get(link);
      if (found && now() < found.expires) return found;
      known.delete(link);
      throw linkErrors.LINK_UNKNOWN(
        'The link was not made by this run of the service, or has expired; ask for another one',
      );
    },
  };
}
