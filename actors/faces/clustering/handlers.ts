// Handlers of the face actor that open, fill, step, read and close clusterings.

import { randomInt } from 'node:crypto';
import { type Handlers, Sent, type Turn } from '../../../runtime/actor.ts';
import { type Clock, systemClock } from '../../../runtime/clock.ts';
import type { Request } from '../../../runtime/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import { Mutex } from '../../../runtime/sync/locks.ts';
import { type facesContract, facesErrors } from '../contract.ts';
import { Clustering } from './clustering.ts';
import { type Entries, faultOf, TiledRows } from './entries.ts';
import { Product, type ProductOptions } from './product.ts';

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

interface ClusteringHandlers {
  readonly handlers: Pick<Handlers<Faces>, Message>;
  readonly openCount: number;
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
        const result = open.get(clustering).labels();
        const [labels, neighbours] = [result.labels.slice(), result.neighbours.slice()];
        return new Sent({ ...result, labels, neighbours }, { transfer: [labels.buffer, neighbours.buffer] });
      },
      cluster_similarities: ({ clustering, groups, references }, turn) =>
        product.use(turn, async (opened) => {
          const result = await similarities(open.get(clustering).entries, opened, groups, references);
          return new Sent(result, { transfer: [result.similarities.buffer] });
        }),
      cluster_close: ({ clustering }) => {
        open.close(clustering);
        return {};
      },
    },
    get openCount() {
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

// The clusterings that are open, by the number their callers know them by. One that nobody speaks of is
// dropped after a while: its caller is gone.

/** ms without a word. */
export const idleLimit = 10 * 60_000;

interface Open {
  readonly clustering: Clustering;
  stopTimer(): void;
}

class OpenClusterings {
  readonly #open = new Map<number, Open>();
  readonly #clock: Clock;
  readonly #log: Log;
  /** At random, so that a number of an earlier actor names no clustering of this one. */
  #last = randomInt(2 ** 40);

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  get size(): number {
    return this.#open.size;
  }

  add(clustering: Clustering): number {
    const number = ++this.#last;
    this.#keep(number, clustering);
    return number;
  }

  /** Throws CLUSTERING_LOST. */
  get(number: number): Clustering {
    const open = this.#open.get(number);
    if (open === undefined) throw facesErrors.CLUSTERING_LOST(`clustering: ${number} is not open`);
    open.stopTimer();
    this.#keep(number, open.clustering);
    return open.clustering;
  }

  close(number: number): void {
    this.#open.get(number)?.stopTimer();
    this.#open.delete(number);
  }

  clear(): void {
    for (const number of [...this.#open.keys()]) this.close(number);
  }

  #keep(number: number, clustering: Clustering): void {
    const stopTimer = this.#clock.after(idleLimit, () => {
      this.#log.warn('an unused clustering is dropped', {
        entries: clustering.entries.count,
      });
      this.#open.delete(number);
    });
    this.#open.set(number, { clustering, stopTimer });
  }
}

// How similar reference pictures are to groups of entries.

/** Entries of a group that count: a person looks different in most pictures, and the same in some. */
const mostSimilar = 3;
/** Similarity of a group without entries, lower than any other. */
const leastSimilarity = -1;

interface Similarities {
  readonly groups: number;
  /** m×groups. */
  readonly similarities: Float32Array<ArrayBuffer>;
}

/**
 * For each reference and group the mean cosine of the three entries of the group that are most like it, of
 * all of them where there are fewer; -1 for a group without entries. `groups`: one an entry, -1 for none.
 * Throws INVALID_MESSAGE.
 */
export async function similarities(
  entries: Entries,
  product: Product,
  groups: Int32Array,
  references: Float32Array,
): Promise<Similarities> {
  if (groups.length !== entries.count) {
    throw engineErrors.INVALID_MESSAGE(
      `groups: ${groups.length} are not one for each of ${entries.count} entries`,
    );
  }
  const checked = checkedReferences(references, entries.dimensions);
  const count = groups.reduce((most, group) => Math.max(most, group), -1) + 1;
  const best = new Float32Array(checked.count * count * mostSimilar).fill(Number.NEGATIVE_INFINITY);
  for (const [rows, positions] of [
    [entries.strong, entries.strongAt],
    [entries.weak, entries.weakAt],
  ] as const) {
    for (const block of checked.blocks(0, checked.count)) {
      for (const right of rows.blocks(0, rows.count)) {
        await product.multiply(block, right, entries.dimensions);
        const { cosines } = product;
        for (let i = 0; i < block.count; i++) {
          for (let j = 0; j < right.count; j++) {
            const group = groups[positions[right.at[j]!]!]!;
            if (group >= 0)
              insert(best, (block.at[i]! * count + group) * mostSimilar, cosines[i * right.count + j]!);
          }
        }
      }
    }
  }
  return { groups: count, similarities: means(best) };
}

function checkedReferences(references: Float32Array, dimensions: number): TiledRows {
  const count = references.length / dimensions;
  if (!Number.isInteger(count)) {
    throw engineErrors.INVALID_MESSAGE(
      `references: ${references.length} numbers are no vectors of ${dimensions}`,
    );
  }
  const rows = new TiledRows(dimensions, Math.max(1, Math.min(count, 256)));
  for (let i = 0; i < count; i++) {
    const fault = faultOf(references, i, dimensions);
    if (fault !== null) throw engineErrors.INVALID_MESSAGE(`references: vector ${i} ${fault}`);
    rows.add(references.subarray(i * dimensions, (i + 1) * dimensions));
  }
  return rows;
}

/** Keeps the greatest values of a list, descending. */
function insert(best: Float32Array, first: number, cosine: number): void {
  let at = first + mostSimilar - 1;
  if (cosine <= best[at]!) return;
  for (; at > first && best[at - 1]! < cosine; at--) best[at] = best[at - 1]!;
  best[at] = cosine;
}

function means(best: Float32Array): Float32Array<ArrayBuffer> {
  const result = new Float32Array(best.length / mostSimilar);
  for (let i = 0; i < result.length; i++) {
    const cosines = best
      .subarray(i * mostSimilar, (i + 1) * mostSimilar)
      .filter((cosine) => cosine > Number.NEGATIVE_INFINITY);
    const sum = cosines.reduce((total, cosine) => total + cosine, 0);
    result[i] = cosines.length === 0 ? leastSimilarity : sum / cosines.length;
  }
  return result;
}
