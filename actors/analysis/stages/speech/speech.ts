// The speech of one task: groups the files by the model that writes them down, surveys each, and listens to those whose
// transcript is missing. Several files are heard side by side, so that their windows fill the model's batches.
import { engineErrors } from '../../../../runtime/errors.ts';
import type { Ref } from '../../../../runtime/ref.ts';
import { KeyedLock } from '../../../../runtime/sync/keyed-lock.ts';
import { createQueue, type Queue } from '../../../../runtime/sync/queue.ts';
import type { decoderContract } from '../../../decoder/contract.ts';
import { modelErrors } from '../../../models/contract.ts';
import { speechErrors } from '../../../transcriber/contract.ts';
import { type SpeechJob, subtitlesKey } from '../../contract.ts';
import { nextSpeechStep } from '../../plan.ts';
import { quarantined } from '../../recovery/journalled.ts';
import { stageKey } from '../../recovery/quarantine.ts';
import type { SpeechParts, Task } from '../../task.ts';
import type { WorkTracker } from '../../tracker.ts';
import { worthAnotherTry } from '../stages.ts';
import type { SpeechModel } from './model.ts';
import { isSame, markOf, type SpeechWork, writeDown } from './transcribe.ts';

type AudioDecoder = Ref<typeof decoderContract>;

const SURVEYS = 2;
const SURVEYED_AHEAD = 4096;

/** Files that one model writes down. */
interface Group {
  readonly model: string | null;
  readonly jobs: { readonly job: SpeechJob; readonly reason: Error | null }[];
}

export class Listening {
  readonly #task: Task;
  readonly #speech: SpeechParts;
  readonly #tracker: WorkTracker;
  readonly #model: SpeechModel;
  readonly #locks = new KeyedLock();
  /** Files that were running when an engine died: listened to last and alone, so that a second death tells which it was. */
  readonly #suspects: SpeechWork[] = [];

  /** Why a model cannot be opened, by what was to be opened: large ones are not read anew for every file. */
  readonly #broken = new Map<string, Error>();

  constructor(task: Task, model: SpeechModel) {
    if (!task.parts.speech) throw engineErrors.INTERNAL('an engine that only searches was asked to listen');
    this.#task = task;
    this.#model = model;
    this.#speech = task.parts.speech;
    this.#tracker = task.tracker.speech;
  }

  async run(): Promise<void> {
    try {
      const groups = await this.#groups();
      // One model after the other: two at once may not fit into memory.
      for (const group of groups) await this.#listenTo(group, group === groups.at(-1));
      if (groups.length === 0) this.#tracker.surveyed();
      for (const work of this.#suspects) await this.#finish(work, this.#anAudioDecoder());
    } finally {
      await this.#free();
    }
  }

  /** The models are used by nobody else; what they take is given back. */
  async #free(): Promise<void> {
    const { log } = this.#task.parts;
    const { transcriber, diarizer } = this.#speech;
    const tell = (error: unknown) => log.warn('a speech model cannot be freed', { error });
    await this.#model.unload(transcriber).catch(tell);
    await diarizer.ask('unload', {}).catch(tell);
  }

