// Sessions of web pages: who has the token of one may do what the license key may by whose ticket it was
// opened. A session ends when it is not used for half a day; what it stands for is decided anew at each
// request.

import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { codeOf } from '../../runtime/errors.ts';
import { privateFile, replaceFile } from '../../runtime/files/atomic-write.ts';
import { readJsonNow } from '../../runtime/files/json-file.ts';
import { rmSync } from '../../runtime/files/names.ts';
import type { Log } from '../../runtime/log.ts';
import { nullable } from '../../runtime/schema.ts';
import { type DecisionTime, isWithin } from '../license/decision.ts';
import { hashOf } from '../license/store.ts';

// Secrets that this program gives out: tickets, session tokens, and what the owner of the home folder shows.
// Only the hash of a secret is stored, and what belongs to it is sealed under it, so that nobody who reads
// the memory or the disk without the secret learns for which license key it stands.

/** Random bytes of a secret: too many to be guessed, so a plain hash is safe to store. */
export const SECRET_BYTES = 32;

/** How a secret begins tells it from a license key, so that it is never sent to a license server. */
const prefixes = { ticket: 'fht_', session: 'fhs_', owner: 'fho_' } as const;
type SecretKind = keyof typeof prefixes;

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

/** Since the last use, ms. */
const SESSION_MS = 12 * 3_600_000;
/**
 * How long a shared session outlives the service, ms: long enough to start it again, and short because
 * another
 * program may have the port meanwhile.
 */
export const RESTART_MS = 10 * 60_000;
const MOST_SESSIONS = 1_000;
/** How much of the last use may be lost in a crash: a file is not written for every request, ms. */
const KEEP_EVERY_MS = 10 * 60_000;
/**
 * A clock that was set back by more says nothing about the age of a session any more. A smaller step is a
 * correction.
 */
const SET_BACK_MS = 5 * 60_000;

interface Session {
  readonly openedAt: number;
  readonly holder: SealedHolder;
  used: DecisionTime;
  /** Unix ms of the last use that the file tells. */
  keptAt: number;
  /** Unix ms; null while the service runs, and of a session that a stop does not end. */
  stoppedAt: number | null;
}

export class Sessions {
  readonly #time: () => DecisionTime;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #files: SessionFiles;
  /** Sessions by the hash of the token, the longest unused first. */
  readonly #sessions = new Map<string, Session>();

  /** `random`: so many bytes of a secure source. */
  constructor(time: () => DecisionTime, random: (bytes: number) => Uint8Array, files: SessionFiles) {
    this.#time = time;
    this.#random = random;
    this.#files = files;
    const now = time();
    for (const stored of files.read()) {
      const session = restored(stored, now);
      if (!isAlive(session, now)) {
        files.remove(stored.hash);
        continue;
      }
      this.#sessions.set(stored.hash, session);
      if (session.stoppedAt === null) continue;
      session.stoppedAt = null;
      this.#keep(stored.hash, session, false);
    }
    this.#makeRoom(MOST_SESSIONS);
  }

