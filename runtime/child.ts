// One supervised actor: its thread is started, restarted after a crash, replaced when it is stuck, and
// stopped. What to do after a crash is decided in restart.ts; callers keep the same reference while threads
// come and go.
import type { Budget } from './budget.ts';
import type { Clock } from './clock.ts';
import type { Contract } from './contract.ts';
import { engineErrors } from './errors.ts';
import type { Log } from './log.ts';
import { Cell, type Phase, type Ref } from './ref.ts';
import { defaultPolicy, lateStartVerdict, type RestartPolicy, stuckVerdict, verdict } from './restart.ts';
import type { SlotPool } from './slots.ts';
import type { Link } from './wire.ts';

/** Calls that may wait for an actor in each lane: a thousand clients, each of which may ask a few times. */
const MAILBOX_CAPACITY = 4096;

export interface ChildSpec<C extends Contract = Contract> {
  readonly name: string;
  readonly contract: C;
  /** Starts a new thread of the actor. */
  start(): Link;
  /**
   * A turn without a sign of life for longer than this makes the actor stuck; the contract's when left out.
   */
  readonly turnLimitMs?: number;
  /** Messages that may wait in each lane. */
  readonly capacity?: number;
  readonly policy?: RestartPolicy;
  /**
   * Replaced however often it is stuck: what it waits for is no fault of the engine, and the others go on
   * without it.
   */
  readonly isSpare?: boolean;
}

/** ms without a call after which a process is ended. */
const UNUSED_MS = 60_000;

export interface ChildState {
  readonly name: string;
  readonly phase: Phase;
  readonly reason: string;
  readonly restarts: number;
  readonly waiting: number;
  readonly running: number;
}

/** Environment of a child, given by its supervisor. */
interface Supervision {
  readonly clock: Clock;
  readonly log: Log;
  readonly pool: SlotPool | undefined;
  readonly budget: Budget | undefined;
  readonly startLimitMs: number;
  readonly stopLimitMs: number;
  /** Aborted when the supervisor stops: nothing is started any more. */
  readonly stopping: AbortSignal;
  /** The actor is stuck a second time. */
  onFatal(name: string): void;
}

export class Child<C extends Contract = Contract> {
  readonly #spec: ChildSpec<C>;
  readonly #supervision: Supervision;
  readonly #cell: Cell<C>;
  /** The thread that takes calls, or is starting to. */
  #link: Link | undefined;
  /** Threads that were given up and have not ended yet. */
  readonly #abandoned = new Set<Link>();
  /** The one that took calls last. */
  #attached: Link | undefined;
  /** Processes that ended while they took calls, or were stuck. */
  #processEnds = 0;
  /** The thread that loads its code; it hears of a stop when it has. */
  #starting: Link | undefined;
  readonly #crashTimes: number[] = [];
  readonly #stuckTimes: number[] = [];
  /** Starts in a row that took too long, and how long the next one may take. */
  #lateStarts = 0;
  #startLimitMs: number;
  #reason = '';

  /** `wake`: called at the first call, has to start the actor; whoever leaves it out starts it at once. */
  constructor(spec: ChildSpec<C>, supervision: Supervision, wake?: () => void) {
    const { name, contract, capacity = MAILBOX_CAPACITY } = spec;
    const { pool, budget, clock } = supervision;
    this.#spec = spec;
    this.#supervision = supervision;
    this.#startLimitMs = supervision.startLimitMs;
    this.#cell = new Cell(name, contract, { capacity, pool, budget, wake, now: clock.now });
  }

  get ref(): Ref<C> {
    return this.#cell;
  }

  get contract(): C {
    return this.#spec.contract;
  }

  get state(): ChildState {
    return {
      name: this.#spec.name,
      phase: this.#cell.phase,
      reason: this.#reason,
      restarts: this.#crashTimes.length + this.#stuckTimes.length + this.#processEnds,
      ...this.#cell.load,
    };
  }

