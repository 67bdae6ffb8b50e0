// Passes pictures from the decoders to the embedder and their vectors on to the index, for all files of a
// task.
import type { Reply, SlotHandle } from '../../../../runtime/contract.ts';
import type { Ref } from '../../../../runtime/ref.ts';
import type { SlotPool } from '../../../../runtime/slots.ts';
import type { embedderContract, VisualModel } from '../../../embedder/contract.ts';
import type { indexContract } from '../../../index/contract.ts';
import { modelErrors } from '../../../models/contract.ts';
import type { AnalysisParts } from '../parts.ts';
import type { FileSpans } from '../stage.ts';
import { createBatcher, type Picture } from './batch.ts';
import { changedShare } from './changed.ts';

/** A stage that the index has begun, with frames that were taken up. */
export interface StageStart {
  readonly stage: number;
  readonly kept: number;
}

/** Where the frames of one file go. */
export class Sink {
  readonly stage: number;
  /** Frames of the stage that were taken up. */
  readonly taken: number;
  readonly #spans: FileSpans | null;
  /** Told how many frames were appended. */
  readonly #onAppended: (frames: number) => void;
  readonly #done = Promise.withResolvers<number>();
  /** Appends one after another, in the order the pictures were sent. */
  #chain: Promise<void> = Promise.resolve();
  #added = 0;
  /** The blocks of the last frame that was appended. */
  #blocks: Uint8Array | null = null;
  #appended = 0;
  #closed = false;

  constructor({ stage, kept }: StageStart, spans: FileSpans | null, onAppended: (frames: number) => void) {
    this.stage = stage;
    this.taken = kept;
    this.#spans = spans;
    this.#onAppended = onAppended;
    this.#done.promise.catch(() => {});
  }

  /** Resolves to the number of frames when all that were added are appended; rejects with the first error. */
  get done(): Promise<number> {
    return this.#done.promise;
  }

  /** Resolves when every append that was begun has ended, failed or not. */
  get quiet(): Promise<void> {
    return this.#chain.catch(() => {});
  }

  added(): void {
    this.#added++;
  }

  /** No more pictures come. */
  close(): void {
    this.#closed = true;
    this.#settle();
  }

  /**
   * Share of the picture that differs from the frame before it; 1 of the first. Frames in the order of time.
   */
  changed(blocks: Uint8Array): number {
    const before = this.#blocks;
    this.#blocks = blocks;
    return before === null ? 1 : changedShare(before, blocks);
  }

  /** `work` is told whether a span ends with these frames. */
  append(frames: number, work: (keep: boolean) => Promise<void>): void {
    this.#chain = this.#chain.then(async () => {
      const amount = this.taken + this.#appended + frames;
      const keep = this.#spans?.isDue(amount) ?? false;
      await work(keep);
      if (keep) this.#spans?.kept(amount);
      this.#appended += frames;
      this.#onAppended(frames);
      this.#settle();
    });
    this.#chain.catch((error) => this.#done.reject(error));
  }

  #settle(): void {
    if (this.#closed && this.#appended === this.#added) this.#done.resolve(this.#appended);
  }
}

export interface Embedding {
  /** One more producer of pictures, of one file after another. */
  open(): void;
  add(picture: Picture<Sink>): void;
  /** A producer has gone, or waits for what others have sent. */
  shut(): void;
  /** Drops what still waits of a file that is given up. */
  drop(sink: Sink): void;
}

export interface EmbeddingParts {
  readonly embedder: Ref<typeof embedderContract>;
  readonly models: AnalysisParts['models'];
  readonly index: Ref<typeof indexContract>;
  readonly pool: SlotPool;
  readonly model: VisualModel;
  readonly signal: AbortSignal;
}

export function createEmbedding({ embedder, models, index, pool, model, signal }: EmbeddingParts): Embedding {
  const holder = pool.holder();
  const release = (pictures: readonly Picture<Sink>[]) => {
    for (const { slot } of pictures) pool.release(slot, holder);
  };

  const embed = async (slots: readonly SlotHandle[]): Promise<Embedded> => {
    const request = { model_key: model.model_key, pictures: [...slots], blocks: true };
    try {
      return await embedder.ask('pictures', request, { slots, signal });
    } catch (error) {
      // An embedder that came back after a crash has no model yet.
      if (!modelErrors.MODEL_NOT_LOADED.is(error)) throw error;
      await models.use(model.model_key, signal);
      return embedder.ask('pictures', request, { slots, signal });
    }
  };

  const send = (batch: Picture<Sink>[]) => {
    const vectors = embed(batch.map(({ slot }) => slot)).finally(() => release(batch));
    vectors.catch(() => {});
    for (const [sink, rows] of rowsBySink(batch)) {
      sink.append(rows.length, async (keep) => append({ sink, rows, keep }, batch, await vectors));
    }
  };

  const append = async ({ sink, rows, keep }: Part, batch: Picture<Sink>[], all: Embedded) => {
    const d = model.dimensions;
    const vectors = new Float32Array(rows.length * d);
    rows.forEach((row, i) => {
      vectors.set(all.vectors.subarray(row * d, (row + 1) * d), i * d);
    });
    const size = (all.blocks?.length ?? 0) / batch.length;
    const changed = Float32Array.from(rows, (row) =>
      all.blocks ? sink.changed(all.blocks.subarray(row * size, (row + 1) * size)) : 1,
    );
    const previews = rows.map((row) => batch[row]!.preview);
    const frames = rows.map((row) => batch[row]!.frame);
    const transfer = [vectors.buffer, changed.buffer, ...previews.map(({ buffer }) => buffer as ArrayBuffer)];
    const request = { stage: sink.stage, frames, vectors, previews, changed, keep };
    await index.ask('append', request, { transfer, signal });
  };

  // A batch must fit into the slots beside what the decoders are ahead with, or it would never fill.
  const size = Math.max(1, Math.min(model.batch, pool.count >> 1));
  const batcher = createBatcher<Sink>(size, send);
  return {
    open: batcher.open,
    add: (picture) => {
      pool.hold(picture.slot, holder);
      picture.file.added();
      batcher.add(picture);
    },
    shut: batcher.shut,
    drop: (sink) => release(batcher.remove(sink)),
  };
}

type Embedded = Reply<typeof embedderContract, 'pictures'>;

/** What a batch holds of one file. */
interface Part {
  readonly sink: Sink;
  readonly rows: readonly number[];
  /** A span ends with it. */
  readonly keep: boolean;
}

/** Rows of the batch by the file they belong to, in order. */
function rowsBySink(batch: readonly Picture<Sink>[]): Map<Sink, number[]> {
  const rows = new Map<Sink, number[]>();
  batch.forEach(({ file }, row) => {
    rows.set(file, [...(rows.get(file) ?? []), row]);
  });
  return rows;
}