  #anAudioDecoder(): AudioDecoder {
    return this.#speech.audioDecoders.find(({ phase }) => phase !== 'down') ?? this.#task.parts.prober;
  }

  async #groups(): Promise<Group[]> {
    const groups = new Map<string, Group>();
    const wishes = Map.groupBy(this.#task.request.speech, ({ preferred, language }) =>
      JSON.stringify([preferred, language]),
    );
    for (const jobs of wishes.values()) {
      try {
        const { model, reason } = await this.#choose(jobs[0] as SpeechJob);
        const group = groups.get(model ?? subtitlesKey) ?? { model, jobs: [] };
        groups.set(model ?? subtitlesKey, group);
        for (const job of jobs) group.jobs.push({ job, reason });
      } catch (error) {
        for (const { path } of jobs) this.#tracker.failure(path, this.#task.failure(path, error));
      }
    }
    return [...groups.values()];
  }

  /** Without a model that can do it, subtitles are read; why there is none is told where there are no subtitles either. */
  async #choose({ preferred, language }: SpeechJob): Promise<{ model: string | null; reason: Error | null }> {
    if (preferred === subtitlesKey) return { model: null, reason: null };
    const { transcriber } = this.#speech;
    const { signal } = this.#task;
    try {
      const { model_key } = await transcriber.ask('choose', { preferred, language }, { signal });
      return { model: model_key, reason: null };
    } catch (error) {
      const known = speechErrors.NO_SPEECH_MODEL.is(error) || speechErrors.LANGUAGE_UNSUPPORTED.is(error);
      if (!known) throw error;
      return { model: null, reason: error };
    }
  }

  /** `last`: no other group is surveyed after this one. */
  async #listenTo(group: Group, last: boolean): Promise<void> {
    const queue = createQueue<SpeechWork>(SURVEYED_AHEAD);
    const left = group.jobs.values();
    const survey = async () => {
      for (const { job, reason } of left) {
        const work = await this.#survey(job, group.model, reason);
        if (work) await queue.put(work);
      }
    };
    const listen = async (audioDecoder: AudioDecoder) => {
      // An audioDecoder that is down leaves the files to the others.
      while (audioDecoder.phase !== 'down') {
        const work = await queue.take();
        if (!work) return;
        await this.#finish(work, audioDecoder);
      }
    };
    // When every audioDecoder is down the files that are left fail one by one, also while others are still surveyed.
    const rest = Promise.all(this.#speech.audioDecoders.map(listen)).then(() => this.#failTheRest(queue));
    await Promise.all(Array.from({ length: SURVEYS }, survey)).finally(queue.close);
    if (last) this.#tracker.surveyed();
    await rest;
  }

  async #failTheRest(queue: Queue<SpeechWork>): Promise<void> {
    for (let work = await queue.take(); work; work = await queue.take()) {
      const { path } = work.media;
      this.#tracker.failure(
        path,
        engineErrors.ACTOR_DOWN(`${path}: every decoder of sound is down`),
        work.media,
      );
    }
  }

  /** Undefined for a file that has its result already. */
  async #survey(job: SpeechJob, model: string | null, reason: Error | null): Promise<SpeechWork | undefined> {
    const { path } = job;
    const { surveys, signal, parts } = this.#task;
    try {
      if (signal.aborted) throw engineErrors.CANCELLED(`${path}: was not listened to`);
      const media = await surveys.media(path);
      const work: SpeechWork = { job, media, model, reason };
      const step = nextSpeechStep({
        media,
        model,
        stored: await this.#isStored(work),
        redo: this.#task.redo('speech', path),
        pardon: this.#task.pardon,
        journal: parts.journal.before,
      });
      if (step === 'stored') this.#tracker.result(path, 'stored', media);
      else if (step === 'no_sound') this.#tracker.result(path, 'no_sound', media);
      else if (step === 'quarantined') throw quarantined(path);
      else {
        this.#tracker.toDo(media);
        if (!parts.journal.before.crashes.has(keyOf(work))) return work;
        this.#suspects.push(work);
      }
    } catch (error) {
      this.#tracker.failure(path, this.#task.failure(path, error));
    }
    return undefined;
  }

  async #isStored(work: SpeechWork): Promise<boolean> {
    const { parts, request, signal } = this.#task;
    const hashes = [work.media.identity.hash_str];
    const asked = { cache_dir: request.cache_dir, hashes };
    const { marks } = await parts.index.ask('transcript_marks', asked, { signal });
    const [stored] = marks;
    if (!stored || !isSame(stored, markOf(work))) return false;
    return work.model !== null || (await this.#isSameText(work, stored.sidecar));
  }

  /** False when the file beside the media was edited or put there since. A copy without one keeps what is stored. */
  async #isSameText({ job, media }: SpeechWork, stored: string | null | undefined): Promise<boolean> {
    if (stored === undefined) return true;
    const asked = { media_path: media.path, language: job.language };
    const { signal } = this.#task;
    const version = await this.#speech.transcriber.ask('sidecar_version', asked, { signal });
    return version === null || version === stored;
  }

  /** Ends with the result of the file. Never rejects. */
  async #finish(work: SpeechWork, audioDecoder: AudioDecoder): Promise<void> {
    const { media, job } = work;
    const done = await this.#locks.acquire(media.identity.hash_str);
    try {
      // The same content under another path may have been stored since the survey.
      if (!this.#task.redo('speech', job.path) && (await this.#isStored(work))) {
        this.#tracker.result(job.path, 'stored', media);
        return;
      }
      const broken = this.#broken.get(opened(work));
      if (broken) throw broken;
      const facts = await this.#attempt(work, audioDecoder).catch((error) => {
        if (this.#task.signal.aborted || !worthAnotherTry(error)) throw error;
        this.#task.parts.log.warn('the speech stage is tried again', { path: job.path, error });
        return this.#attempt(work, audioDecoder.phase === 'down' ? this.#anAudioDecoder() : audioDecoder);
      });
      this.#tracker.result(job.path, facts ? 'analyzed' : 'no_sound', media, 0, facts);
    } catch (error) {
      if (modelErrors.MODEL_LOAD_FAILED.is(error)) this.#broken.set(opened(work), error);
      this.#tracker.failure(job.path, this.#task.failure(job.path, error), media);
    } finally {
      done();
    }
  }

  /** Journalled from start to end. */
  async #attempt(work: SpeechWork, audioDecoder: AudioDecoder) {
    const { parts, request, run, signal } = this.#task;
    const { media } = work;
    const key = keyOf(work);
    let heard = 0;
    const onHeard = (seconds: number) => {
      heard += seconds;
      this.#tracker.worked(media, seconds);
    };
    parts.journal.write({ type: 'stage-start', task_id: run.task_id, key });
    let outcome = 'failed';
    try {
      const facts = await writeDown(work, audioDecoder, {
        speech: this.#speech,
        loaded: this.#model,
        index: parts.index,
        cacheDir: request.cache_dir,
        signal,
        onHeard,
      });
      outcome = 'stored';
      // What was read took no listening, and headers are not exact to the sample.
      if (facts) this.#tracker.worked(media, media.probe.duration_seconds - heard);
      return facts;
    } catch (error) {
      this.#tracker.worked(media, -heard);
      throw error;
    } finally {
      parts.journal.write({ type: 'stage-end', task_id: run.task_id, key, outcome });
    }
  }
}

/** The models that a file is heard with. */
function opened({ model, job }: SpeechWork): string {
  return `${model ?? subtitlesKey} ${job.detect_speakers}`;
}

function keyOf({ media, model }: SpeechWork): string {
  return stageKey(media.identity.hash_str, 'speech', model ?? subtitlesKey);
}
