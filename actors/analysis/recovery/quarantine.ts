// Which work ended the engine, read off the journal. Work that started and never ended was running when its
// engine died; it is a suspect. Two deaths or hangs while its file was the only one being worked on
// quarantine it.
import type { PreviousEngine } from '../../../runtime/process/guardian-client.ts';

interface Named {
  /** Unix milliseconds. */
  readonly time: number;
  readonly pid: number;
}

interface StageEntry extends Named {
  readonly task_id: string;
  readonly key: string;
}

export type JournalEntry =
  | (Named & {
      readonly type: 'engine-start';
      /** When the process began: tells it from a later one with the same id. */
      readonly started?: string;
      /** Tells this engine from all others; the same again says anew what it works on. */
      readonly token?: string;
      /** How the engine before this one ended, told by the guardian. */
      readonly before?: PreviousEngine;
    })
  | (Named & { readonly type: 'engine-stop' })
  | (StageEntry & { readonly type: 'stage-start' })
  | (StageEntry & {
      readonly type: 'stage-end';
      /**
       * `stored`, `failed`; `left` says nothing about the file; `hung`: it was given up without a sign of
       * life.
       */
      readonly outcome: string;
      /** True if a hang was certainly caused by this file. */
      readonly alone?: boolean;
    })
  /** Summary of a death after compaction. */
  | (Named & { readonly type: 'strike'; readonly key: string } & Omit<Strike, 'began'>);

/** One death or hang in which the work was running. */
export interface Strike {
  /** Unix milliseconds at which the work began. */
  readonly began: number;
  readonly how: 'died' | 'hung';
  /** No other file was being worked on. */
  readonly alone: boolean;
  /** Observed cause, such as `SIGKILL`; empty if nobody observed it. */
  readonly seen: string;
}

/** A stage of a file, by content: the same bytes under another name are the same stage. */
export function stageKey(hash: string, stage: string, model: string): string {
  return `${hash}/${stage}/${model}`;
}

const contentOf = (key: string): string | undefined => key.split('/', 1)[0];
const surveyKey = /^[^/]+\/survey\/(.*)$/s;

/** Strikes after which work is left alone. */
const MOST = 2;
/** Kept of each kind, so that no journal fills the memory. */
const KEPT = 10_000;
const KEPT_STRIKES = 8;

interface Engine {
  readonly started: string;
  readonly token: string;
  /** When each began, by key. */
  readonly running: Map<string, number>;
}

/** State derived from the entries. */
export class JournalHistory {
  readonly #engines = new Map<number, Engine>();
  readonly #strikes = new Map<string, Strike[]>();

  take(entry: JournalEntry): void {
    if (entry.type === 'engine-start') this.#started(entry);
    else if (entry.type === 'engine-stop') this.#engines.delete(entry.pid);
    else if (entry.type === 'stage-start') this.#begun(entry);
    else if (entry.type === 'stage-end') this.#ended(entry);
    else if (entry.type === 'strike') {
      const { time: began, how, alone, seen } = entry;
      this.#strike(entry.key, { began, how, alone, seen });
    }
  }

