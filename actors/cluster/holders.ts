// Who holds which part of the library now: asked of the database again and again; while that is away, those
// who were known last.
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { Alarm } from './alarm.ts';
import { holdOf, silentSeconds } from './contract.ts';
import type { Database } from './database.ts';
import { type Division, divisionOf, type Holder } from './division.ts';

const LOOK_EVERY = 1_000;

export interface HoldersParts {
  readonly database: Database;
  /** This engine. */
  readonly own: Holder;
  readonly clock: Clock;
  readonly log: Log;
}

export class Holders {
  readonly #parts: HoldersParts;
  readonly #stop = new AbortController();
  readonly #resting = new Map<string, number>();
  #others: readonly Holder[] = [];
  #secret = '';
  #over: Promise<void> = Promise.resolve();

  constructor(parts: HoldersParts) {
    this.#parts = parts;
  }

  get own(): Holder {
    return this.#parts.own;
  }

  /** By which nodes know each other; empty until the database was there. */
  get secret(): string {
    return this.#secret;
  }

  begin(): void {
    const { clock, log } = this.#parts;
    const look = async () => {
      await this.look();
      return false;
    };
    const complain = (error: string) => log.error('it is not known who holds which part', { error });
    this.#over = new Alarm(clock).repeat(LOOK_EVERY, this.#stop.signal, look, complain);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  /** DATABASE_AWAY. */
  async look(): Promise<void> {
    const { database, own } = this.#parts;
    const [library] = await database.query<{ secret: string }>('select secret from framehound.library');
    const rows = await database.query<{ id: string; address: string; hold: string }>(
      `select id, address, hold from framehound.node
        where hold is not null and id <> $1 and seen > clock_timestamp() - make_interval(secs => $2)
        order by id`,
      [own.id, silentSeconds],
    );
    this.#secret = library!.secret;
    this.#others = rows.flatMap(({ id, address, hold: text }) => {
      const hold = holdOf(text);
      return hold === null ? [] : [{ id, address, hold }];
    });
  }

  /** The nodes that answer together now. */
  division(): Division {
    const { own, clock } = this.#parts;
    const now = clock.now();
    const awake = this.#others.filter(({ id }) => (this.#resting.get(id) ?? 0) <= now);
    return divisionOf([own, ...awake], own.hold)!;
  }

  /** It did not answer in time: others are asked until it would count as one that does not run. */
  rest({ id }: Holder): void {
    this.#resting.set(id, this.#parts.clock.now() + silentSeconds * 1000);
  }
}
