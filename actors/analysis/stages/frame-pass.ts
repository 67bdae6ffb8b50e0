// One decode pass of a file for every stage that wants its frames, each at a size of its own and with credit
// of its own.
import { engineErrors } from '../../../runtime/errors.ts';
import type { AskOptions, FeedOptions } from '../../../runtime/ref.ts';
import { createQueue, type Queue } from '../../../runtime/sync/queue.ts';
import type { GridFrame, PictureShape } from '../../decoder/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import { frameRange, previewPage } from '../media/survey.ts';
import { filmFrames } from './film-sections.ts';
import type { DecoderActor, IndexActor } from './parts.ts';
import type { FileWork, FrameOptions } from './stage.ts';
import type { TaskContext } from './task-context.ts';

export interface Subscription {
  readonly frames: FileWork['frames'];
  /** The work has ended, or wants no frames. */
  end(): void;
}

interface Consumer {
  readonly options: FrameOptions;
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
  readonly #reader: DecoderActor | null;
  readonly #gone: MediaRecord | null;
  readonly #shared: number | null;
  /** Subscriptions that have neither asked for frames nor ended. */
  #undecided: number;
  readonly #decided = Promise.withResolvers<void>();
  readonly #consumers: Consumer[] = [];
  #delivery: Promise<void> | undefined;

  /**
   * `reader`: null for stages that want no frames. `works`: pieces of work on the file, each with a
   * subscription. The pass begins when each has decided. `gone`: the file is not there, and its frames are
   * its stored previews. `shared`: grid frames of a film with which idle decoders may help.
   */
  constructor(
    task: TaskContext,
    path: string,
    reader: DecoderActor | null,
    works: number,
    gone: MediaRecord | null = null,
    shared: number | null = null,
  ) {
    this.#task = task;
    this.#path = path;
    this.#reader = reader;
    this.#gone = gone;
    this.#shared = shared;
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
      frames: (options) => this.#frames(options, decide),
      end: decide,
    };
  }

  async *#frames(options: FrameOptions, decide: () => void): AsyncGenerator<GridFrame> {
    const consumer: Consumer = { options, ahead: createQueue<Delivered>(options.credit), gone: false };
    this.#consumers.push(consumer);
    decide();
    await this.#decided.promise;
    // Alone, as nearly always: the feed as it is.
    if (this.#consumers.length === 1) return yield* this.#feed([options.shape], options);
    if (!this.#delivery) {
      this.#delivery = this.#deliver();
      // The promise may fail before anything waits for it, or after it has left.
      this.#delivery.catch(() => {});
    }
    yield* taken(consumer, this.#delivery);
  }

  /** Decodes once, and hands each frame to everybody who is still there; as fast as the slowest of them. */
  async #deliver(): Promise<void> {
    const consumers = this.#consumers;
    const shapes = distinct(consumers.map(({ options }) => options.shape));
    const handleOf = new Map(
      consumers.map(({ options }) => [options, shapes.findIndex((shape) => isSame(shape, options.shape))]),
    );
    const preview = consumers.some(({ options }) => options.preview);
    const from = Math.min(...consumers.map(({ options }) => options.from ?? 0));
    const credit = shapes.length * Math.max(2, ...consumers.map(({ options }) => options.credit));
    const { pool } = this.#task.parts;
    const holder = pool.holder();
    try {
      const small = consumers.find(({ options }) => options.small)?.options.small;
      for await (const frame of this.#feed(shapes, { preview, credit, from, ...(small && { small }) })) {
        if (consumers.every(({ gone }) => gone)) return;
        const receivers = consumers.filter(
          ({ gone, options }) => !gone && frame.frame_index >= (options.from ?? 0),
        );
        const handles = [frame.picture, ...(frame.further_pictures ?? [])];
        await Promise.all(
          receivers.map(async ({ options, ahead }, at) => {
            const picture = handles[handleOf.get(options) ?? 0] ?? frame.picture;
            pool.hold(picture, holder);
            const release = () => pool.release(picture, holder);
            const consumerFrame = { ...frame, picture, preview: previewFor(frame, options, at) };
            if (!(await ahead.put({ frame: consumerFrame, release }))) release();
          }),
        );
      }
    } finally {
      for (const { ahead } of consumers) ahead.close();
    }
  }

  #feed(
    shapes: readonly PictureShape[],
    { preview, credit, signal, small, from = 0 }: Omit<FrameOptions, 'shape'>,
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
      ...(small && { small }),
    };
    const options = { signal: until, credit };
    if (this.#shared === null) return reader.feed('frames', request, options);
    const { idleDecoders: idle, parts } = task;
    const film = { reader, idle, frames: this.#shared, slots: parts.pool.count, log: parts.log };
    return filmFrames(request, options, film);
  }
}

