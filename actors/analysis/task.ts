// One task of analysis: surveys every file, looks at those whose visual stage is missing, and stores what it saw. Files
// run side by side as far as decoders and slots allow.
import type { Clock } from '../../runtime/clock.ts';
import { engineErrors } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import type { Ref } from '../../runtime/ref.ts';
import type { SlotPool } from '../../runtime/slots.ts';
import type { decoderContract, PreviewShape } from '../decoder/contract.ts';
import type { embedderContract, VisualModel } from '../embedder/contract.ts';
import { type indexContract, type MediaRecord, storeErrors } from '../index/contract.ts';
import type { AnalysisRequest } from './contract.ts';
import { createEmbedding } from './embedding.ts';
import type { Journal } from './journal.ts';
import { journalledSurvey, quarantined } from './journalled.ts';
import { nextStep } from './plan.ts';
import { diedInSurvey, stageKey } from './quarantine.ts';
import { createQueue } from './queue.ts';
import { lookAt, survey, type VisualParts, worthAnotherTry } from './stages.ts';
import type { Tracker } from './tracker.ts';

type Decoder = Ref<typeof decoderContract>;

export interface AnalysisParts {
  /** One film each at a time. */
  readonly decoders: readonly Decoder[];
  /** Answers short questions, so that they never wait behind a film. */
  readonly surveyor: Decoder;
  readonly embedder: Ref<typeof embedderContract>;
  readonly index: Ref<typeof indexContract>;
  readonly pool: SlotPool;
  readonly journal: Journal;
  readonly preview: PreviewShape;
  readonly clock: Clock;
  readonly log: Log;
}

/** One run of a task. */
export interface TaskRun {
  readonly task_id: string;
  readonly request: AnalysisRequest;
  /** What earlier runs of the same task finished; null in its first run. */
  readonly earlier: EarlierRuns | null;
}

export interface EarlierRuns {
  finished(path: string): boolean;
}

/** Files whose last vectors are still on their way while their decoder has gone on. */
const UNFINISHED = 64;
const SURVEYS = 2;
const SURVEYED_AHEAD = 4096;

export class Task {
  readonly #parts: AnalysisParts;
  readonly #run: TaskRun;
  readonly #request: AnalysisRequest;
  readonly #tracker: Tracker;
  readonly #signal: AbortSignal;
  /** Aborted with the reason when nothing more can be stored. */
  readonly #broken: AbortController;
  readonly #visual: VisualParts;
  readonly #queue = createQueue<MediaRecord>(SURVEYED_AHEAD);
  readonly #unfinished = new Set<Promise<void>>();
  /** Files that were running when an engine died: looked at last and alone, so that a second death tells which it was. */
  readonly #suspects: MediaRecord[] = [];
  /** Content that is being looked at; the same content under another path waits for it. */
  readonly #claimed = new Map<string, Promise<void>>();

