// Sessions of web pages: who has the token of one may do what the license key may by whose ticket it was opened. A session
// ends when it is not used for half a day; what it stands for is decided anew at each request.
import { isWithin, type Moment } from '../license/age.ts';
import { hashOf } from '../license/key.ts';
import { type Holder, type SealedHolder, sealHolder, unsealHolder } from './holder.ts';
import { SECRET_BYTES, secretText } from './secret.ts';
import type { SessionFiles, StoredSession } from './session-files.ts';

/** Since the last use, ms. */
export const SESSION_MS = 12 * 3_600_000;
const MOST_SESSIONS = 1_000;
/** How much of the last use may be lost in a crash: a file is not written for every request, ms. */
const KEEP_EVERY_MS = 10 * 60_000;
/** A clock that was set back by more says nothing about the age of a session any more. A smaller step is a correction. */
const SET_BACK_MS = 5 * 60_000;

interface Session {
  readonly openedAt: number;
  readonly holder: SealedHolder;
  used: Moment;
  /** Unix ms of the last use that the file tells. */
  keptAt: number;
}

export interface Sessions {
  open(holder: Holder): { readonly token: string; readonly expires: number };
  /** For whom a token stands; undefined when it is none, or has ended. */
  holderOf(token: string): Holder | undefined;
  /** The session was used now. */
  used(token: string): void;
  /** False when there was none. */
  end(token: string): boolean;
  /** Ends those that stand for the owner of the home folder. */
  endOfOwner(): void;
  /** Keeps when each was used last. */
  close(): void;
}

/** `random`: so many bytes of a secure source. */
export function createSessions(
  time: () => Moment,
  random: (bytes: number) => Uint8Array,
  files: SessionFiles,
): Sessions {
  return new KeptSessions(time, random, files);
}

class KeptSessions implements Sessions {
  readonly #time: () => Moment;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #files: SessionFiles;
  /** By the hash of the token, the longest unused first. */
  readonly #sessions = new Map<string, Session>();

  constructor(time: () => Moment, random: (bytes: number) => Uint8Array, files: SessionFiles) {
    this.#time = time;
    this.#random = random;
    this.#files = files;
    const now = time();
    for (const kept of files.read()) {
      const session = restored(kept, now);
      if (isAlive(session, now)) this.#sessions.set(kept.hash, session);
      else files.remove(kept.hash);
    }
    this.#makeRoom(MOST_SESSIONS);
  }

  open(holder: Holder): { token: string; expires: number } {
    const token = secretText('session', this.#random(SECRET_BYTES));
    const hash = hashOf(token);
    const used = this.#time();
    for (const [other, session] of this.#sessions) if (!isAlive(session, used)) this.#remove(other);
    this.#makeRoom(MOST_SESSIONS - 1);
    const sealed = sealHolder(holder, token, this.#random(SECRET_BYTES));
    const session: Session = { openedAt: used.wall, holder: sealed, used, keptAt: used.wall };
    this.#sessions.set(hash, session);
    this.#keep(hash, session, true);
    return { token, expires: used.wall + SESSION_MS };
  }

  holderOf(token: string): Holder | undefined {
    const hash = hashOf(token);
    const session = this.#sessions.get(hash);
    if (!session) return undefined;
    const holder = isAlive(session, this.#time()) ? unsealHolder(session.holder, token) : undefined;
    if (holder === undefined) this.#remove(hash);
    return holder;
  }

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

  end(token: string): boolean {
    const hash = hashOf(token);
    return this.#sessions.has(hash) && this.#remove(hash);
  }

  endOfOwner(): void {
    for (const [hash, { holder }] of this.#sessions) if (holder.sealed === null) this.#remove(hash);
  }

  close(): void {
    for (const [hash, session] of this.#sessions)
      if (session.used.wall !== session.keptAt) this.#keep(hash, session, false);
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
    const { openedAt, used, holder } = session;
    session.keptAt = used.wall;
    const times = { opened_at: openedAt / 1000, last_used_at: used.wall / 1000 };
    const { sealed, cacheDir: cache_dir } = holder;
    this.#files.write({ version: 1, hash, ...times, sealed, cache_dir }, flush);
  }
}

/** Between two runs only the wall clock says how much time has passed. */
function restored(kept: StoredSession, now: Moment): Session {
  const { opened_at, last_used_at, sealed, cache_dir: cacheDir } = kept;
  const wall = last_used_at * 1000;
  const monotonic = now.monotonic - Math.max(0, now.wall - wall);
  const holder = { sealed, cacheDir };
  return { openedAt: opened_at * 1000, holder, used: { monotonic, wall }, keptAt: wall };
}

function isAlive({ used }: Session, now: Moment): boolean {
  return isWithin(used, SESSION_MS, now, SET_BACK_MS);
}
