// License keys: their text, their hash, and an id that may appear in logs.
import { hash } from 'node:crypto';

/** Random bytes of an issued key: too many to be guessed, so a plain hash is safe to store. */
export const KEY_BYTES = 32;
const PREFIX = 'fh_';
const LONGEST = 1024;

/**
 * `random`: KEY_BYTES bytes of a secure source. The tier is not part of the text: it can change, and text can
 * be forged.
 */
export function keyText(random: Uint8Array): string {
  return PREFIX + Buffer.from(random).toString('base64url');
}

/** SHA-256, 64 hex digits. Stored and cached in place of the key. */
export function hashOf(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Compares in constant time, the lengths apart. */
export function isSameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let differs = 0;
  for (let at = 0; at < a.length; at++) differs |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return differs === 0;
}

/** Names a key in lists, logs and file names without revealing it. */
export function idOf(keyHash: string): string {
  return keyHash.slice(0, 12);
}

/** Why a text cannot be a key, without asking a license server; undefined when it can. */
export function shapeProblem(key: string): string | undefined {
  if (/^Bearer\s/i.test(key)) return 'Send the license key alone, without "Bearer"';
  if (/^(["']).*\1$/.test(key)) return 'Send the license key alone, without quotes';
  if (key.length > LONGEST) return 'The text is too long to be a license key';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\x00-\x20\x7f]/.test(key)) return 'A license key has no spaces or control characters';
  return undefined;
}
