// The pictures of one task: surveys every file, looks at those whose visual stage is missing, and stores what it saw. Files
// run side by side as far as decoders and slots allow.
import { engineErrors } from '../../../../runtime/errors.ts';
import type { Ref } from '../../../../runtime/ref.ts';
import { KeyedLock } from '../../../../runtime/sync/keyed-lock.ts';
import { createQueue } from '../../../../runtime/sync/queue.ts';
import type { decoderContract } from '../../../decoder/contract.ts';
import type { VisualModel } from '../../../embedder/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import { nextStep } from '../../plan.ts';
import { quarantined } from '../../recovery/journalled.ts';
import { stageKey } from '../../recovery/quarantine.ts';
import type { Task } from '../../task.ts';
import type { WorkTracker } from '../../tracker.ts';
import { lookAt, type VisualParts, worthAnotherTry } from '../stages.ts';
import { createEmbedding } from './embedding.ts';

type Decoder = Ref<typeof decoderContract>;

/** Files whose last vectors are still on their way while their decoder has gone on. */
const UNFINISHED = 64;
const SURVEYS = 2;
const SURVEYED_AHEAD = 4096;

export class Looking {
  readonly #task: Task;
  readonly #tracker: WorkTracker;
  readonly #signal: AbortSignal;
  readonly #visual: VisualParts;
  readonly #queue = createQueue<MediaRecord>(SURVEYED_AHEAD);
  readonly #unfinished = new Set<Promise<void>>();
  /** Files that were running when an engine died: looked at last and alone, so that a second death tells which it was. */
  readonly #suspects: MediaRecord[] = [];
  readonly #locks = new KeyedLock();

  constructor(task: Task, model: VisualModel) {
    const { embedder, index, pool, preview } = task.parts;
    const { signal, request } = task;
    this.#task = task;
    this.#tracker = task.tracker.video;
    this.#signal = signal;
    const embedding = createEmbedding({ embedder, index, pool, model, signal });
    const { cache_dir: cacheDir, decode } = request;
    this.#visual = { cacheDir, decode, preview, model, index, embedding, pool };
  }

  async run(): Promise<void> {
    const lookers = this.#task.parts.decoders.map((decoder) => this.#lookThrough(decoder));
    // When every decoder is down, the files that are left fail one by one with that reason.
    const rest = Promise.all(lookers).then(() => this.#failTheRest());
    await this.#surveyAll();
    await rest;
    await Promise.all(this.#unfinished);
    await this.#lookAtSuspects();
  }

  async #lookAtSuspects(): Promise<void> {
    for (const media of this.#suspects) {
      const decoder =
        this.#task.parts.decoders.find(({ phase }) => phase !== 'down') ?? this.#task.parts.prober;
      await this.#lookAndGoOn(media, decoder, await this.#claim(media.identity.hash_str));
      await Promise.all(this.#unfinished);
    }
  }

  async #failTheRest(): Promise<void> {
    for (let media = await this.#queue.take(); media; media = await this.#queue.take()) {
      this.#tracker.failure(
        media.path,
        engineErrors.ACTOR_DOWN(`${media.path}: every decoder is down`),
        media,
      );
    }
  }

