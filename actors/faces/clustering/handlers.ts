// What the face actor answers about clusterings: opened, filled, stepped, read and closed.
import { type Handlers, Sent, type Turn } from '../../../runtime/actor.ts';
import { type Clock, systemClock } from '../../../runtime/clock.ts';
import type { Request } from '../../../runtime/contract.ts';
import { Mutex } from '../../../runtime/sync/mutex.ts';
import type { facesContract } from '../contract.ts';
import { Clustering } from './clustering.ts';
import { OpenClusterings } from './open-clusterings.ts';
import { Product, type ProductOptions } from './product.ts';
import { similarities } from './similarities.ts';

type Faces = typeof facesContract;
type Message =
  | 'cluster_open'
  | 'cluster_add'
  | 'cluster_step'
  | 'cluster_labels'
  | 'cluster_similarities'
  | 'cluster_close';

export interface ClusteringParts extends ProductOptions {
  readonly clock?: Clock;
}

export interface ClusteringHandlers {
  readonly handlers: Pick<Handlers<Faces>, Message>;
  /** Clusterings that are held. */
  readonly held: number;
  /** After the last turn. */
  close(): Promise<void>;
}

/** ms that a step works: short enough that faces are found in between, and that a cancel is quick. */
const stepMs = 100;

export function clusteringHandlers(parts: ClusteringParts): ClusteringHandlers {
  const { clock = systemClock, log } = parts;
  const open = new OpenClusterings(clock, log);
  const product = new SharedProduct(parts);
  return {
    handlers: {
      cluster_open: ({ dimensions, before, own_eps }) => ({
        clustering: open.add(new Clustering(dimensions, before, own_eps)),
      }),
      cluster_add: ({ clustering, vectors, weak }) => {
        open.get(clustering).add(vectors, weak);
        return {};
      },
      cluster_step: (request, turn) =>
        product.use(turn, (opened) => step(open.get(request.clustering), request, opened, clock, turn)),
      cluster_labels: ({ clustering }) => {
        const found = open.get(clustering).labels();
        const [labels, neighbours] = [found.labels.slice(), found.neighbours.slice()];
        return new Sent({ ...found, labels, neighbours }, { transfer: [labels.buffer, neighbours.buffer] });
      },
      cluster_similarities: ({ clustering, groups, references }, turn) =>
        product.use(turn, async (opened) => {
          const found = await similarities(open.get(clustering).entries, opened, groups, references);
          return new Sent(found, { transfer: [found.similarities.buffer] });
        }),
      cluster_close: ({ clustering }) => {
        open.close(clustering);
        return {};
      },
    },
    get held() {
      return open.size;
    },
    close: async () => {
      open.clear();
      await product.close();
    },
  };
}

async function step(
  clustering: Clustering,
  { eps, min_samples: minSamples }: Request<Faces, 'cluster_step'>,
  product: Product,
  clock: Clock,
  turn: Turn,
): Promise<{ done: boolean; fraction: number }> {
  const end = clock.now() + stepMs;
  let done = false;
  do {
    turn.throwIfCancelled();
    done = await clustering.advance({ eps, minSamples }, product);
  } while (!done && clock.now() < end);
  return { done, fraction: clustering.fraction };
}

/** One multiplication at a time, whose cosines are read before the next. Opened by the first who needs it. */
class SharedProduct {
  readonly #parts: ProductOptions;
  readonly #turns = new Mutex();
  #product: Product | null = null;

  constructor(parts: ProductOptions) {
    this.#parts = parts;
  }

  use<T>(turn: Turn, work: (product: Product) => Promise<T>): Promise<T> {
    return this.#turns.run(
      async () => {
        this.#product ??= await Product.open(this.#parts);
        return work(this.#product);
      },
      { signal: turn.signal },
    );
  }

  async close(): Promise<void> {
    await this.#product?.close();
    this.#product = null;
  }
}
