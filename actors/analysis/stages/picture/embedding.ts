// Passes pictures from the decoders to the embedder and their vectors on to the index, for all files of a
// task. A frame that shows the same picture as one before it takes over its vector.
import type { SlotHandle } from '../../../../runtime/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import type { Ref } from '../../../../runtime/ref.ts';
import type { SlotPool } from '../../../../runtime/slots.ts';
import type { embedderContract, VisualModel } from '../../../embedder/contract.ts';
import type { indexContract } from '../../../index/contract.ts';
import { modelErrors } from '../../../models/contract.ts';
import type { AnalysisParts } from '../parts.ts';
import type { FileSpans } from '../stage.ts';
import { FrameChoice, reduced, SmallPicture } from './cuts.ts';
import type { Reuse } from './kind.ts';
import { isNear } from './near.ts';

// Joins the pictures of all files that are decoded at the same time into batches of the model's size: films
// fill their batches alone, stills share them. A batch goes out when it is full, or when no producer is left
// that could fill it.

export interface FramePicture<F> {
  readonly file: F;
  readonly frame: number;
  /** Null where the frame takes over the vector of the frame before it in the file. */
  readonly slot: SlotHandle | null;
  readonly preview: Uint8Array;
  /** Result of `Sink.see`. */
  readonly changed: number;
}

export type DecodedGridPicture = Omit<FramePicture<Sink>, 'changed'> & { readonly slot: SlotHandle };

export interface Batcher<F> {
  /** One more producer of pictures. */
  open(): void;
  /** Adds a picture; whoever adds it has already made sure that the slot stays held. */
  add(picture: FramePicture<F>): void;
  /** A producer has gone, or waits for something else. */
  shut(): void;
  /** Takes out every picture of a file that is given up. */
  remove(file: F): FramePicture<F>[];
}

/**
 * `send` gets 1 to `size` pictures in the order they were added. Pure: it decides when, `send` does the work.
 */
export function createBatcher<F>(size: number, send: (batch: FramePicture<F>[]) => void): Batcher<F> {
  let waiting: FramePicture<F>[] = [];
  let open = 0;
  const sendReady = () => {
    while (waiting.length >= size || (open === 0 && waiting.length > 0)) send(waiting.splice(0, size));
  };
  return {
    open: () => {
      open++;
    },
    add: (picture) => {
      waiting.push(picture);
      sendReady();
    },
    shut: () => {
      open--;
      sendReady();
    },
    remove: (file) => {
      const removed = waiting.filter((picture) => picture.file === file);
      waiting = waiting.filter((picture) => picture.file !== file);
      return removed;
    },
  };
}

/** A stage that the index has begun, with frames that were taken up. */
export interface StageStart {
  readonly stage: number;
  readonly stored_frames: number;
  /** Resumed frames, with the results of `Sink.see`. */
  readonly frames: Int32Array;
  readonly changed: Float32Array;
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
  #reused = 0;
  /** The slot of the last picture that is embedded, held so that those after it can be compared with it. */
  shown: SlotHandle | null = null;
  /** Vector of the last appended frame. */
  #vector: Float32Array | null = null;
  readonly #looks = new FrameChoice();
  #appended = 0;
  #closed = false;

