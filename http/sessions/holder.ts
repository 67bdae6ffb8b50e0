// For whom a ticket or a session stands: for a license key, or for whoever can read the home folder.
import { seal, unseal } from './secret.ts';

export interface Holder {
  /** Null: the owner of the home folder. */
  readonly key: string | null;
  /** The analysis folder that a page begins with; null is the default one. */
  readonly cacheDir: string | null;
}

/** A holder as it is kept: the license key is sealed under the secret that stands for it. */
export interface SealedHolder {
  readonly sealed: string | null;
  readonly cacheDir: string | null;
}

export function sealHolder({ key, cacheDir }: Holder, secret: string, random: Uint8Array): SealedHolder {
  return { sealed: key === null ? null : seal(key, secret, random), cacheDir };
}

/** Undefined when it is not what was sealed. */
export function unsealHolder({ sealed, cacheDir }: SealedHolder, secret: string): Holder | undefined {
  if (sealed === null) return { key: null, cacheDir };
  const key = unseal(sealed, secret);
  return key === undefined ? undefined : { key, cacheDir };
}
