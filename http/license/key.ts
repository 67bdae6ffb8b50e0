// The text of a license key and what may be known of it: its hash, and an id that may stand in a log. Pure.
import { hash } from 'node:crypto';

/** Random bytes of an issued key: too many to be guessed, so a plain hash of it hides it well. */
export const KEY_BYTES = 32;
const PREFIX = 'fh_';
const LONGEST = 1024;

/** `random`: KEY_BYTES bytes of a good source. The tier is no part of the text: it can change, and text can be forged. */
export function keyText(random: Uint8Array): string {
  return PREFIX + Buffer.from(random).toString('base64url');
}

/** SHA-256, 64 hex digits. In place of the key wherever one is remembered. */
export function hashOf(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Whether two texts are the same, in a time that only tells whether their lengths are. */
export function isSameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let differs = 0;
  for (let at = 0; at < a.length; at++) differs |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return differs === 0;
}

/** Names a key without telling it: in lists, in logs, in file names. */
export function idOf(keyHash: string): string {
  return keyHash.slice(0, 12);
}

/** Why a text cannot be a key, so that nobody has to be asked; undefined when it can. */
export function shapeProblem(key: string): string | undefined {
  if (/^Bearer\s/i.test(key)) return 'Send the license key by itself, without "Bearer"';
  if (/^(["']).*\1$/.test(key)) return 'Send the license key by itself, without quotes';
  if (key.length > LONGEST) return 'The text is too long to be a license key';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\x00-\x20\x7f]/.test(key)) return 'A license key has no spaces or control characters';
  return undefined;
}