  /** An engine that is neither alive nor wrote `engine-stop` died with its open work running. */
  settle(alive: (pid: number, started: string) => boolean): void {
    for (const [pid, { started }] of this.#engines) if (!alive(pid, started)) this.died({ pid, how: '' });
  }

  died({ pid, how }: PreviousEngine): void {
    const running = this.running(pid);
    // Entries of process 0 are those of an older version, which did not say what else was running.
    const alone = pid !== 0 && isOneFile(running);
    for (const [key, began] of running) this.#strike(key, { began, how: 'died', alone, seen: how });
    this.#engines.delete(pid);
  }

  /** The work was running in a death or hang, and has not ended by itself since. */
  isSuspect(key: string): boolean {
    return this.#strikes.has(key);
  }

  /** A look at this file was running in a death or hang. */
  isSuspectSurvey(path: string): boolean {
    for (const key of this.#strikes.keys()) if (surveyKey.exec(key)?.[1] === path) return true;
    return false;
  }

  /** It was running in a death or hang in which no other file was being worked on. */
  wasAlone(key: string): boolean {
    return (this.#strikes.get(key) ?? []).some(({ alone }) => alone);
  }

  /** Reasons the work is quarantined, or null if it is not. */
  quarantine(key: string): readonly Strike[] | null {
    const alone = (this.#strikes.get(key) ?? []).filter((strike) => strike.alone);
    return alone.length >= MOST ? alone.slice(-MOST) : null;
  }

  get suspects(): string[] {
    return [...this.#strikes.keys()];
  }

  /** Keys of the work that runs in an engine, with when each began. */
  running(pid: number): ReadonlyMap<string, number> {
    return this.#engines.get(pid)?.running ?? new Map();
  }

  /** The shortest journal that comes to the same. */
  *entries(): Generator<JournalEntry> {
    for (const [key, strikes] of this.#strikes) {
      for (const { began, ...strike } of strikes)
        yield { type: 'strike', time: began, pid: 0, key, ...strike };
    }
    for (const [pid, { started, token, running }] of this.#engines) {
      yield { type: 'engine-start', time: 0, pid, started, token };
      for (const [key, time] of running) yield { type: 'stage-start', time, task_id: '', key, pid };
    }
  }

  #started({ pid, started = '', token = '', before }: JournalEntry & { type: 'engine-start' }): void {
    if (before) this.died(before);
    const again = token !== '' && this.#engines.get(pid)?.token === token;
    if (!again) this.died({ pid, how: '' });
    bounded(this.#engines).set(pid, { started, token, running: new Map() });
  }

  #begun({ pid, key, time }: StageEntry): void {
    const engine = this.#engines.get(pid) ?? { started: '', token: '', running: new Map<string, number>() };
    bounded(engine.running).set(key, time);
    bounded(this.#engines).set(pid, engine);
  }

  #ended({ pid, key, time, outcome, ...entry }: JournalEntry & { type: 'stage-end' }): void {
    const startTimes = this.running(pid);
    const began = startTimes.get(key) ?? time;
    const alone = entry.alone === true || isOneFile(startTimes);
    this.#engines.get(pid)?.running.delete(key);
    if (outcome === 'hung') this.#strike(key, { began, how: 'hung', alone, seen: '' });
    if (outcome === 'hung' || outcome === 'left') return;
    // Work that ended by itself, with success or failure, did not end an engine before.
    this.#strikes.delete(key);
    for (const { running } of this.#engines.values()) running.delete(key);
  }

  #strike(key: string, strike: Strike): void {
    const earlier = this.#strikes.get(key) ?? [];
    bounded(this.#strikes).set(key, [...earlier, strike].slice(-KEPT_STRIKES));
  }
}

function isOneFile(running: ReadonlyMap<string, number>): boolean {
  return new Set([...running.keys()].map(contentOf)).size === 1;
}

/** Makes room for one more: the oldest goes. */
function bounded<K, V>(map: Map<K, V>): Map<K, V> {
  const [oldest] = map.size >= KEPT ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
  return map;
}

/** Observed causes, for a person. */
export function quarantineReason(strikes: readonly Strike[]): string {
  const kinds = new Set(strikes.map(({ how }) => how));
  const what = [kinds.has('died') && 'the engine crashed', kinds.has('hung') && 'the analysis hung'];
  const times = strikes.map(({ began, seen }) => `started ${when(began)}${seen && `, ended by ${seen}`}`);
  const often = strikes.length === 2 ? 'twice' : `${strikes.length} times`;
  return `${what.filter(Boolean).join(' or ')} ${often} while this was the only file being analysed (${times.join('; ')})`;
}

/** Engines of older versions wrote no time. */
function when(time: number): string {
  return time > 0 ? `${new Date(time).toISOString().slice(0, 19)}Z` : 'at an unknown time';
}
