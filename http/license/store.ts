// The keys issued on this machine: a folder with one small file a key, named by the key's id. A file each, so
// that two processes that issue or revoke at once cannot lose each other's key and need no lock, and damage
// stays with one key.
import { hash, timingSafeEqual } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { codeOf, engineErrors, errorTable } from '../../runtime/errors.ts';
import { privateFile, replaceFile } from '../../runtime/files/atomic-write.ts';
import { readJsonNow } from '../../runtime/files/json-file.ts';

// License keys: their text, their hash, and an id that may appear in logs.

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

export const licenseErrors = errorTable({
  UNKNOWN_LICENSE: { meaning: 'License key not found', status: 404 },
});

export type Tier = 'pro' | 'basic';

/** Times are Unix seconds. */
const IssuedKey = Type.Object({
  version: Type.Literal(1),
  id: Type.String({ pattern: '^[0-9a-f]{12}$' }),
  /** SHA-256 of the key; the key itself is not stored. */
  hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  tier: Type.Union([Type.Literal('pro'), Type.Literal('basic')]),
  name: Type.String(),
  created_at: Type.Integer(),
  expires_at: Type.Union([Type.Integer(), Type.Null()]),
  revoked_at: Type.Union([Type.Integer(), Type.Null()]),
});
export type IssuedKey = Static<typeof IssuedKey>;

interface DamagedFile {
  readonly file: string;
  readonly message: string;
}

interface StoredKeys {
  readonly keys: readonly IssuedKey[];
  /** Files that hold no key that can be read; their keys open nothing. */
  readonly damaged: readonly DamagedFile[];
}

export interface NewKey {
  readonly tier: Tier;
  readonly name: string;
  /** Days from now; null: it does not end. */
  readonly days: number | null;
}

const DAY_SECONDS = 86_400;

/** `random`: KEY_BYTES bytes. `now`: Unix ms. The answer holds the only copy of the key there is. */
export function issueKey(folder: string, { tier, name, days }: NewKey, random: Uint8Array, now: number) {
  const key = keyText(random);
  const hash = hashOf(key);
  const created_at = Math.floor(now / 1000);
  const expires_at = days === null ? null : created_at + Math.round(days * DAY_SECONDS);
  const issued: IssuedKey = {
    version: 1,
    id: idOf(hash),
    hash,
    tier,
    name,
    created_at,
    expires_at,
    revoked_at: null,
  };
  write(folder, issued);
  return { key, issued };
}

/** Oldest first. A folder that is not there holds no keys; one that cannot be read throws INVALID_CONFIG. */
export function readKeys(folder: string): StoredKeys {
  const read = names(folder).map((name) => readKey(folder, name));
  const keys = read.flatMap((entry) => ('hash' in entry ? [entry] : []));
  const damaged = read.flatMap((entry) => ('hash' in entry ? [] : [entry]));
  return { keys: keys.sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1)), damaged };
}

/** `which`: an id or a key. Revoking again changes nothing. Throws UNKNOWN_LICENSE. */
export function revokeKey(folder: string, which: string, now: number): IssuedKey {
  const { keys, damaged } = readKeys(folder);
  const given = which.trim();
  const issued = createKeyLookup(keys)(hashOf(given)) ?? keys.find(({ id }) => id === given.toLowerCase());
  if (!issued) {
    // The text is not repeated: it may be a key of another service.
    const others = damaged.map(({ file, message }) => `; ${file}: ${message}`).join('');
    const message = `this machine has no license key with that id or text; see: framehound license list${others}`;
    throw licenseErrors.UNKNOWN_LICENSE(message);
  }
  if (issued.revoked_at !== null) return issued;
  const revoked = { ...issued, revoked_at: Math.floor(now / 1000) };
  write(folder, revoked);
  return revoked;
}

/**
 * Looks keys up by hash. Compares with every key in constant time, so that timing reveals nothing about them.
 */
export function createKeyLookup(keys: readonly IssuedKey[]): (keyHash: string) => IssuedKey | undefined {
  const digests = keys.map(({ hash }) => Buffer.from(hash, 'hex'));
  return (keyHash) => {
    const expected = Buffer.from(keyHash, 'hex');
    let index = -1;
    for (const [i, digest] of digests.entries()) if (timingSafeEqual(digest, expected)) index = i;
    return keys[index];
  };
}

/** `version` changes with the list of files; empty when there is no folder. `modifiedMs`: Unix ms. */
export function folderState(folder: string): { readonly version: string; readonly modifiedMs: number } {
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stats
    ? { version: `${stats.ino}/${stats.mtimeNs}`, modifiedMs: Number(stats.mtimeMs) }
    : { version: '', modifiedMs: 0 };
}

function write(folder: string, issued: IssuedKey): void {
  const path = join(folder, `${issued.id}.json`);
  try {
    replaceFile(path, `${JSON.stringify(issued, null, 2)}\n`, privateFile);
  } catch (error) {
    throw engineErrors.INVALID_CONFIG(
      `home: the license key cannot be written to ${path} (${codeOf(error)})`,
      {},
      error,
    );
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw engineErrors.INVALID_CONFIG(
      `home: the license keys in ${folder} cannot be read (${codeOf(error)})`,
      {},
      error,
    );
  }
}

function readKey(folder: string, name: string): IssuedKey | DamagedFile {
  const file = join(folder, name);
  try {
    const key = readJsonNow(IssuedKey, file);
    const isValid = key?.id === idOf(key?.hash ?? '') && name === `${key.id}.json`;
    return isValid ? key : { file, message: 'is not a license record' };
  } catch (error) {
    return { file, message: (error as Error).message };
  }
}