  constructor(
    parts: AnalysisParts,
    run: TaskRun,
    model: VisualModel,
    tracker: Tracker,
    signal: AbortSignal,
    broken: AbortController,
  ) {
    const { embedder, index, pool, preview } = parts;
    this.#parts = parts;
    this.#run = run;
    this.#request = run.request;
    this.#tracker = tracker;
    this.#signal = signal;
    this.#broken = broken;
    const embedding = createEmbedding({ embedder, index, pool, model, signal });
    this.#visual = {
      cacheDir: run.request.cache_dir,
      decode: run.request.decode,
      preview,
      model,
      index,
      embedding,
      pool,
    };
  }

  /** What was redone before the task was interrupted is not redone again. */
  #redo(path: string): boolean {
    return this.#request.force && !this.#run.earlier?.finished(path);
  }

  /** A pardon holds for one run: a file that ended the engine in it is not tried without being asked for again. */
  get #pardon(): boolean {
    return this.#request.force && !this.#run.earlier;
  }

  async run(): Promise<void> {
    const lookers = this.#parts.decoders.map((decoder) => this.#lookThrough(decoder));
    // When every decoder is down, the files that are left fail one by one with that reason.
    const rest = Promise.all(lookers).then(() => this.#failTheRest());
    await this.#surveyAll();
    await rest;
    await Promise.all(this.#unfinished);
    await this.#lookAtSuspects();
  }

  async #lookAtSuspects(): Promise<void> {
    for (const media of this.#suspects) {
      const decoder = this.#parts.decoders.find(({ phase }) => phase !== 'down') ?? this.#parts.surveyor;
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
    const left = this.#request.paths.values();
    const one = async () => {
      for (const path of left) await this.#survey(path);
    };
    const together = diedInSurvey(this.#parts.journal.before) ? 1 : SURVEYS;
    await Promise.all(Array.from({ length: together }, one));
    this.#tracker.surveyed();
    this.#queue.close();
  }

  /** Journalled as well: a file can end the engine while it is probed. */
  #surveyed(path: string): Promise<MediaRecord> {
    const { surveyor, index, journal } = this.#parts;
    const watched = journalledSurvey(journal, this.#run.task_id, path, this.#pardon);
    return survey(path, this.#request.cache_dir, surveyor, index, this.#signal, watched);
  }

  #failed(path: string, error: unknown, media?: MediaRecord): void {
    if (endsTheTask(error)) this.#broken.abort(error);
    // What the end of the task took along is not finished; its own reason is told once.
    const cancelled = this.#broken.signal.aborted
      ? engineErrors.CANCELLED(`${path}: was not finished`)
      : error;
    this.#tracker.failure(path, cancelled, media);
  }

  async #survey(path: string): Promise<void> {
    const { index, journal } = this.#parts;
    const { cache_dir } = this.#request;
    const model = this.#visual.model.model_key;
    try {
      if (this.#signal.aborted) throw engineErrors.CANCELLED(`${path}: was not looked at`);
      const media = await this.#surveyed(path).catch((error) => {
        if (this.#signal.aborted || !worthAnotherTry(error)) throw error;
        return this.#surveyed(path);
      });
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
        redo: this.#redo(path),
        pardon: this.#pardon,
        journal: journal.before,
      });
      if (step === 'stored') this.#tracker.result(path, 'stored', media, media.probe.grid_frames);
      else if (step === 'no_picture') this.#tracker.result(path, 'no_picture', media);
      else if (step === 'quarantined') throw quarantined(path);
      else {
        this.#tracker.toLookAt(media);
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

  /** Waits while the same content is being looked at under another path, then claims it; the answer ends the claim. */
  async #claim(hash: string): Promise<() => void> {
    for (let earlier = this.#claimed.get(hash); earlier; earlier = this.#claimed.get(hash)) {
      await this.#whileOthersFill(earlier);
    }
    // No await between the look and the claim: of several that wait only one may go on.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#claimed.set(hash, promise);
    return () => {
      this.#claimed.delete(hash);
      resolve();
    };
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
    if (!this.#redo(media.path) && (await this.#isStored(media))) {
      return { stored: Promise.resolve(media.probe.grid_frames), before: true };
    }
    const again = async (error: unknown): Promise<number> => {
      if (this.#signal.aborted || !worthAnotherTry(error)) throw error;
      this.#parts.log.warn('the visual stage is tried again', { path: media.path, error });
      const next = this.#parts.decoders.find(({ phase }) => phase !== 'down') ?? decoder;
      return (await this.#attempt(media, decoder.phase === 'down' ? next : decoder)).stored;
    };
    const first = await this.#attempt(media, decoder).catch(
      (error): Stored => ({ stored: Promise.reject(error) }),
    );
    return { stored: first.stored.catch(again) };
  }

  /** The same content under another path may have been stored since the survey. */
  async #isStored(media: MediaRecord): Promise<boolean> {
    const { cache_dir } = this.#request;
    const asked = { cache_dir, model_key: this.#visual.model.model_key, hashes: [media.identity.hash_str] };
    const { stored } = await this.#parts.index.ask('stored', asked, { signal: this.#signal });
    return stored[0] ?? false;
  }

  /** Resolves when the pictures are decoded, `stored` when everything is flushed. Journalled from start to end. */
  async #attempt(media: MediaRecord, decoder: Decoder): Promise<Stored> {
    const { journal } = this.#parts;
    const key = stageKey(media.identity.hash_str, 'visual', this.#visual.model.model_key);
    let seen = 0;
    const onFrames = (count: number) => {
      seen += count;
      this.#tracker.frames(media, count);
    };
    const end = (outcome: string) =>
      journal.write({ type: 'stage-end', task_id: this.#run.task_id, key, outcome });
    const undo = (error: unknown): never => {
      end('failed');
      this.#tracker.frames(media, -seen);
      throw error;
    };
    journal.write({ type: 'stage-start', task_id: this.#run.task_id, key });
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

/** True for an analysis folder that takes nothing more, whichever file comes next. */
function endsTheTask(error: unknown): boolean {
  const { STORE_FULL, STORE_IN_USE, STORE_READ_ONLY, STORE_TOO_NEW, STORE_UNAVAILABLE } = storeErrors;
  return [STORE_FULL, STORE_IN_USE, STORE_READ_ONLY, STORE_TOO_NEW, STORE_UNAVAILABLE].some((row) =>
    row.is(error),
  );
}