  async #surveyAll(): Promise<void> {
    const left = this.#task.request.paths.values();
    const one = async () => {
      for (const path of left) await this.#survey(path);
    };
    await Promise.all(Array.from({ length: SURVEYS }, one));
    this.#tracker.surveyed();
    this.#queue.close();
  }

  #failed(path: string, error: unknown, media?: MediaRecord): void {
    this.#tracker.failure(path, this.#task.failure(path, error), media);
  }

  async #survey(path: string): Promise<void> {
    const { index, journal } = this.#task.parts;
    const { cache_dir } = this.#task.request;
    const model = this.#visual.model.model_key;
    try {
      if (this.#signal.aborted) throw engineErrors.CANCELLED(`${path}: was not looked at`);
      const media = await this.#task.surveys.media(path);
      const hashes = [media.identity.hash_str];
      const { stored } = await index.ask(
        'stored',
        { cache_dir, model_key: model, hashes },
        { signal: this.#signal },
      );
      const step = nextStep({
        media,
        model,
        stored: stored[0] ?? false,
        redo: this.#task.redo('video', path),
        pardon: this.#task.pardon,
        journal: journal.before,
      });
      if (step === 'stored') this.#tracker.result(path, 'stored', media, media.probe.grid_frames);
      else if (step === 'no_picture') this.#tracker.result(path, 'no_picture', media);
      else if (step === 'quarantined') throw quarantined(path);
      else {
        this.#tracker.toDo(media);
        const key = stageKey(media.identity.hash_str, 'visual', model);
        if (journal.before.crashes.has(key)) this.#suspects.push(media);
        else await this.#queue.put(media);
      }
    } catch (error) {
      this.#failed(path, error);
    }
  }

  /** One decoder's way through the files. It counts as somebody who fills batches until there is no file left. */
  async #lookThrough(decoder: Decoder): Promise<void> {
    const { embedding } = this.#visual;
    embedding.open();
    try {
      // A decoder that is down leaves the files to the others.
      while (decoder.phase !== 'down') {
        const media = await this.#queue.take();
        if (!media) return;
        const done = await this.#claim(media.identity.hash_str);
        await this.#lookAndGoOn(media, decoder, done);
      }
    } finally {
      embedding.shut();
    }
  }

  #claim(hash: string): Promise<() => void> {
    return this.#locks.acquire(hash, (earlier) => this.#whileOthersFill(earlier));
  }

  /** What is waited for may itself wait for a batch, which those who wait will not fill. */
  async #whileOthersFill(wait: Promise<unknown>): Promise<void> {
    this.#visual.embedding.shut();
    await wait;
    this.#visual.embedding.open();
  }

  /** Resolves when the decoder is free; the file's last vectors may still be on their way. */
  async #lookAndGoOn(media: MediaRecord, decoder: Decoder, done: () => void): Promise<void> {
    const { result } = await this.#look(media, decoder);
    const settled = result.then(() => {
      this.#unfinished.delete(settled);
      done();
    });
    this.#unfinished.add(settled);
    while (this.#unfinished.size >= UNFINISHED) await this.#whileOthersFill(Promise.race(this.#unfinished));
  }

  /** Resolves when the decoder is free; `result` when the file has its result. Neither rejects. */
  async #look(media: MediaRecord, decoder: Decoder): Promise<{ result: Promise<void> }> {
    const frames = await this.#frames(media, decoder).catch(
      (error): Stored => ({ stored: Promise.reject(error) }),
    );
    const result = frames.stored.then(
      (count) => {
        const outcome = frames.before ? 'stored' : 'analyzed';
        this.#tracker.result(media.path, outcome, media, count);
      },
      (error) => this.#failed(media.path, error, media),
    );
    return { result };
  }

  async #frames(media: MediaRecord, decoder: Decoder): Promise<Stored> {
    if (!this.#task.redo('video', media.path) && (await this.#isStored(media))) {
      return { stored: Promise.resolve(media.probe.grid_frames), before: true };
    }
    const again = async (error: unknown): Promise<number> => {
      if (this.#signal.aborted || !worthAnotherTry(error)) throw error;
      this.#task.parts.log.warn('the visual stage is tried again', { path: media.path, error });
      const next = this.#task.parts.decoders.find(({ phase }) => phase !== 'down') ?? decoder;
      return (await this.#attempt(media, decoder.phase === 'down' ? next : decoder)).stored;
    };
    const first = await this.#attempt(media, decoder).catch(
      (error): Stored => ({ stored: Promise.reject(error) }),
    );
    return { stored: first.stored.catch(again) };
  }

  /** The same content under another path may have been stored since the survey. */
  async #isStored(media: MediaRecord): Promise<boolean> {
    const { cache_dir } = this.#task.request;
    const asked = { cache_dir, model_key: this.#visual.model.model_key, hashes: [media.identity.hash_str] };
    const { stored } = await this.#task.parts.index.ask('stored', asked, { signal: this.#signal });
    return stored[0] ?? false;
  }

  /** Resolves when the pictures are decoded, `stored` when everything is flushed. Journalled from start to end. */
  async #attempt(media: MediaRecord, decoder: Decoder): Promise<Stored> {
    const { journal } = this.#task.parts;
    const key = stageKey(media.identity.hash_str, 'visual', this.#visual.model.model_key);
    let seen = 0;
    const onFrames = (count: number) => {
      seen += count;
      this.#tracker.worked(media, count);
    };
    const end = (outcome: string) =>
      journal.write({ type: 'stage-end', task_id: this.#task.run.task_id, key, outcome });
    const undo = (error: unknown): never => {
      end('failed');
      this.#tracker.worked(media, -seen);
      throw error;
    };
    journal.write({ type: 'stage-start', task_id: this.#task.run.task_id, key });
    const work = await lookAt(media, decoder, this.#visual, onFrames, this.#signal).catch(undo);
    const stored = work.finished.then((frames) => {
      end('stored');
      return frames;
    }, undo);
    return { stored };
  }
}

/** Frames of a file on their way into the store. `before`: they were there already. */
interface Stored {
  readonly stored: Promise<number>;
  readonly before?: boolean;
}
