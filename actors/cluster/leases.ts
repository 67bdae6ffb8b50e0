// Duties that one node performs for all of them, such as watching folders. Its lease is renewed every few
// seconds; after ten seconds without a renewal another node takes over.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import { silentSeconds } from './contract.ts';
import type { Database } from './database.ts';

const RENEW_EVERY = 2_500;
/** ms after which the holder stops by itself: before others may take over. */
const SURE_FOR = 7_500;

export interface LeaseParts {
  readonly database: Database;
  readonly library: string;
  readonly clock: Clock;
}

export interface Lease {
  /** False also before `onLost` is called, where the machine has slept: another one may have it by now. */
  readonly isSure: boolean;
  /** Lets another one take over at once. Never rejects. */
  release(): Promise<void>;
}

export class Leases {
  readonly #parts: LeaseParts;
  /** Id of this engine. */
  readonly #holder = randomUUID();

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** Null when another node has it. `onLost`: it is of no use any more. DATABASE_AWAY. */
  async take(name: string, onLost: () => void): Promise<Lease | null> {
    const { clock } = this.#parts;
    let lastRenewal = clock.now();
    if (!(await this.#extend(name))) return null;
    let isOver = false;
    let disarm = () => {};
    const end = () => {
      isOver = true;
      disarm();
    };
    const later = () => {
      disarm = clock.after(RENEW_EVERY, () => void renew());
    };
    const renew = async () => {
      const now = clock.now();
      // After a long sleep of this machine another one may have it.
      let isHeld: boolean | null = now - lastRenewal < SURE_FOR ? null : false;
      const late = clock.after(Math.max(0, SURE_FOR - (now - lastRenewal)), () => {
        if (isOver) return;
        end();
        onLost();
      });
      isHeld ??= await this.#extend(name).catch(() => null);
      late();
      if (isOver) return;
      if (isHeld) lastRenewal = now;
      if (isHeld === false) {
        end();
        onLost();
      } else later();
    };
    later();
    return {
      get isSure() {
        return !isOver && clock.now() - lastRenewal < SURE_FOR;
      },
      release: async () => {
        if (isOver) return;
        end();
        await this.#end(name).catch(() => {});
      },
    };
  }

  /** True if this or another node has a lease whose name begins so. DATABASE_AWAY. */
  async isTaken(name: string): Promise<boolean> {
    const { database, library } = this.#parts;
    const rows = await database.query(
      'select 1 from framehound.lease where library = $1 and starts_with(name, $2) and until > clock_timestamp()',
      [library, name],
    );
    return rows.length > 0;
  }

  /** False when another node has it. */
  async #extend(name: string): Promise<boolean> {
    const { database, library } = this.#parts;
    const [row] = await database.query(
      `insert into framehound.lease as l (library, name, holder, until)
        values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
        on conflict (library, name) do update set holder = excluded.holder, until = excluded.until
          where l.holder = excluded.holder or l.until < clock_timestamp()
        returning 1`,
      [library, name, this.#holder, silentSeconds],
    );
    return row !== undefined;
  }

  async #end(name: string): Promise<void> {
    const { database, library } = this.#parts;
    await database.query('delete from framehound.lease where library = $1 and name = $2 and holder = $3', [
      library,
      name,
      this.#holder,
    ]);
  }
}
