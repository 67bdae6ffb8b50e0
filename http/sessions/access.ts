// Access to the service: by a license key, the token of a session, or the secret of the owner, which is in
// the file of the running service in the home folder. Licenses decide about keys; this module identifies the
// owners of the others.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import { errorTable } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import { type AccessDecision, type DecisionTime, granted, isWithin, refusal } from '../license/decision.ts';
import type { Licenses } from '../license/licenses.ts';
import { hashOf, isSameText } from '../license/store.ts';
import {
  kindOf,
  SECRET_BYTES,
  type SealedHolder,
  type SessionHolder,
  Sessions,
  sealHolder,
  secretText,
  sessionFiles,
  unsealHolder,
} from './sessions.ts';

// Tickets: each opens one session, once and soon. They live in memory only.

/** How long a ticket is good for, ms. */
const TICKET_MS = 60_000;
const MOST_TICKETS = 100;
/** A clock that was set back by so much says nothing about the age of a ticket any more. */
const SET_BACK_MS = 1_000;

interface Kept {
  readonly hash: Buffer;
  readonly holder: SealedHolder;
  readonly since: DecisionTime;
  readonly ms: number;
}

interface Tickets {
  /** `ms`: how long it is good for. The oldest one makes room when there are too many. */
  make(holder: SessionHolder, ms: number): string;
  /** For whom it stands; undefined when it was never made, is used, or too old. It is used now. */
  take(ticket: string): SessionHolder | undefined;
}

/** `random`: so many bytes of a secure source. */
function createTickets(time: () => DecisionTime, random: (bytes: number) => Uint8Array): Tickets {
  let entries: readonly Kept[] = [];
  return {
    make: (holder, ms) => {
      const ticket = secretText('ticket', random(SECRET_BYTES));
      const since = time();
      const sealed = sealHolder(holder, ticket, random(SECRET_BYTES));
      const alive = entries.filter((entry) => isWithin(entry.since, entry.ms, since, SET_BACK_MS));
      const hash = Buffer.from(hashOf(ticket), 'hex');
      entries = [...alive.slice(-(MOST_TICKETS - 1)), { hash, holder: sealed, since, ms }];
      return ticket;
    },
    take: (ticket) => {
      const hash = Buffer.from(hashOf(ticket), 'hex');
      // Compared with every one, so that the time it takes says nothing about them.
      const matches = entries.filter((entry) => timingSafeEqual(entry.hash, hash));
      entries = entries.filter((entry) => !matches.includes(entry));
      const [match] = matches;
      if (!match || !isWithin(match.since, match.ms, time(), SET_BACK_MS)) return undefined;
      return unsealHolder(match.holder, ticket);
    },
  };
}

export const sessionErrors = errorTable({
  TICKET_REFUSED: { meaning: 'The ticket does not exist, has been used, or has expired', status: 401 },
  SESSION_ENDED: { meaning: 'The session has ended', status: 401 },
});

type Decision = AccessDecision | Promise<AccessDecision>;

interface AccessOptions {
  readonly licenses: Pick<Licenses, 'check' | 'refresh' | 'close'>;
  /** True if a license server decides about keys. */
  readonly hasLicenseServer: boolean;
  /** The service listens on a loopback address: tabs share the sessions of its owner. */
  readonly isLocal: boolean;
  /** Where sessions are kept. */
  readonly folder: string;
  readonly clock: Clock;
  /** Unix ms. */
  now(): number;
  readonly log: Log;
  /** Returns this many bytes of a secure source. */
  random?(bytes: number): Uint8Array;
}

const endedSession: AccessDecision = {
  ok: false,
  status: 401,
  body: { error: 'Authentication required', message: 'The session has ended; sign in again' },
};

const otherOwner: AccessDecision = {
  ok: false,
  status: 401,
  body: { error: 'Authentication required', message: 'The secret belongs to an earlier run of the service' },
};

const theOwner: SessionHolder = { key: null, cacheDir: null };

const noOwner = refusal('A license server is configured: sign in with a license key');

export class Access {
  /** Shown to the service by its owner; null where a license server decides, which knows no owner. */
  readonly owner: string | null;
  readonly #licenses: AccessOptions['licenses'];
  readonly #tickets: Tickets;
  readonly #sessions: Sessions;
  readonly #now: () => number;
  readonly #isLocal: boolean;

