// Starts actors in order, watches them, restarts what crashes, replaces what is stuck, and stops everything in reverse.
// It decides nothing itself: restart.ts gives the verdicts.
import type { Clock } from './clock.ts';
import type { Contract } from './contract.ts';
import { engineErrors } from './errors.ts';
import type { Link } from './link.ts';
import type { Log } from './log.ts';
import { Cell, type Phase, type Ref } from './ref.ts';
import { defaultPolicy, type RestartPolicy, stuckVerdict, verdict } from './restart.ts';
import type { SlotPool } from './slots.ts';

/** Questions that may wait for an actor, of each lane: those of a thousand clients, each of which may ask a few. */
const MAILBOX = 4096;

export interface ChildSpec<C extends Contract = Contract> {
  readonly name: string;
  readonly contract: C;
  /** Makes a new life of the actor. */
  start(): Link;
  /** A turn without a sign of life for longer than this makes the actor stuck; the contract's when left out. */
  readonly turnLimitMs?: number;
  /** Messages that may wait in each lane. */
  readonly capacity?: number;
  readonly policy?: RestartPolicy;
}

export interface SupervisorOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly pool?: SlotPool;
  /** How often turns are looked at. */
  readonly watchMs?: number;
  /** How long an actor may take to start. */
  readonly startLimitMs?: number;
  /** How long a stop waits for turns to end before it says which actor does not. */
  readonly stopLimitMs?: number;
  /** Only a new process helps now; the guardian's business. */
  onFatal?(name: string): void;
}

export interface ChildState {
  readonly name: string;
  readonly phase: Phase;
  readonly reason: string;
  readonly restarts: number;
  readonly waiting: number;
  readonly running: number;
}

export interface Supervisor {
  /** Starts an actor and waits until it is ready. Rejects with what kept it from starting. */
  add<C extends Contract>(spec: ChildSpec<C>): Promise<Ref<C>>;
  /** Starts an actor and answers at once: calls wait until it is ready, and fail when it is given up. */
  begin<C extends Contract>(spec: ChildSpec<C>): Ref<C>;
  states(): ChildState[];
  /** Asks every actor to stop, last started first. Resolves to the names of those that did not end in time. */
  stop(): Promise<string[]>;
}

interface Child {
  readonly spec: ChildSpec;
  readonly cell: Cell;
  link: Link | undefined;
  /** Threads that were left to finish. */
  readonly left: Set<Link>;
  readonly crashes: number[];
  stuck: number;
  reason: string;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { clock, log } = options;
  const children: Child[] = [];
  let stopping = false;
  let unwatch = () => {};

  const enlist = <C extends Contract>(spec: ChildSpec<C>) => {
    const { name, contract, capacity = MAILBOX } = spec;
    const cell = new Cell(name, contract, { capacity, pool: options.pool, now: clock.now });
    const child: Child = {
      spec,
      cell,
      link: undefined,
      left: new Set(),
      crashes: [],
      stuck: 0,
      reason: '',
    };
    children.push(child);
    return { child, cell };
  };

  const live = async (child: Child): Promise<void> => {
    const link = child.spec.start();
    child.link = link;
    void link.exited.then(({ reason }) => {
      child.left.delete(link);
      if (child.link === link && !stopping) crashed(child, reason);
    });
    await ready(child, link);
    // A stop may have come while the actor was starting.
    if (stopping || child.link !== link) return;
    child.cell.attach(link);
    child.reason = '';
  };

  /** An actor that hangs while it starts is no actor: its thread is left, and the next one will not do better. */
  const ready = async (child: Child, link: Link): Promise<void> => {
    const late = Promise.withResolvers<never>();
    const limit = options.startLimitMs ?? 60_000;
    const forget = clock.after(limit, () => {
      child.left.add(link);
      child.link = undefined;
      link.stop();
      child.cell.down('down', `did not start within ${limit} ms`);
      late.reject(engineErrors.ACTOR_STUCK(`${child.spec.name} did not start within ${limit} ms`));
    });
    await Promise.race([link.ready, late.promise]).finally(forget);
  };

  const crashed = (child: Child, reason: string): void => {
    child.link = undefined;
    child.crashes.push(clock.now());
    const next = verdict(child.crashes, clock.now(), child.spec.policy ?? defaultPolicy);
    log.error('actor crashed', { actor: child.spec.name, reason, next: next.do });
    child.reason = reason;
    if (next.do === 'give-up') {
      child.cell.down('down', `${next.reason}; last: ${firstLine(reason)}`);
      return;
    }
    child.cell.phase = 'starting';
    clock.after(next.afterMs, () => {
      // A failed start ends the thread, which counts as the next crash.
      if (!stopping) void live(child).catch(() => {});
    });
  };

  const limitOf = ({ spec }: Child) => spec.turnLimitMs ?? spec.contract.turnLimitMs;
  const watch = (): void => {
    for (const child of children) {
      if (child.cell.phase === 'ready' && child.cell.longestTurnMs() > limitOf(child)) replace(child);
    }
    unwatch = clock.after(options.watchMs ?? 1_000, watch);
  };

  const replace = (child: Child): void => {
    const name = child.spec.name;
    child.cell.phase = 'stuck';
    const limit_ms = limitOf(child);
    child.reason = `a turn showed no sign of life for ${limit_ms} ms`;
    log.error('actor is stuck', { actor: name, limit_ms });
    const old = child.link!;
    child.left.add(old);
    child.link = undefined;
    child.cell.abandon();
    old.stop();
    if (stuckVerdict(child.stuck++) === 'restart-engine') {
      child.cell.down('down', 'stuck a second time');
      options.onFatal?.(name);
      return;
    }
    void live(child).catch(() => {});
  };

  const stopChild = async (child: Child): Promise<boolean> => {
    child.cell.down('stopping', 'the engine is stopping');
    const links = [...child.left, ...(child.link ? [child.link] : [])];
    for (const link of links) link.stop();
    const ended = Promise.all(links.map((link) => link.exited)).then(() => true);
    const late = Promise.withResolvers<boolean>();
    const forget = clock.after(options.stopLimitMs ?? 10_000, () => late.resolve(false));
    const inTime = await Promise.race([ended, late.promise]);
    forget();
    child.cell.down('down', 'stopped');
    if (!inTime) log.error('actor did not stop', { actor: child.spec.name });
    return inTime;
  };

  watch();
  return {
    add: async (spec) => {
      const { child, cell } = enlist(spec);
      await live(child);
      return cell;
    },
    begin: (spec) => {
      const { child, cell } = enlist(spec);
      // As after a crash: a failed start ends the thread, which is a crash of its own.
      void live(child).catch(() => {});
      return cell;
    },
    states: () =>
      children.map(({ spec, cell, crashes, stuck, reason }) => ({
        name: spec.name,
        phase: cell.phase,
        reason,
        restarts: crashes.length + stuck,
        ...cell.load,
      })),
    stop: async () => {
      stopping = true;
      unwatch();
      const late: string[] = [];
      for (const siblings of inStopOrder(children)) {
        const inTime = await Promise.all(siblings.map(stopChild));
        late.push(...siblings.filter((_, i) => !inTime[i]).map(({ spec }) => spec.name));
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
    if (last?.[0]?.spec.contract === child.spec.contract) last.push(child);
    else groups.push([child]);
  }
  return groups;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
