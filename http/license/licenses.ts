// Decides whether a license key opens the service, and caches the decisions. Every request passes here, so a
// cached key costs one comparison, or one hash and one lookup; clocks and files are read once a second.
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { SavedValue } from '../../runtime/process/guardian-client.ts';
import {
  type AccessDecision,
  type DecisionTime,
  decisionOf,
  granted,
  isWithin,
  type KeyValidation,
  noKey,
  refusal,
} from './decision.ts';
import {
  createKeyLookup,
  folderState,
  hashOf,
  type IssuedKey,
  idOf,
  isSameText,
  readKeys,
  shapeProblem,
} from './store.ts';

/** Knows which keys are valid: this machine or a license server. */
export interface Validator {
  validate(key: string, keyHash: string): KeyValidation | Promise<KeyValidation>;
  /** Called at most once a second; true when earlier validations may no longer hold. */
  changed(): boolean;
  /** Aborts pending questions. */
  close(): void;
}

/** How long a successful validation holds: the published time. */
const VALID_MS = 30 * 60_000;
/** Just long enough that a client in a loop does not reach the license server with every request. */
const REFUSED_MS = 5_000;
const REFRESH_MS = 1_000;
const MOST_KEYS = 4_096;
/** Keys being validated at the same time. */
const MOST_PENDING = 64;

interface CachedDecision {
  readonly decision: AccessDecision;
  readonly since: DecisionTime;
  readonly freshMs: number;
  /** How long it holds while the license server cannot be asked. */
  readonly outageMs: number;
  /** Unix ms at which the key expires. */
  readonly until: number;
}

function isFresh({ since }: CachedDecision, ms: number, time: DecisionTime): boolean {
  return isWithin(since, ms, time, REFRESH_MS);
}

/** Evicts the oldest entry when the cache is full. */
function put(cache: Map<string, CachedDecision>, hash: string, cached: CachedDecision): void {
  if (cache.size >= MOST_KEYS) cache.delete(cache.keys().next().value!);
  cache.set(hash, cached);
}

interface LicenseOptions {
  readonly clock: Clock;
  /** Unix ms. */
  now(): number;
  readonly log: Log;
  /** Where grants outlive this process, so that a crash of the engine does not shorten their time. */
  readonly memory?: GrantMemory;
}

export class Licenses {
  readonly #validator: Validator;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #log: Log;
  readonly #memory: GrantMemory | undefined;
  // Two caches, so that a flood of wrong keys evicts no valid one. By hash: of the keys themselves only the
  // last is kept.
  readonly #granted = new Map<string, CachedDecision>();
  readonly #refused = new Map<string, CachedDecision>();
  readonly #pending = new Map<string, Promise<AccessDecision>>();
  /**
   * The key granted last, so that it is hashed once a second and not for every request; dropped at every
   * refresh.
   */
  #last: string | undefined;
  #refreshDue = true;
  #cancelRefresh = () => {};
  #outage = false;

  constructor(validator: Validator, { clock, now, log, memory }: LicenseOptions) {
    this.#validator = validator;
    this.#clock = clock;
    this.#now = now;
    this.#log = log;
    this.#memory = memory;
    for (const grant of memory?.before ?? []) this.#restore(grant);
    // The saved grants are passed on once.
    if (memory && memory.before.length > 0) this.#keep();
  }

