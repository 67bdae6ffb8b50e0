// An engine that holds a part of the library: it answers other nodes about that, and asks those that hold the
// other parts.
import { hostname } from 'node:os';
import type { Ref } from '../../runtime/ref.ts';
import type { indexContract } from '../index/contract.ts';
import type { Hold } from '../index/visual/contract.ts';
import { type ClusterChoice, partPort } from './contract.ts';
import { type Holder, missingIn } from './division.ts';
import type { Follower } from './follower.ts';
import { type HeldParts, HeldVectors } from './held-vectors.ts';
import { Holders, type HoldersParts } from './holders.ts';
import { jointIndex } from './joint-index.ts';
import { PartClient } from './part-client.ts';
import { PartServer } from './part-server.ts';

type Index = Ref<typeof indexContract>;

export type HoldingParts = Omit<HoldersParts, 'own'> &
  Omit<HeldParts, 'hold'> & {
    readonly nodeId: string;
    readonly choice: Pick<ClusterChoice, 'address'> & { readonly hold: Hold };
    readonly follower: Pick<Follower, 'until' | 'applied'>;
  };

export class Holding {
  readonly holder: Holder;
  readonly #parts: HoldingParts;
  readonly #holders: Holders;
  readonly #held: HeldVectors;
  readonly #server: PartServer;
  readonly #client = new PartClient(() => this.#holders.secret);

  constructor(parts: HoldingParts) {
    const { nodeId, choice, log } = parts;
    const address = choice.address === '' ? `${hostname()}:${partPort}` : choice.address;
    this.holder = { id: nodeId, address, hold: choice.hold };
    this.#parts = parts;
    this.#holders = new Holders({ ...parts, own: this.holder });
    this.#held = new HeldVectors({ ...parts, hold: choice.hold });
    this.#server = new PartServer({
      ...{ address, log },
      secret: () => this.#holders.secret,
      answer: (message, signal) => this.#held.answer(message, signal),
    });
  }

  /** `index`: of this engine. The same one where it has the whole library. */
  index(index: Index): Index {
    if (this.holder.hold.of === 1) return index;
    const { follower, log } = this.#parts;
    const asking = { holders: this.#holders, client: this.#client, applied: () => follower.applied, log };
    return jointIndex({ ...asking, index });
  }

  /** Parts that nobody is known to hold. */
  get missing(): number {
    return missingIn(this.#holders.division()).length;
  }

  /** INVALID_CONFIG where the address cannot be listened at. */
  async begin(): Promise<void> {
    await this.#server.begin();
    this.#holders.begin();
    this.#held.begin();
  }

  async stop(): Promise<void> {
    this.#client.close();
    await Promise.all([this.#server.stop(), this.#holders.stop(), this.#held.stop()]);
  }
}