async function* taken(consumer: Consumer, delivery: Promise<void>): AsyncGenerator<GridFrame> {
  const { options, ahead } = consumer;
  const stop = () => ahead.close();
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    for (let item = await ahead.take(); item; item = await ahead.take()) {
      try {
        if (options.signal?.aborted) throw options.signal.reason;
        yield item.frame;
      } finally {
        item.release();
      }
    }
    if (options.signal?.aborted) throw options.signal.reason;
    // Rejects when decoding failed.
    await delivery;
  } finally {
    options.signal?.removeEventListener('abort', stop);
    consumer.gone = true;
    ahead.close();
    for (let item = await ahead.take(); item; item = await ahead.take()) item.release();
  }
}

/** Bytes are moved on by whoever gets them: the first one gets them, the others a copy. */
function previewFor(frame: GridFrame, { preview }: FrameOptions, at: number): GridFrame['preview'] {
  if (!preview || !frame.preview) return null;
  return at === 0 ? frame.preview : new Uint8Array(frame.preview);
}

function distinct(shapes: readonly PictureShape[]): PictureShape[] {
  return shapes.filter((shape, at) => shapes.findIndex((candidate) => isSame(candidate, shape)) === at);
}

function isSame(first: PictureShape, second: PictureShape): boolean {
  return JSON.stringify(first) === JSON.stringify(second);
}

// The frames of a file that is gone: its stored previews, read a page at a time and decoded like those of a
// film.

interface StoredFramesParts {
  readonly index: IndexActor;
  readonly reader: DecoderActor;
  readonly cache_dir: string;
  readonly media: MediaRecord;
}

interface StoredFrameOptions {
  readonly shapes: readonly PictureShape[];
  readonly preview: boolean;
  readonly from: number;
}

/**
 * An item is *borrowed until the next round of the loop*. Frames without a preview that can be read are left
 * out.
 */
async function* storedFrames(
  { index, reader, cache_dir, media }: StoredFramesParts,
  { shapes, preview, from }: StoredFrameOptions,
  options: FeedOptions & { readonly signal: AbortSignal },
): AsyncGenerator<GridFrame> {
  const [shape, ...further_shapes] = shapes as [PictureShape, ...PictureShape[]];
  const { hash_str } = media.identity;
  const trims = shapes.some(({ trim_bars }) => trim_bars) && media.probe.grid_frames > 1;
  const bars = trims ? { bars: await barsOfFilm({ index, reader, cache_dir, media }, options.signal) } : {};
  for (let at = from; at < media.probe.grid_frames; at += previewPage) {
    const frameIndexes = frameRange(at, media);
    const query = { cache_dir, frames: frameIndexes.map((frame_index) => ({ hash_str, frame_index })) };
    const call: AskOptions = { signal: options.signal };
    const { previews } = await index.ask('previews', query, call);
    const frames = frameIndexes.flatMap((frame_index, i) => {
      const jpeg = previews[i];
      return jpeg ? [{ frame_index, jpeg }] : [];
    });
    if (frames.length === 0) continue;
    const request = { frames, shape, ...(further_shapes.length > 0 && { further_shapes }), preview, ...bars };
    yield* reader.feed('stored_frames', request, options);
  }
}

/** Pictures by which the black bars of a film are told, at most. */
const barPictures = 12;

/** Told from pictures all over the film, whatever part of it is wanted. */
async function barsOfFilm({ index, reader, cache_dir, media }: StoredFramesParts, signal: AbortSignal) {
  const { identity, probe } = media;
  const count = Math.min(barPictures, probe.grid_frames);
  const frames = Array.from({ length: count }, (_, i) => ({
    hash_str: identity.hash_str,
    frame_index: Math.floor(((i + 0.5) * probe.grid_frames) / count),
  }));
  const { previews } = await index.ask('previews', { cache_dir, frames }, { signal });
  const jpegs = previews.filter((jpeg) => jpeg !== null);
  return (await reader.ask('stored_bars', { jpegs }, { signal })).bars;
}