  /** Synchronous for a cached key and for one that this machine can validate. Never throws. */
  check(key: string | undefined): AccessDecision | Promise<AccessDecision> {
    if (key === undefined || key === '') return noKey;
    if (this.#refreshDue) this.#refresh();
    if (this.#last !== undefined && isSameText(this.#last, key)) return granted;
    const cached = this.#granted.get(hashOf(key));
    if (!cached) return this.#lookUp(key.trim());
    this.#last = key;
    return cached.decision;
  }

  /** Keys may have changed: what is remembered of them is looked at again before the next request passes. */
  refresh(): void {
    this.#cancelRefresh();
    this.#refreshDue = true;
    this.#last = undefined;
  }

  close(): void {
    this.#cancelRefresh();
    this.#last = undefined;
    this.#validator.close();
  }

  /** Drops what is too old, and everything when the keys have changed. */
  #refresh(): void {
    this.#refreshDue = false;
    this.#last = undefined;
    this.#cancelRefresh = this.#clock.after(REFRESH_MS, () => {
      this.#refreshDue = true;
      this.#last = undefined;
    });
    if (this.#validator.changed()) {
      this.#granted.clear();
      this.#refused.clear();
    }
    const time = this.#time();
    // Dropped when it would become too old before the next refresh: nothing is cached longer than allowed.
    for (const [hash, cached] of this.#granted) {
      const lasts =
        isFresh(cached, cached.freshMs - REFRESH_MS, time) && time.wall + REFRESH_MS < cached.until;
      if (!lasts) this.#granted.delete(hash);
    }
    for (const [hash, cached] of this.#refused) {
      if (!isFresh(cached, Math.max(cached.freshMs, cached.outageMs), time)) this.#refused.delete(hash);
    }
  }

  #restore({ hash, since, ageMs, until }: Grant): void {
    const monotonic = this.#clock.now() - ageMs;
    const cached = {
      decision: granted,
      since: { monotonic, wall: since },
      freshMs: VALID_MS,
      outageMs: VALID_MS,
      until,
    };
    put(this.#granted, hash, cached);
  }

  #keep(): void {
    if (!this.#memory) return;
    const now = this.#clock.now();
    const grants = [...this.#granted].map(([hash, { since, until }]) => ({
      hash,
      since: since.wall,
      ageMs: now - since.monotonic,
      until,
    }));
    this.#memory.keep(grants);
  }

  #time(): DecisionTime {
    return { monotonic: this.#clock.now(), wall: this.#now() };
  }

  #lookUp(key: string): AccessDecision | Promise<AccessDecision> {
    if (key === '') return noKey;
    const problem = shapeProblem(key);
    if (problem) return refusal(problem);
    const hash = hashOf(key);
    const granted = this.#granted.get(hash);
    if (granted) return granted.decision;
    const refused = this.#refused.get(hash);
    if (refused && isFresh(refused, refused.freshMs, this.#time())) return refused.decision;
    return this.#pending.get(hash) ?? this.#validate(key, hash);
  }

  #validate(key: string, hash: string): AccessDecision | Promise<AccessDecision> {
    if (this.#pending.size >= MOST_PENDING) {
      return refusal('Too many license keys are being validated at once; try again');
    }
    // Age counts from the question, however late the answer comes.
    const since = this.#time();
    const result = this.#validator.validate(key, hash);
    if (!(result instanceof Promise)) return this.#cache(result, hash, since);
    const pending = result
      .then((validation) => this.#cache(validation, hash, since))
      .finally(() => this.#pending.delete(hash));
    this.#pending.set(hash, pending);
    return pending;
  }

  #cache(validation: KeyValidation, hash: string, since: DecisionTime): AccessDecision {
    this.#logOutage(validation, hash);
    if (validation.kind === 'outage') return this.#cacheOutage(decisionOf(validation), hash);
    const decision = decisionOf(validation);
    const until = validation.kind === 'valid' ? validation.until : Number.POSITIVE_INFINITY;
    const outageMs = validation.kind === 'invalid' ? 0 : VALID_MS;
    if (decision === granted) {
      this.#refused.delete(hash);
      put(this.#granted, hash, { decision, since, freshMs: VALID_MS, outageMs, until });
      this.#keep();
    } else {
      put(this.#refused, hash, { decision, since, freshMs: REFUSED_MS, outageMs, until });
    }
    return decision;
  }

  /** During an outage an earlier refusal holds for its time; the outage itself is cached only briefly. */
  #cacheOutage(decision: AccessDecision, hash: string): AccessDecision {
    const time = this.#time();
    const before = this.#refused.get(hash);
    if (before && isFresh(before, before.outageMs, time)) {
      const freshMs = time.monotonic - before.since.monotonic + REFUSED_MS;
      this.#refused.set(hash, { ...before, freshMs });
      return before.decision;
    }
    const until = Number.POSITIVE_INFINITY;
    put(this.#refused, hash, { decision, since: time, freshMs: REFUSED_MS, outageMs: 0, until });
    return decision;
  }

  /** Logged once when it begins and once when it ends. */
  #logOutage(validation: KeyValidation, hash: string): void {
    const outage = validation.kind === 'outage';
    if (outage === this.#outage) return;
    this.#outage = outage;
    const fields = { license: idOf(hash) };
    if (outage) this.#log.warn('license keys cannot be validated', { ...fields, reason: validation.message });
    else this.#log.info('license keys can be validated again', fields);
  }
}

// Grants that the licenses pass to the engine process after a crash: keys that a license server accepted, by
// their hashes.

interface Grant {
  readonly hash: string;
  /** When the license server was asked, Unix ms. */
  readonly since: number;
  /** The time from then until now by a clock that cannot be set, ms. */
  readonly ageMs: number;
  /** When the key expires, Unix ms; Infinity when it does not. */
  readonly until: number;
}

/** Where grants outlive a process. */
interface GrantMemory {
  /** Grants of the previous process; empty at the first start. */
  readonly before: readonly Grant[];
  keep(grants: readonly Grant[]): void;
}

/** Most grants that are handed over, the latest: they travel in the environment of a process. */
const MOST_GRANTS = 128;

const KeptGrants = Type.Object({
  /** The license server that said so: another one may think otherwise. */
  server: Type.String(),
  grants: Type.Array(
    Type.Object({
      hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      since: Type.Number(),
      ageMs: Type.Number(),
      until: Type.Union([Type.Number(), Type.Null()]),
    }),
  ),
});

/**
 * `saved`: what the process before last gave to `keep`. `server`: its address and the key its answers are
 * signed with.
 */
export function grantMemory(
  server: string,
  saved: SavedValue | undefined,
  keep: (text: string) => void,
): GrantMemory {
  return {
    before: parse(server, saved),
    keep: (grants) =>
      keep(
        JSON.stringify({
          server,
          // Infinity becomes null.
          grants: grants.slice(-MOST_GRANTS),
        }),
      ),
  };
}

function parse(server: string, saved: SavedValue | undefined): Grant[] {
  if (saved === undefined) return [];
  const value: unknown = JSON.parse(saved.value);
  // Another version of the program may have written it.
  if (!Check(KeptGrants, value) || value.server !== server) return [];
  return value.grants.map((grant) => ({
    ...grant,
    ageMs: grant.ageMs + saved.ageMs,
    until: grant.until ?? Number.POSITIVE_INFINITY,
  }));
}

// Validates the keys issued on this machine. Their folder is checked for changes at most once a second, so a
// key that is issued or revoked while the service runs takes effect a moment later.

/**
 * Coarsest time stamps of a file system: a folder changed so recently may change again under the same stamp.
 */
const COARSEST_TICK_MS = 2_500;

/**
 * `now`: Unix ms. Throws INVALID_CONFIG when the keys cannot be read; a damaged file is logged and opens
 * nothing.
 */
export function localKeys(folder: string, now: () => number, log: Log): Validator {
  let seenVersion = '';
  let lookUp = createKeyLookup([]);
  let unreadable = false;
  let logged = '';

  const read = (): void => {
    const { version, modifiedMs } = folderState(folder);
    const stored = readKeys(folder);
    seenVersion = Math.abs(now() - modifiedMs) < COARSEST_TICK_MS ? `${version}?` : version;
    lookUp = createKeyLookup(stored.keys);
    const damaged = stored.damaged.map(({ file, message }) => `${file} ${message}`);
    if (damaged.length > 0 && damaged.join() !== logged) log.error('license keys are damaged', { damaged });
    logged = damaged.join();
  };
  read();
  return {
    validate: (_key, keyHash) =>
      unreadable
        ? {
            kind: 'invalid',
            message: 'The license keys of this machine cannot be read; see the log for the reason',
          }
        : validationOf(lookUp(keyHash), now()),
    changed: () => {
      try {
        if (!unreadable && folderState(folder).version === seenVersion) return false;
        read();
        unreadable = false;
      } catch (error) {
        if (unreadable) return false;
        unreadable = true;
        log.error('the license keys cannot be read', { folder, error });
      }
      return true;
    },
    close: () => {},
  };
}

function validationOf(issued: IssuedKey | undefined, now: number): KeyValidation {
  if (!issued)
    return {
      kind: 'invalid',
      message:
        'The license key was not issued on this machine; to issue one: framehound license issue --tier pro',
    };
  if (issued.revoked_at !== null)
    return { kind: 'invalid', message: `The license key was revoked on ${day(issued.revoked_at)}` };
  const until = issued.expires_at === null ? Number.POSITIVE_INFINITY : issued.expires_at * 1000;
  if (now >= until) return { kind: 'invalid', message: `The license key expired on ${day(until / 1000)}` };
  return { kind: 'valid', tier: issued.tier, message: 'OK', until };
}

/** Unix seconds as a date. */
export function day(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
