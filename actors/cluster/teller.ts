// Which node tells the outside world what happens in the cluster: it runs the saved searches and sends the
// events of webhooks, so that each is found and sent once.
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { Alarm } from './alarm.ts';
import type { Lease, Leases } from './leases.ts';

const NAME = 'events';
/** How often a node that does not tell asks whether it may. */
const ASK_EVERY = 2_000;

export interface TellerParts {
  readonly leases: Pick<Leases, 'take'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class Teller {
  readonly #parts: TellerParts;
  readonly #stop = new AbortController();
  #lease: Lease | null = null;
  #over: Promise<void> = Promise.resolve();

  constructor(parts: TellerParts) {
    this.#parts = parts;
  }

  /** Whether this node is the one that tells. */
  get tells(): boolean {
    return this.#lease?.isSure ?? false;
  }

  begin(): void {
    const { leases, clock, log } = this.#parts;
    const once = async () => {
      this.#lease ??= await leases.take(NAME, () => {
        this.#lease = null;
      });
      return false;
    };
    const complain = (error: string) => log.error('it cannot be asked which node sends events', { error });
    this.#over = new Alarm(clock).repeat(ASK_EVERY, this.#stop.signal, once, complain);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#over;
    await this.#lease?.release();
    this.#lease = null;
  }
}