  open(holder: SessionHolder): { token: string; expires: number } {
    const token = secretText('session', this.#random(SECRET_BYTES));
    const hash = hashOf(token);
    const used = this.#time();
    for (const [hash, session] of this.#sessions) if (!isAlive(session, used)) this.#remove(hash);
    this.#makeRoom(MOST_SESSIONS - 1);
    const sealed = sealHolder(holder, token, this.#random(SECRET_BYTES));
    const session: Session = {
      openedAt: used.wall,
      holder: sealed,
      used,
      keptAt: used.wall,
      stoppedAt: null,
    };
    this.#sessions.set(hash, session);
    this.#keep(hash, session, true);
    return { token, expires: used.wall + SESSION_MS };
  }

  /** For whom a token stands; undefined when it is none, or has ended. */
  holderOf(token: string): SessionHolder | undefined {
    const hash = hashOf(token);
    const session = this.#sessions.get(hash);
    if (!session) return undefined;
    const holder = isAlive(session, this.#time()) ? unsealHolder(session.holder, token) : undefined;
    if (holder === undefined) this.#remove(hash);
    return holder;
  }

  /** The session was used now. */
  used(token: string): void {
    const hash = hashOf(token);
    const session = this.#sessions.get(hash);
    if (!session) return;
    session.used = this.#time();
    // The longest unused stays first.
    this.#sessions.delete(hash);
    this.#sessions.set(hash, session);
    if (Math.abs(session.used.wall - session.keptAt) >= KEEP_EVERY_MS) this.#keep(hash, session, false);
  }

  /** False when there was none. */
  end(token: string): boolean {
    const hash = hashOf(token);
    return this.#sessions.has(hash) && this.#remove(hash);
  }

  /** `name`: of a file in the home folder; of others than sessions nothing is known here. */
  changedOutside(name: string): void {
    const entry = this.#files.one(name);
    if (entry === undefined) return;
    const { start, session } = entry;
    const knownHash = [...this.#sessions.keys()].find((hash) => hash.startsWith(start));
    if (session === null) this.#sessions.delete(knownHash ?? '');
    else if ((this.#sessions.get(knownHash ?? '')?.used.wall ?? 0) < session.last_used_at * 1000)
      this.#sessions.set(session.hash, restored(session, this.#time()));
  }

  /**
   * Keeps when each was used last. `endsShared`: those of the owner of the home folder end, unless the
   * service
   * starts again within RESTART_MS.
   */
  close(endsShared: boolean): void {
    const { wall } = this.#time();
    for (const [hash, session] of this.#sessions) {
      const isEnding = endsShared && session.holder.sealed === null;
      if (isEnding) session.stoppedAt = wall;
      if (isEnding || session.used.wall !== session.keptAt) this.#keep(hash, session, isEnding);
    }
  }

  #remove(hash: string): true {
    this.#sessions.delete(hash);
    this.#files.remove(hash);
    return true;
  }

  #makeRoom(most: number): void {
    for (const hash of this.#sessions.keys()) {
      if (this.#sessions.size <= most) return;
      this.#remove(hash);
    }
  }

  #keep(hash: string, session: Session, flush: boolean): void {
    const { openedAt, used, holder, stoppedAt } = session;
    session.keptAt = used.wall;
    const times = {
      opened_at: openedAt / 1000,
      last_used_at: used.wall / 1000,
      ...(stoppedAt !== null && { stopped_at: stoppedAt / 1000 }),
    };
    const { sealed, cacheDir: cache_dir } = holder;
    this.#files.write({ version: 1, hash, ...times, sealed, cache_dir }, flush);
  }
}

/** Between two runs only the wall clock says how much time has passed. */
function restored(stored: StoredSession, now: DecisionTime): Session {
  const { opened_at, last_used_at, stopped_at, sealed, cache_dir: cacheDir } = stored;
  const wall = last_used_at * 1000;
  const monotonic = now.monotonic - Math.max(0, now.wall - wall);
  const holder = { sealed, cacheDir };
  const stoppedAt = stopped_at === undefined ? null : stopped_at * 1000;
  return { openedAt: opened_at * 1000, holder, used: { monotonic, wall }, keptAt: wall, stoppedAt };
}

function isAlive({ used, stoppedAt }: Session, now: DecisionTime): boolean {
  const sinceStop = stoppedAt === null ? 0 : now.wall - stoppedAt;
  return isWithin(used, SESSION_MS, now, SET_BACK_MS) && sinceStop < RESTART_MS && sinceStop > -SET_BACK_MS;
}

// For whom a ticket or a session stands: for a license key, or for whoever can read the home folder.

export interface SessionHolder {
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

export function sealHolder(
  { key, cacheDir }: SessionHolder,
  secret: string,
  random: Uint8Array,
): SealedHolder {
  return { sealed: key === null ? null : seal(key, secret, random), cacheDir };
}

/** Undefined when it is not what was sealed. */
export function unsealHolder({ sealed, cacheDir }: SealedHolder, secret: string): SessionHolder | undefined {
  if (sealed === null) return { key: null, cacheDir };
  const key = unseal(sealed, secret);
  return key === undefined ? undefined : { key, cacheDir };
}

// Stored sessions, which outlive a crash and a restart: a private folder of the home folder with one small
// file for each session, as for license keys. A file holds the hash of the token, and the license key sealed
// under the token.

/** Times are Unix seconds. */
const StoredSession = Type.Object({
  version: Type.Literal(1),
  /** SHA-256 of the token. */
  hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  opened_at: Type.Number(),
  last_used_at: Type.Number(),
  /** When the service was stopped, of a session that ends soon after that. */
  stopped_at: Type.Optional(Type.Number()),
  /** Null: it stands for the owner of the home folder. */
  sealed: nullable(Type.String()),
  /** The analysis folder that its page begins with; null is the default one. */
  cache_dir: nullable(Type.String()),
});
type StoredSession = Static<typeof StoredSession>;

interface SessionFiles {
  /** Longest unused first. A file that is no session is removed. */
  read(): StoredSession[];
  /**
   * Session in a file such as `sessions/….json`: the beginning of its hash, and null if it is gone. Undefined
   * for the name of another file.
   */
  one(name: string): { readonly start: string; readonly session: StoredSession | null } | undefined;
  /** `flush`: it survives a power cut. */
  write(session: StoredSession, flush: boolean): void;
  remove(hash: string): void;
}

/**
 * A session works as well when it cannot be kept: nothing throws, the log says so when it begins and when it
 * ends.
 */
export function sessionFiles(folder: string, log: Log): SessionFiles {
  let failing = false;
  const pathOf = (hash: string) => join(folder, `${hash.slice(0, 24)}.json`);
  const tryDisk = (work: () => void): void => {
    try {
      work();
      if (failing) log.info('sessions can be kept again');
      failing = false;
    } catch (error) {
      if (!failing) log.error('sessions cannot be kept; they end with the service', { folder, error });
      failing = true;
    }
  };
  return {
    read: () => {
      const sessions = namesIn(folder, log).flatMap((name) => readSession(join(folder, name), log));
      return sessions.sort((a, b) => a.last_used_at - b.last_used_at);
    },
    one: (name) => {
      const [, start] = /^sessions\/([0-9a-f]{24})\.json$/.exec(name) ?? [];
      return start === undefined ? undefined : { start, session: readSession(pathOf(start), log)[0] ?? null };
    },
    write: (session, flush) => {
      const text = `${JSON.stringify(session)}\n`;
      tryDisk(() => replaceFile(pathOf(session.hash), text, { ...privateFile, flush }));
    },
    remove: (hash) => tryDisk(() => rmSync(pathOf(hash), { force: true })),
  };
}

function namesIn(folder: string, log: Log): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') log.error('the kept sessions cannot be read', { folder, error });
    return [];
  }
}

function readSession(path: string, log: Log): StoredSession[] {
  try {
    return [readJsonNow(StoredSession, path) ?? []].flat();
  } catch (error) {
    log.error('a kept session cannot be read', { path, error });
    // One that is damaged is of no use any more.
    if (codeOf(error) === '') rmSync(path, { force: true });
    return [];
  }
}
