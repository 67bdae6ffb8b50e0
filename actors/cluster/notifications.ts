// Which node tells the outside world what happens in the cluster: it runs the saved searches and sends the
// events of webhooks. It goes through the log, and records how far it has come, so that the node that takes
// over leaves nothing out.
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { Alarm } from './alarm.ts';
import type { Telling, ToldListener } from './contract.ts';
import type { Sql } from './database.ts';
import type { Lease, Leases } from './leases.ts';
import { type ClusterChange, changesAfter } from './log.ts';
import type { RootPaths } from './places.ts';

const NAME = 'events';
/** ms until a node that does not tell asks whether it may, and one that does records how far it is. */
const LOOK_EVERY = 2_000;
/** Changes read at once. */
const TOGETHER = 100;

export interface NotificationsParts {
  readonly leases: Pick<Leases, 'take'>;
  readonly database: Sql;
  readonly library: string;
  readonly places: Pick<RootPaths, 'own'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** From when a node may tell until it may not any more. */
interface Turn {
  readonly lease: Lease;
  /** The last change that was told. */
  lastSent: number;
  /** The last one of which everything was made, and the last one that is recorded as such. */
  done: number;
  recorded: number;
  /** Sequence numbers behind `done` that were sent, in order. */
  readonly open: { readonly seq: number; isDone: boolean }[];
}

export class Notifications implements Telling {
  readonly #parts: NotificationsParts;
  readonly #stop = new AbortController();
  readonly #alarm: Alarm;
  readonly #listeners = new Set<ToldListener>();
  /** The last change that the replica has. */
  #applied: number;
  #turn: Turn | null = null;
  #over: Promise<void> = Promise.resolve();

  /** `applied`: the last change that the replica has. */
  constructor(parts: NotificationsParts, applied: number) {
    this.#parts = parts;
    this.#alarm = new Alarm(parts.clock);
    this.#applied = applied;
  }

  get tells(): boolean {
    return this.#turn?.lease.isSure ?? false;
  }

  subscribe(listener: ToldListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  begin(): void {
    const complain = (error: string) => this.#parts.log.error('events cannot be sent', { error });
    this.#over = this.#alarm.repeat(LOOK_EVERY, this.#stop.signal, () => this.#step(), complain);
  }

  /** The replica has this change. */
  applied(change: ClusterChange): void {
    this.#applied = change.seq;
    if (!this.tells) return;
    // Nearly always it is the next one, and need not be read again.
    if (this.#turn?.lastSent === change.seq - 1) this.#tell(this.#turn, change);
    else this.#alarm.ring();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
    const turn = this.#turn;
    this.#turn = null;
    if (turn === null) return;
    await this.#record(turn).catch(() => {
      // The next node repeats some.
    });
    await turn.lease.release();
  }

  /** True when there is more to tell. */
  async #step(): Promise<boolean> {
    // One that is not sure any more never is again.
    if (!this.tells) this.#turn = await this.#begun();
    const turn = this.#turn;
    if (turn === null || !this.tells) return false;
    const isMore = turn.lastSent < this.#applied && (await this.#catchUp(turn));
    await this.#record(turn);
    return isMore;
  }

  /** Null while another node tells. */
  async #begun(): Promise<Turn | null> {
    const { leases, database, library } = this.#parts;
    const lease = await leases.take(NAME, () => {
      this.#turn = null;
    });
    if (lease === null) return null;
    try {
      const [row] = await database.query<{ told: string | null }>(
        'select told from framehound.library where id = $1',
        [library],
      );
      const recorded = Number(row!.told ?? -1);
      const start = row!.told === null ? this.#applied : recorded;
      return { lease, lastSent: start, done: start, recorded, open: [] };
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  /** Tells what happened while nobody did. */
  async #catchUp(turn: Turn): Promise<boolean> {
    const { database, library, log } = this.#parts;
    const { cut, changes } = await changesAfter(
      database,
      library,
      { seq: turn.lastSent, at_ms: 0 },
      TOGETHER,
    );
    if (cut > turn.lastSent) {
      log.error('events were left out, because the log was cut', { changes: cut - turn.lastSent });
      turn.lastSent = turn.done = cut;
    }
    for (const change of changes) {
      if (!this.tells || change.seq > this.#applied) return false;
      if (change.seq > turn.lastSent) this.#tell(turn, change);
    }
    return turn.lastSent < this.#applied;
  }

  #tell(turn: Turn, { seq, body }: ClusterChange): void {
    turn.lastSent = seq;
    const deliveries: Promise<void>[] = [];
    if (body.kind === 'results') {
      const { task_id, results, standing } = body;
      for (const [at, result] of this.#parts.places.own(results).entries())
        deliveries.push(...this.#notify(task_id, { type: 'result', result }, `${seq}.${at}`));
      if (standing.end !== null)
        deliveries.push(...this.#notify(task_id, { type: 'end', ...standing.end }, `${seq}`));
    }
    const entry = { seq, isDone: deliveries.length === 0 };
    turn.open.push(entry);
    this.#advance(turn);
    if (entry.isDone) return;
    void Promise.all(deliveries).then(() => {
      entry.isDone = true;
      this.#advance(turn);
    });
  }

  #notify(...[task_id, event, key]: Parameters<ToldListener>): Promise<void>[] {
    const complain = (error: unknown) =>
      this.#parts.log.error('an event cannot be handled', { task_id, error });
    return [...this.#listeners].map((listener) => listener(task_id, event, key).catch(complain));
  }

  #advance(turn: Turn): void {
    const firstOpen = turn.open.findIndex(({ isDone }) => !isDone);
    const done = turn.open.splice(0, firstOpen === -1 ? turn.open.length : firstOpen);
    turn.done = done.at(-1)?.seq ?? turn.done;
  }

  async #record(turn: Turn): Promise<void> {
    const { done } = turn;
    if (done <= turn.recorded || !turn.lease.isSure) return;
    const { database, library } = this.#parts;
    await database.query('update framehound.library set told = greatest(told, $2::bigint) where id = $1', [
      library,
      done,
    ]);
    turn.recorded = done;
  }
}
