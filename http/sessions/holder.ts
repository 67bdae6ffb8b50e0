// For whom a ticket or a session stands: for a license key, or for whoever can read the home folder. Pure.
import { seal, unseal } from './secret.ts';

export type Holder = { readonly key: string } | 'owner';

/** A holder as it is kept: null is the owner, else the license key, sealed under the secret that stands for it. */
export type SealedHolder = string | null;

export function sealHolder(holder: Holder, secret: string, random: Uint8Array): SealedHolder {
  return holder === 'owner' ? null : seal(holder.key, secret, random);
}

/** Undefined when it is not what was sealed. */
export function unsealHolder(sealed: SealedHolder, secret: string): Holder | undefined {
  if (sealed === null) return 'owner';
  const key = unseal(sealed, secret);
  return key === undefined ? undefined : { key };
}
