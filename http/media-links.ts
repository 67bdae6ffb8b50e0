// Addresses of the bytes of single media, for a page: `<video>` and `<img>` send no key. An address names no path, cannot be
// guessed, is of one content of one analysis folder, and expires. It ends with the service, and with the license key or the
// session by which it was made.
import { createHmac, randomBytes } from 'node:crypto';
import { errorTable } from '../runtime/errors.ts';
import { hashOf } from './license/key.ts';
import type { Access } from './sessions/access.ts';
import { SECRET_BYTES, seal, unseal } from './sessions/secret.ts';

export const linkErrors = errorTable({
  LINK_UNKNOWN: { meaning: 'Link not found', status: 404, retryable: false },
});

/** A content of an analysis folder. */
export interface LinkedMedia {
  readonly cache_dir: string;
  readonly hash_str: string;
  /** Its proxy, and not the file itself. */
  readonly proxy?: boolean;
}

export interface MediaLinks {
  /**
   * The same one for the same media and credential within the hour, so that a browser keeps what it has. `credential`: what the
   * request was sent with. `expires`: Unix ms.
   */
  make(media: LinkedMedia, credential: string): { readonly link: string; readonly expires: number };
  /**
   * Throws LINK_UNKNOWN for what was never made, has expired, was pushed out by very many others, or was made by what does not
   * open the service any more.
   */
  open(link: string): Promise<LinkedMedia>;
}

/** As other secrets of this program begin, which logs take out. */
const PREFIX = 'fhm_';
const HOUR_MS = 3_600_000;
/** Links kept. */
const MOST = 50_000;

interface Kept extends LinkedMedia {
  readonly expires: number;
  /** The credential, sealed under the link: the memory without a link gives no key away. */
  readonly sealed: string;
}

/** `now`: Unix ms. `check`: whether a credential opens the service. */
export function createMediaLinks(now: () => number, check: Access['check']): MediaLinks {
  const secret = randomBytes(SECRET_BYTES);
  /** By the hash of the link. */
  const known = new Map<string, Kept>();
  return {
    make: ({ cache_dir, hash_str, proxy = false }, credential) => {
      // One hour at least, two at most.
      const expires = (Math.floor(now() / HOUR_MS) + 2) * HOUR_MS;
      const text = JSON.stringify([cache_dir, hash_str, proxy, expires, credential]);
      const link = PREFIX + createHmac('sha256', secret).update(text).digest('base64url');
      const hash = hashOf(link);
      const sealed = known.get(hash)?.sealed ?? seal(credential, link, randomBytes(SECRET_BYTES));
      // The latest last.
      known.delete(hash);
      known.set(hash, { cache_dir, hash_str, proxy, expires, sealed });
      if (known.size > MOST) known.delete(known.keys().next().value!);
      return { link, expires };
    },
    open: async (link) => {
      const hash = hashOf(link);
      const found = known.get(hash);
      if (found && now() < found.expires) {
        const { ok } = await check(unseal(found.sealed, link));
        if (ok) return found;
      } else known.delete(hash);
      throw linkErrors.LINK_UNKNOWN(
        'The link or its license key has expired, or the service was restarted since; request a new link',
      );
    },
  };
}