  /** Resolves when the actor takes calls. Rejects with what kept it from starting. */
  async start(): Promise<void> {
    const link = this.#spec.start();
    this.#link = link;
    void link.exited.then(({ reason }) => {
      this.#abandoned.delete(link);
      if (this.#link !== link || this.#supervision.stopping.aborted) return;
      if (link.kill && this.#attached === link) this.#processEnded(reason);
      else this.#crashed(reason);
    });
    await this.#ready(link);
    // A stop may have come while the actor was starting.
    if (this.#supervision.stopping.aborted || this.#link !== link) return;
    this.#attached = link;
    this.#cell.attach(link);
    this.#reason = '';
    this.#lateStarts = 0;
    this.#startLimitMs = this.#supervision.startLimitMs;
  }

  /**
   * The same for callers that wait for nothing: a thread that fails to start ends, and that is handled as a
   * crash.
   */
  startInBackground(): void {
    void this.start().catch(() => {});
  }

  /**
   * A thread that hangs while it starts is abandoned, and the calls that wait for it fail; another one is
   * started later and may take longer.
   */
  async #ready(link: Link): Promise<void> {
    const { clock, log, stopping } = this.#supervision;
    const late = Promise.withResolvers<never>();
    const limitMs = this.#startLimitMs;
    const cancelTimer = clock.after(limitMs, () => {
      const reason = `did not start within ${limitMs} ms`;
      const next = lateStartVerdict(++this.#lateStarts, this.#supervision.startLimitMs);
      this.#startLimitMs = next.limitMs;
      log.error('actor did not start', { actor: this.#spec.name, limit_ms: limitMs, after_ms: next.afterMs });
      this.#reason = reason;
      this.#abandon(link);
      this.#cell.down('down', reason);
      late.reject(engineErrors.ACTOR_STUCK(`${this.#spec.name} ${reason}`));
      clock.after(next.afterMs, () => {
        if (!stopping.aborted) this.startInBackground();
      });
    });
    this.#starting = link;
    await Promise.race([link.ready, late.promise]).finally(() => {
      cancelTimer();
      if (this.#starting === link) this.#starting = undefined;
    });
  }

  #crashed(reason: string): void {
    const { clock, log, stopping } = this.#supervision;
    this.#link = undefined;
    this.#crashTimes.push(clock.now());
    const next = verdict(this.#crashTimes, clock.now(), this.#spec.policy ?? defaultPolicy);
    log.error('actor crashed', { actor: this.#spec.name, reason, next: next.do });
    this.#reason = reason;
    if (next.do === 'give-up') {
      this.#cell.down('down', `${next.reason}; last: ${firstLine(reason)}`);
      return;
    }
    this.#cell.phase = 'starting';
    clock.after(next.afterMs, () => {
      if (!stopping.aborted) this.startInBackground();
    });
  }

  /** A process that ends takes along the turns that it worked on, and says nothing about the next one. */
  #processEnded(reason: string): void {
    this.#link = undefined;
    this.#processEnds++;
    this.#reason = reason;
    this.#supervision.log.warn('process of an actor ended', { actor: this.#spec.name, reason });
    this.#cell.rest();
  }

  /**
   * To be called every now and then: replaces the thread when a turn has shown no sign of life for too long,
   * and ends a process that nobody calls.
   */
  look(): void {
    const { contract, turnLimitMs = contract.turnLimitMs } = this.#spec;
    if (this.#cell.phase !== 'ready') return;
    if (this.#cell.longestTurnMs() > turnLimitMs) this.#replace(turnLimitMs);
    else if (this.#link?.kill && this.#cell.unusedMs > UNUSED_MS) {
      this.#abandon(this.#link);
      this.#cell.rest();
    }
  }

  #replace(limit_ms: number): void {
    const { name } = this.#spec;
    this.#cell.phase = 'stuck';
    this.#reason = `a turn showed no sign of life for ${limit_ms} ms`;
    this.#supervision.log.error('actor is stuck', { actor: name, limit_ms });
    this.#cell.abandon();
    const link = this.#link!;
    this.#abandon(link);
    if (link.kill) {
      this.#processEnds++;
      link.kill();
      this.#cell.rest();
      return;
    }
    const now = this.#supervision.clock.now();
    this.#stuckTimes.push(now);
    if (!this.#spec.isSpare && stuckVerdict(this.#stuckTimes, now) === 'restart-engine') {
      this.#cell.down('down', 'stuck again within half an hour');
      this.#supervision.onFatal(name);
      return;
    }
    this.startInBackground();
  }

  /** Threads are never terminated: this one is asked to stop, and ends when it can. */
  #abandon(link: Link): void {
    this.#abandoned.add(link);
    this.#link = undefined;
    link.stop();
  }

  /**
   * Asks every thread to stop. False when one has not ended within the limit. One that is still starting may
   * take as long as a start may: on a busy machine native code loads slowly, and nothing of it can be lost.
   */
  async stop(): Promise<boolean> {
    const { clock, log, startLimitMs, stopLimitMs } = this.#supervision;
    const limitMs = this.#starting ? Math.max(startLimitMs, stopLimitMs) : stopLimitMs;
    this.#cell.down('stopping', 'the engine is stopping');
    const links = [...this.#abandoned, ...(this.#link ? [this.#link] : [])];
    for (const link of links) link.stop();
    const ended = Promise.all(links.map((link) => link.exited)).then(() => true);
    const late = Promise.withResolvers<boolean>();
    const cancelTimer = clock.after(limitMs, () => late.resolve(false));
    const inTime = await Promise.race([ended, late.promise]);
    cancelTimer();
    this.#cell.down('down', 'stopped');
    if (!inTime) log.error('actor did not stop', { actor: this.#spec.name });
    return inTime;
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
