// Whether a license key opens the service. It stands in the way of every request, so a key that was validated lately
// costs one comparison, or one hash and one look into a map: clocks and files are looked at once a second.
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { hashOf, idOf, isSameText, shapeProblem } from './key.ts';
import { type Finding, granted, noKey, refusal, type Verdict, verdictOf } from './verdict.ts';

/** Who knows keys. */
export interface Validator {
  validate(key: string, keyHash: string): Finding | Promise<Finding>;
  /** Asked at most once a second; true when what was found before may no longer be so. */
  changed(): boolean;
  /** Ends what is being asked. */
  close(): void;
}

export interface Licenses {
  /** At once when the key was validated lately, or when nobody has to be asked. Never throws. */
  check(key: string | undefined): Verdict | Promise<Verdict>;
  close(): void;
}

/** The published time for which a successful validation holds. */
const VALID_MS = 30 * 60_000;
/** A refusal holds just long enough that a client in a loop is not passed on to the license server. */
const REFUSED_MS = 5_000;
const LOOK_MS = 1_000;
const MOST_KEYS = 4_096;
/** Keys that are asked about at the same time. */
const MOST_ASKED = 64;

/** Both clocks, ms: one stands still while the machine sleeps, the other can be set back. */
interface Time {
  readonly monotonic: number;
  readonly wall: number;
}

interface Held {
  readonly verdict: Verdict;
  readonly since: Time;
  readonly freshMs: number;
  /** How long it holds when nobody can be asked. */
  readonly outageMs: number;
  /** Unix ms at which the key itself ends. */
  readonly until: number;
}

function isYounger({ since }: Held, ms: number, time: Time): boolean {
  const wall = time.wall - since.wall;
  return time.monotonic - since.monotonic < ms && wall < ms && wall > -LOOK_MS;
}

/** The oldest makes room. */
function put(holding: Map<string, Held>, hash: string, held: Held): void {
  if (holding.size >= MOST_KEYS) holding.delete(holding.keys().next().value!);
  holding.set(hash, held);
}

/** `now`: Unix ms. */
export function createLicenses(validator: Validator, clock: Clock, now: () => number, log: Log): Licenses {
  return new CachedLicenses(validator, clock, now, log);
}

class CachedLicenses implements Licenses {
  readonly #validator: Validator;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #log: Log;
  // Apart, so that a flood of wrong keys drives out no right one. By hash: keys themselves are not kept, but the last.
  readonly #granted = new Map<string, Held>();
  readonly #refused = new Map<string, Held>();
  readonly #asked = new Map<string, Promise<Verdict>>();
  /** The key that was granted last, to be hashed once a second and not for every request; forgotten at every look. */
  #last: string | undefined;
  #lookDue = true;
  #cancelLook = () => {};
  #outage = false;

  constructor(validator: Validator, clock: Clock, now: () => number, log: Log) {
    this.#validator = validator;
    this.#clock = clock;
    this.#now = now;
    this.#log = log;
  }

  check(key: string | undefined): Verdict | Promise<Verdict> {
    if (key === undefined || key === '') return noKey;
    if (this.#lookDue) this.#look();
    if (this.#last !== undefined && isSameText(this.#last, key)) return granted;
    const held = this.#granted.get(hashOf(key));
    if (!held) return this.#unknown(key.trim());
    this.#last = key;
    return held.verdict;
  }

  close(): void {
    this.#cancelLook();
    this.#last = undefined;
    this.#validator.close();
  }

  /** Drops what is too old, and everything when the keys changed. */
  #look(): void {
    this.#lookDue = false;
    this.#last = undefined;
    this.#cancelLook = this.#clock.after(LOOK_MS, () => {
      this.#lookDue = true;
      this.#last = undefined;
    });
    if (this.#validator.changed()) {
      this.#granted.clear();
      this.#refused.clear();
    }
    const time = this.#time();
    // Dropped when it would become too old before the next look: nothing is held longer than it may be.
    for (const [hash, held] of this.#granted) {
      const lasts = isYounger(held, held.freshMs - LOOK_MS, time) && time.wall + LOOK_MS < held.until;
      if (!lasts) this.#granted.delete(hash);
    }
    for (const [hash, held] of this.#refused) {
      if (!isYounger(held, Math.max(held.freshMs, held.outageMs), time)) this.#refused.delete(hash);
    }
  }

  #time(): Time {
    return { monotonic: this.#clock.now(), wall: this.#now() };
  }

  #unknown(key: string): Verdict | Promise<Verdict> {
    if (key === '') return noKey;
    const problem = shapeProblem(key);
    if (problem) return refusal(problem);
    const hash = hashOf(key);
    const granted = this.#granted.get(hash);
    if (granted) return granted.verdict;
    const refused = this.#refused.get(hash);
    if (refused && isYounger(refused, refused.freshMs, this.#time())) return refused.verdict;
    return this.#asked.get(hash) ?? this.#ask(key, hash);
  }

  #ask(key: string, hash: string): Verdict | Promise<Verdict> {
    if (this.#asked.size >= MOST_ASKED) {
      return refusal('Too many license keys are being validated at once; try again');
    }
    // Asked at this time, whenever the answer comes.
    const since = this.#time();
    const found = this.#validator.validate(key, hash);
    if (!(found instanceof Promise)) return this.#keep(found, hash, since);
    const asked = found
      .then((finding) => this.#keep(finding, hash, since))
      .finally(() => this.#asked.delete(hash));
    this.#asked.set(hash, asked);
    return asked;
  }

  #keep(finding: Finding, hash: string, since: Time): Verdict {
    this.#tellOutage(finding, hash);
    if (finding.kind === 'outage') return this.#keepOutage(verdictOf(finding), hash);
    const verdict = verdictOf(finding);
    const until = finding.kind === 'valid' ? finding.until : Number.POSITIVE_INFINITY;
    const outageMs = finding.kind === 'invalid' ? 0 : VALID_MS;
    if (verdict === granted) {
      this.#refused.delete(hash);
      put(this.#granted, hash, { verdict, since, freshMs: VALID_MS, outageMs, until });
    } else {
      put(this.#refused, hash, { verdict, since, freshMs: REFUSED_MS, outageMs, until });
    }
    return verdict;
  }

  /** An answer holds its time when nobody can be asked again; that nobody could be asked is no answer. */
  #keepOutage(verdict: Verdict, hash: string): Verdict {
    const time = this.#time();
    const before = this.#refused.get(hash);
    if (before && isYounger(before, before.outageMs, time)) {
      const freshMs = time.monotonic - before.since.monotonic + REFUSED_MS;
      this.#refused.set(hash, { ...before, freshMs });
      return before.verdict;
    }
    const until = Number.POSITIVE_INFINITY;
    put(this.#refused, hash, { verdict, since: time, freshMs: REFUSED_MS, outageMs: 0, until });
    return verdict;
  }

  /** Once when it begins and once when it ends. */
  #tellOutage(finding: Finding, hash: string): void {
    const outage = finding.kind === 'outage';
    if (outage === this.#outage) return;
    this.#outage = outage;
    const fields = { license: idOf(hash) };
    if (outage) this.#log.warn('license keys cannot be validated', { ...fields, reason: finding.message });
    else this.#log.info('license keys can be validated again', fields);
  }
}