  constructor(options: AccessOptions) {
    const { licenses, hasLicenseServer, isLocal, folder, clock, now, log, random = randomBytes } = options;
    const time = (): DecisionTime => ({ monotonic: clock.now(), wall: now() });
    this.owner = hasLicenseServer ? null : secretText('owner', random(SECRET_BYTES));
    this.#licenses = licenses;
    this.#tickets = createTickets(time, random);
    this.#sessions = new Sessions(time, random, sessionFiles(folder, log));
    this.#now = now;
    this.#isLocal = isLocal;
  }

  /** `credential`: what is sent where a license key is sent. */
  check(credential: string | undefined): Decision {
    const text = credential?.trim() ?? '';
    const kind = kindOf(text);
    if (kind === null) return this.#licenses.check(credential);
    if (kind === 'owner') return this.#isOwner(text) ? granted : this.owner === null ? noOwner : otherOwner;
    if (kind === 'ticket')
      return refusal('This is a ticket, not a session: exchange it with POST /api/v1/sessions');
    const holder = this.#sessions.holderOf(text);
    if (holder === undefined) return endedSession;
    return this.#used(text, this.#decide(holder));
  }

  /**
   * A ticket that stands for the same as a credential that was checked. `cacheDir`: the analysis folder that
   * the page begins with; null leaves it as it is. `expires`: Unix ms. Throws SESSION_ENDED.
   */
  makeTicket(credential: string, cacheDir: string | null): { ticket: string; expires: number } {
    const sessionHolder = this.#holderOf(credential.trim());
    if (sessionHolder === undefined) throw sessionErrors.SESSION_ENDED();
    const holder = { key: sessionHolder.key, cacheDir: cacheDir ?? sessionHolder.cacheDir };
    return { ticket: this.#tickets.make(holder, TICKET_MS), expires: this.#now() + TICKET_MS };
  }

  /** The analysis folder that the page of a session begins with; null: the default one. */
  cacheDirOf(credential: string): string | null {
    return this.#holderOf(credential.trim())?.cacheDir ?? null;
  }

  /** One of the owner, for somebody who reads it later. Null where there is no owner. */
  ownerTicket(ms: number): string | null {
    return this.owner === null ? null : this.#tickets.make(theOwner, ms);
  }

  /**
   * Throws TICKET_REFUSED, for whatever reason. `expires`: Unix ms, unless it is used. `shared`: all tabs of
   * the browser may have it.
   */
  openSession(ticket: string): { token: string; expires: number; shared: boolean } {
    const holder = this.#tickets.take(ticket.trim());
    if (holder === undefined) throw sessionErrors.TICKET_REFUSED();
    return { ...this.#sessions.open(holder), shared: this.#isLocal && holder.key === null };
  }

  /** False when the credential is of no session. */
  endSession(credential: string): boolean {
    return this.#sessions.end(credential.trim());
  }

  /** Another machine has changed files of the home folder: `licenses/….json`, `sessions/….json`. */
  changedOutside(names: readonly string[]): void {
    if (names.some((name) => name.startsWith('licenses/'))) this.#licenses.refresh();
    for (const name of names) this.#sessions.changedOutside(name);
  }

  /**
   * The licenses too. `isLast`: no engine follows; sessions that are shared end unless the service starts
   * again
   * soon, since another program may have the port next.
   */
  close(isLast: boolean): void {
    this.#sessions.close(isLast && this.#isLocal);
    this.#licenses.close();
  }

  #isOwner(text: string): boolean {
    return this.owner !== null && isSameText(this.owner, text);
  }

  #holderOf(text: string): SessionHolder | undefined {
    if (kindOf(text) === 'session') return this.#sessions.holderOf(text);
    return this.#isOwner(text) ? theOwner : { key: text, cacheDir: null };
  }

  #decide({ key }: SessionHolder): Decision {
    if (key !== null) return this.#licenses.check(key);
    return this.owner === null ? noOwner : granted;
  }

  /** A refused request does not prolong a session. */
  #used(token: string, decision: Decision): Decision {
    if (decision instanceof Promise) return decision.then((verdict) => this.#used(token, verdict));
    if (decision.ok) this.#sessions.used(token);
    return decision;
  }
}
