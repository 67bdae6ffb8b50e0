// The surveys of one task: which file is it, what is in it. A file that several stages work on is surveyed
// once.
import { existsSync } from 'node:fs';
import { Semaphore } from '../../../runtime/sync/semaphore.ts';
import { type MediaRecord, storeErrors } from '../../index/store/contract.ts';
import { type GoneMedia, goneMedia } from '../media/gone.ts';
import { expectUnchanged, surveyAndRemember } from '../media/survey.ts';
import { journalledSurvey } from '../recovery/journalled.ts';
import { hangOf, worthAnotherTry } from '../recovery/retry.ts';
import type { AnalysisParts } from './parts.ts';

/** Files surveyed at the same time. */
const TOGETHER = 2;

export interface SurveyRun {
  readonly task_id: string;
  readonly cache_dir: string;
  /** Of every piece of work of the task: a path that is there twice is asked for twice. */
  readonly paths: readonly string[];
  readonly retryQuarantined: boolean;
  readonly signal: AbortSignal;
}

export class Surveys {
  readonly #parts: AnalysisParts;
  readonly #run: SurveyRun;
  readonly #semaphore = new Semaphore(TOGETHER);
  /** How often each path will still be asked for, where that is more than once. */
  readonly #repeated = new Map<string, number>();
  readonly #first = new Map<string, Promise<MediaRecord>>();

  constructor(parts: AnalysisParts, run: SurveyRun) {
    this.#parts = parts;
    this.#run = run;
    const seen = new Set<string>();
    for (const path of run.paths) {
      if (seen.has(path)) this.#repeated.set(path, (this.#repeated.get(path) ?? 1) + 1);
      seen.add(path);
    }
  }

  /** A look at it was running in a crash: it comes last and alone. */
  isSuspect(path: string): boolean {
    return this.#parts.journal.history.isSuspectSurvey(path);
  }

  /** Tried again once after a crash; whoever asks after a hang comes later. */
  media(path: string): Promise<MediaRecord> {
    const media = this.#first.get(path) ?? this.#tried(path);
    const left = (this.#repeated.get(path) ?? 1) - 1;
    if (left > 0) {
      this.#repeated.set(path, left);
      this.#first.set(path, media);
      media.catch((error) => {
        if (hangOf(error) && this.#first.get(path) === media) this.#first.delete(path);
      });
    } else {
      this.#repeated.delete(path);
      this.#first.delete(path);
    }
    return media;
  }

  /** What is known of a file that is not there; null where its previews are not stored. */
  gone(path: string): Promise<GoneMedia | null> {
    const { cache_dir, signal } = this.#run;
    return goneMedia(this.#parts, cache_dir, path, { signal });
  }

  /**
   * The same of a file that may be there. Throws NOT_ANALYZED, and FILE_CHANGED for one that was written
   * since.
   */
  async previewed(path: string): Promise<GoneMedia> {
    const found = await this.gone(path);
    if (found === null) {
      const what = 'no previews are stored of it; analyse its pictures first';
      throw storeErrors.NOT_ANALYZED(`${path}: ${what}`, { path });
    }
    if (existsSync(path)) await expectUnchanged(found.media, 'was written since it was analysed');
    return found;
  }

  #tried(path: string): Promise<MediaRecord> {
    return this.#survey(path).catch((error) => {
      if (this.#run.signal.aborted || !worthAnotherTry(error) || hangOf(error)) throw error;
      return this.#survey(path);
    });
  }

  /** Journalled as well: a file can end the engine while it is probed. */
  #survey(path: string): Promise<MediaRecord> {
    const { prober, index, journal } = this.#parts;
    const { task_id, cache_dir, retryQuarantined, signal } = this.#run;
    const watched = journalledSurvey(journal, task_id, path, retryQuarantined);
    return this.#semaphore.run(() => surveyAndRemember(path, { cache_dir, prober, index, watched, signal }));
  }
}
