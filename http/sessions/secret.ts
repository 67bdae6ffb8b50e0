// Secrets that this program gives out: tickets, session tokens, and what the owner of the home folder shows.
// What is kept of one is its hash, and what belongs to it is sealed under it, so that nobody who reads the
// memory or the disk without the secret learns for which license key it stands.
import { createCipheriv, createDecipheriv, hash } from 'node:crypto';

/** Random bytes of a secret: too many to be guessed, so a plain hash is safe to store. */
export const SECRET_BYTES = 32;

/** How a secret begins tells it from a license key, so that it is never sent to a license server. */
export const prefixes = { ticket: 'fht_', session: 'fhs_', owner: 'fho_' } as const;
export type SecretKind = keyof typeof prefixes;

/** `random`: SECRET_BYTES bytes of a secure source. */
export function secretText(kind: SecretKind, random: Uint8Array): string {
  return prefixes[kind] + Buffer.from(random).toString('base64url');
}

/** Null for what is a license key. */
export function kindOf(text: string): SecretKind | null {
  const kinds = Object.keys(prefixes) as SecretKind[];
  return kinds.find((kind) => text.startsWith(prefixes[kind])) ?? null;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** `random`: IV_BYTES bytes at least, other ones for every call. Base64. */
export function seal(text: string, secret: string, random: Uint8Array): string {
  const iv = random.subarray(0, IV_BYTES);
  const cipher = createCipheriv(CIPHER, sealingKey(secret), iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Undefined when it was sealed under another secret, or changed since. */
export function unseal(sealed: string, secret: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  if (tag.length < TAG_BYTES) return undefined;
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv(CIPHER, sealingKey(secret), bytes.subarray(0, IV_BYTES), options);
  decipher.setAuthTag(tag);
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8');
    return text + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

/** Says nothing about the hash by which the secret is looked up, nor that about it. */
function sealingKey(secret: string): Buffer {
  return hash('sha256', `seal ${secret}`, 'buffer');
}