  constructor(
    { stage, stored_frames, frames, changed }: StageStart,
    spans: FileSpans | null,
    onAppended: (frames: number) => void,
  ) {
    this.stage = stage;
    this.taken = stored_frames;
    for (let i = 1; i < frames.length; i++) this.#looks.note(frames[i]!, changed[i]!);
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

  /** Frames that take over a vector. */
  get reused(): number {
    return this.#reused;
  }

  added(slot: SlotHandle | null): void {
    this.#added++;
    if (slot === null) this.#reused++;
  }

  /** No more pictures come. */
  close(): void {
    this.#closed = true;
    this.#settle();
  }

  /**
   * How much the picture of a frame looks like another shot than the frame before it, 0 to 1; 1 of the first.
   * `picture`: null where it is the same.
   */
  see(frame: number, picture: SmallPicture | null): number {
    return picture === null ? 0 : this.#looks.see(frame, picture);
  }

  /** Grid frames that may begin another shot than the frame before them, ascending. */
  get looks(): readonly number[] {
    return this.#looks.frames;
  }

  /** The vector of the next frame, in the order of time; null takes over. */
  next(vector: Float32Array | null): Float32Array {
    this.#vector = vector ?? this.#vector;
    if (this.#vector === null) throw engineErrors.INTERNAL('the first frame has no picture before it');
    return this.#vector;
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
  /** A picture that is the same, as `reuse` has it, as the last one of the file that is embedded, is not. */
  add(picture: DecodedGridPicture): void;
  /** Shows the picture of the frame before the first one of a file that is taken up. */
  show(sink: Sink, frame: number, slot: SlotHandle): void;
  /** No more pictures of the file come. */
  close(sink: Sink): void;
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
  readonly reuse: Reuse;
  readonly signal: AbortSignal;
}

export function createEmbedding(parts: EmbeddingParts): Embedding {
  const { index, pool, model, reuse, signal } = parts;
  const slotHolds = heldSlots(pool, model.shape);
  const release = (pictures: readonly FramePicture<Sink>[]) =>
    slotHolds.release(pictures.map(({ slot }) => slot));
  const show = (sink: Sink, slot: SlotHandle | null) => {
    if (slot) slotHolds.hold(slot);
    slotHolds.release([sink.shown]);
    sink.shown = slot;
  };

  const send = (batch: FramePicture<Sink>[]) => {
    const slots = batch.flatMap(({ slot }) => slot ?? []);
    const embeddings = embed(slots, parts).finally(() => release(batch));
    embeddings.catch(() => {});
    for (const [sink, frames] of framesBySink(batch)) {
      sink.append(frames.length, async (keep) => append({ sink, frames, keep }, await embeddings));
    }
  };

  const append = async ({ sink, frames, keep }: Part, embeddings: readonly Float32Array[]) => {
    const message = { stage: sink.stage, ...appended(sink, frames, embeddings, model.dimensions) };
    const { vectors, changed, previews } = message;
    const transfer = [vectors.buffer, changed.buffer, ...previews.map(({ buffer }) => buffer as ArrayBuffer)];
    await index.ask('append', { ...message, keep }, { transfer, signal });
  };

  // A batch must fit into the slots beside what the decoders are ahead with, or it would never fill.
  const size = Math.max(1, Math.min(model.batch, pool.count >> 1));
  const batcher = createBatcher<Sink>(size, send);
  return {
    open: batcher.open,
    add: ({ file: sink, slot: decoded, ...frame }) => {
      const slot = sink.shown && slotHolds.isSame(sink.shown, decoded, reuse) ? null : decoded;
      if (slot) {
        slotHolds.hold(slot);
        // Never one that takes over, so that slow changes add up.
        if (reuse !== 'off') show(sink, slot);
      }
      sink.added(slot);
      const changed = sink.see(frame.frame, slot && slotHolds.look(slot));
      batcher.add({ ...frame, file: sink, slot, changed });
    },
    show: (sink, frame, slot) => sink.see(frame, slotHolds.look(slot)),
    close: (sink) => {
      show(sink, null);
      sink.close();
    },
    shut: batcher.shut,
    drop: (sink) => {
      show(sink, null);
      release(batcher.remove(sink));
    },
  };
}

/** Slots that are held here, each as often as it was taken. */
function heldSlots(pool: SlotPool, { width, height }: VisualModel['shape']) {
  const holder = pool.holder();
  const bytesOf = (slot: SlotHandle) => pool.view(slot).subarray(0, width * height * 3);
  return {
    hold: (slot: SlotHandle) => pool.hold(slot, holder),
    release: (slots: readonly (SlotHandle | null)[]) => {
      for (const slot of slots) if (slot) pool.release(slot, holder);
    },
    look: (slot: SlotHandle) => new SmallPicture(reduced(bytesOf(slot), width, height)),
    isSame: (first: SlotHandle, second: SlotHandle, reuse: Reuse) => {
      const [before, after] = [bytesOf(first), bytesOf(second)];
      return Buffer.compare(before, after) === 0 || (reuse === 'near' && isNear(before, after, width * 3));
    },
  };
}

async function embed(
  slots: readonly SlotHandle[],
  { embedder, models, model, signal }: EmbeddingParts,
): Promise<readonly Float32Array[]> {
  if (slots.length === 0) return [];
  const request = { model_key: model.model_key, pictures: [...slots] };
  const ask = () => embedder.ask('pictures', request, { slots, signal });
  const { vectors } = await ask().catch(async (error) => {
    // An embedder that came back after a crash has no model yet.
    if (!modelErrors.MODEL_NOT_LOADED.is(error)) throw error;
    await models.use(model.model_key, signal);
    return ask();
  });
  return slots.map((_, row) => vectors.subarray(row * model.dimensions, (row + 1) * model.dimensions));
}

/** Share of one file in a batch. */
interface Part {
  readonly sink: Sink;
  readonly frames: readonly BatchFrame[];
  /** A span ends with it. */
  readonly keep: boolean;
}

interface BatchFrame extends FramePicture<Sink> {
  /** Row of its picture in the batch; null if it has none of its own. */
  readonly row: number | null;
}

/** Frames of the batch by the file they belong to, in order. */
function framesBySink(batch: readonly FramePicture<Sink>[]): Map<Sink, readonly BatchFrame[]> {
  let rows = 0;
  const frames = batch.map((picture) => ({ ...picture, row: picture.slot ? rows++ : null }));
  return Map.groupBy(frames, ({ file }) => file);
}

/** Next frames of a file for the index. */
function appended(
  sink: Sink,
  part: readonly BatchFrame[],
  embeddings: readonly Float32Array[],
  dimensions: number,
) {
  const vectors = new Float32Array(part.length * dimensions);
  for (const [i, { row }] of part.entries()) {
    vectors.set(sink.next(row === null ? null : embeddings[row]!), i * dimensions);
  }
  const changed = Float32Array.from(part, (frame) => frame.changed);
  return {
    frames: part.map(({ frame }) => frame),
    vectors,
    previews: part.map(({ preview }) => preview),
    changed,
  };
}
