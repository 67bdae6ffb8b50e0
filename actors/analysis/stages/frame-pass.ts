// One decode pass of a file for every stage that wants its frames, each at a size of its own and with credit of its own.
import { engineErrors } from '../../../runtime/errors.ts';
import { createQueue, type Queue } from '../../../runtime/sync/queue.ts';
import type { GridFrame, PictureShape } from '../../decoder/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import type { Decoder } from './parts.ts';
import type { FileWork, FrameOptions } from './stage.ts';
import { storedFrames } from './stored-frames.ts';
import type { TaskContext } from './task-context.ts';

export interface Subscription {
  readonly frames: FileWork['frames'];
  /** The work has ended, or wants no frames. */
  end(): void;
}

interface Consumer {
  readonly wanted: FrameOptions;
  readonly ahead: Queue<Delivered>;
  gone: boolean;
}

interface Delivered {
  readonly frame: GridFrame;
  release(): void;
}

export class FramePass {
  readonly #task: TaskContext;
  readonly #path: string;
  readonly #reader: Decoder | null;
  readonly #gone: MediaRecord | null;
  /** Subscriptions that have neither asked for frames nor ended. */
  #undecided: number;
  readonly #decided = Promise.withResolvers<void>();
  readonly #consumers: Consumer[] = [];
  #delivery: Promise<void> | undefined;

  /**
   * `reader`: null for stages that want no frames. `works`: pieces of work on the file, each with a subscription. The pass
   * begins when each has decided. `gone`: the file is not there, and its frames are its stored previews.
   */
  constructor(
    task: TaskContext,
    path: string,
    reader: Decoder | null,
    works: number,
    gone: MediaRecord | null = null,
  ) {
    this.#task = task;
    this.#path = path;
    this.#reader = reader;
    this.#gone = gone;
    this.#undecided = works;
  }

  subscription(): Subscription {
    let decided = false;
    const decide = () => {
      if (decided) return;
      decided = true;
      if (--this.#undecided === 0) this.#decided.resolve();
    };
    return {
      frames: (wanted) => this.#frames(wanted, decide),
      end: decide,
    };
  }

  async *#frames(wanted: FrameOptions, decide: () => void): AsyncGenerator<GridFrame> {
    const consumer: Consumer = { wanted, ahead: createQueue<Delivered>(wanted.credit), gone: false };
    this.#consumers.push(consumer);
    decide();
    await this.#decided.promise;
    // Alone, as nearly always: the feed as it is.
    if (this.#consumers.length === 1) return yield* this.#feed([wanted.shape], wanted.preview, wanted);
    if (!this.#delivery) {
      this.#delivery = this.#deliver();
      // Whoever waits for it may come later than its failure, or have left.
      this.#delivery.catch(() => {});
    }
    yield* taken(consumer, this.#delivery);
  }

  /** Decodes once, and hands each frame to everybody who is still there; as fast as the slowest of them. */
  async #deliver(): Promise<void> {
    const consumers = this.#consumers;
    const shapes = distinct(consumers.map(({ wanted }) => wanted.shape));
    const handleOf = new Map(
      consumers.map(({ wanted }) => [wanted, shapes.findIndex((shape) => isSame(shape, wanted.shape))]),
    );
    const preview = consumers.some(({ wanted }) => wanted.preview);
    const from = Math.min(...consumers.map(({ wanted }) => wanted.from ?? 0));
    const credit = shapes.length * Math.max(2, ...consumers.map(({ wanted }) => wanted.credit));
    const { pool } = this.#task.parts;
    const holder = pool.holder();
    try {
      for await (const frame of this.#feed(shapes, preview, { credit, from })) {
        if (consumers.every(({ gone }) => gone)) return;
        const left = consumers.filter(({ gone, wanted }) => !gone && frame.frame_index >= (wanted.from ?? 0));
        const handles = [frame.picture, ...(frame.further_pictures ?? [])];
        await Promise.all(
          left.map(async ({ wanted, ahead }, at) => {
            const picture = handles[handleOf.get(wanted) ?? 0] ?? frame.picture;
            pool.hold(picture, holder);
            const release = () => pool.release(picture, holder);
            const own = { ...frame, picture, preview: previewFor(frame, wanted, at) };
            if (!(await ahead.put({ frame: own, release }))) release();
          }),
        );
      }
    } finally {
      for (const { ahead } of consumers) ahead.close();
    }
  }

  #feed(
    shapes: readonly PictureShape[],
    preview: boolean,
    { credit, signal, from = 0 }: Pick<FrameOptions, 'credit' | 'signal' | 'from'>,
  ): AsyncIterable<GridFrame> {
    const task = this.#task;
    const until = signal ? AbortSignal.any([task.signal, signal]) : task.signal;
    const reader = this.#reader;
    if (!reader) throw engineErrors.INTERNAL(`${this.#path}: a stage that reads nothing wants frames`);
    if (this.#gone) {
      const { cache_dir } = task.request;
      const parts = { index: task.parts.index, reader, cache_dir, media: this.#gone };
      return storedFrames(parts, { shapes, preview, from }, { signal: until, credit });
    }
    const [shape, ...further] = shapes as [PictureShape, ...PictureShape[]];
    const request = {
      path: this.#path,
      shape,
      ...(further.length > 0 && { further_shapes: further }),
      preview: preview ? task.parts.preview : null,
      mode: task.request.decode,
      from_frame: from,
    };
    return reader.feed('frames', request, { signal: until, credit });
  }
}

async function* taken(consumer: Consumer, delivery: Promise<void>): AsyncGenerator<GridFrame> {
  const { wanted, ahead } = consumer;
  const stop = () => ahead.close();
  wanted.signal?.addEventListener('abort', stop, { once: true });
  try {
    for (let one = await ahead.take(); one; one = await ahead.take()) {
      try {
        if (wanted.signal?.aborted) throw wanted.signal.reason;
        yield one.frame;
      } finally {
        one.release();
      }
    }
    if (wanted.signal?.aborted) throw wanted.signal.reason;
    // Rejects when decoding failed.
    await delivery;
  } finally {
    wanted.signal?.removeEventListener('abort', stop);
    consumer.gone = true;
    ahead.close();
    for (let one = await ahead.take(); one; one = await ahead.take()) one.release();
  }
}

/** Bytes are moved on by whoever gets them: the first one gets them, the others a copy. */
function previewFor(frame: GridFrame, { preview }: FrameOptions, at: number): GridFrame['preview'] {
  if (!preview || !frame.preview) return null;
  return at === 0 ? frame.preview : new Uint8Array(frame.preview);
}

function distinct(shapes: readonly PictureShape[]): PictureShape[] {
  return shapes.filter((shape, at) => shapes.findIndex((one) => isSame(one, shape)) === at);
}

function isSame(one: PictureShape, other: PictureShape): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
