// Starts actors in order, looks regularly for one that is stuck, and stops them in reverse order. What
// happens to a single actor is in child.ts.
import type { Budget } from './budget.ts';
import { Child, type ChildSpec, type ChildState } from './child.ts';
import type { Clock } from './clock.ts';
import type { Contract } from './contract.ts';
import type { Log } from './log.ts';
import type { Ref } from './ref.ts';
import type { SlotPool } from './slots.ts';
import { Semaphore } from './sync/locks.ts';

/**
 * Actors that load their code at the same time after a first call: of hundreds none would be ready in time.
 */
const startedAtOnce = 8;

export interface SupervisorOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly pool?: SlotPool;
  /** Memory that turns reserve; every reservation is granted without it. */
  readonly budget?: Budget;
  /** How often the age of turns is checked. */
  readonly watchMs?: number;
  /** How long an actor may take to start. */
  readonly startLimitMs?: number;
  /** How long a stop waits for turns to end before it says which actor does not. */
  readonly stopLimitMs?: number;
  /** Only a new process helps now; the guardian's business. */
  onFatal?(name: string): void;
}

export interface Supervisor {
  /** Starts an actor and waits until it is ready. Rejects with what kept it from starting. */
  add<C extends Contract>(spec: ChildSpec<C>): Promise<Ref<C>>;
  /**
   * Starts an actor at its first call, in its turn: calls wait until it is ready, and fail when it is given
   * up.
   */
  addOnDemand<C extends Contract>(spec: ChildSpec<C>): Ref<C>;
  states(): ChildState[];
  /**
   * Asks every actor to stop, last started first. Resolves to the names of those that did not end in time.
   */
  stop(): Promise<string[]>;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { clock, log, pool, budget, watchMs = 1_000, startLimitMs = 60_000, stopLimitMs = 10_000 } = options;
  const stopping = new AbortController();
  const onFatal = (name: string) => options.onFatal?.(name);
  const supervision = {
    clock,
    log,
    pool,
    budget,
    startLimitMs,
    stopLimitMs,
    stopping: stopping.signal,
    onFatal,
  };
  const starts = new Semaphore(startedAtOnce);
  const children: Child[] = [];
  const enrol = <C extends Contract>(spec: ChildSpec<C>, wake?: () => void): Child<C> => {
    const child = new Child(spec, supervision, wake);
    children.push(child);
    return child;
  };

  let cancelWatch = () => {};
  const watch = (): void => {
    for (const child of children) child.look();
    cancelWatch = clock.after(watchMs, watch);
  };
  watch();
  return {
    add: async (spec) => {
      const child = enrol(spec);
      await child.start();
      return child.ref;
    },
    addOnDemand: (spec) => {
      const start = async () => {
        if (!stopping.signal.aborted) await child.start();
      };
      // A thread that fails to start ends, and that is handled as a crash.
      const child = enrol(spec, () => void starts.run(start, { signal: stopping.signal }).catch(() => {}));
      return child.ref;
    },
    states: () => children.map(({ state }) => state),
    stop: async () => {
      stopping.abort();
      cancelWatch();
      const late: string[] = [];
      for (const group of inStopOrder(children)) {
        const inTime = await Promise.all(group.map((child) => child.stop()));
        late.push(...group.filter((_, i) => !inTime[i]).map(({ ref }) => ref.name));
      }
      return late;
    },
  };
}

/** Last started first; neighbours of the same role together, because none of them waits for another. */
function inStopOrder(children: readonly Child[]): Child[][] {
  const groups: Child[][] = [];
  for (const child of [...children].reverse()) {
    const last = groups.at(-1);
    if (last?.[0]?.contract === child.contract) last.push(child);
    else groups.push([child]);
  }
  return groups;
}
