// The surveys of one task: which file is it, what is in it. A file that is both looked at and listened to is surveyed once.
import type { MediaRecord } from '../index/store/contract.ts';
import { journalledSurvey } from './recovery/journalled.ts';
import { diedInSurvey } from './recovery/quarantine.ts';
import { survey, worthAnotherTry } from './stages/stages.ts';
import type { AnalysisParts, TaskRun } from './task.ts';

/** Files surveyed at the same time. */
const TOGETHER = 2;

export class Surveys {
  readonly #parts: AnalysisParts;
  readonly #run: TaskRun;
  readonly #signal: AbortSignal;
  readonly #pardon: boolean;
  /** Files that are asked for twice, and the first answer until the second has been given. */
  readonly #twice: ReadonlySet<string>;
  readonly #first = new Map<string, Promise<MediaRecord>>();
  /** One file at a time after a death in a survey, so that a second death tells which it was. */
  readonly #together: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(parts: AnalysisParts, run: TaskRun, pardon: boolean, signal: AbortSignal) {
    this.#parts = parts;
    this.#run = run;
    this.#signal = signal;
    this.#pardon = pardon;
    this.#together = diedInSurvey(parts.journal.before) ? 1 : TOGETHER;
    const looked = new Set(run.request.paths);
    this.#twice = new Set(run.request.speech.map(({ path }) => path).filter((path) => looked.has(path)));
  }

  /** Tried again once after a crash. */
  media(path: string): Promise<MediaRecord> {
    const first = this.#first.get(path);
    if (first) {
      this.#first.delete(path);
      return first;
    }
    const media = this.#survey(path).catch((error) => {
      if (this.#signal.aborted || !worthAnotherTry(error)) throw error;
      return this.#survey(path);
    });
    if (this.#twice.has(path)) this.#first.set(path, media);
    return media;
  }

  /** Journalled as well: a file can end the engine while it is probed. */
  async #survey(path: string): Promise<MediaRecord> {
    const { prober, index, journal } = this.#parts;
    while (this.#running >= this.#together) {
      await new Promise<void>((go) => this.#waiting.push(go));
    }
    this.#running++;
    try {
      const watched = journalledSurvey(journal, this.#run.task_id, path, this.#pardon);
      return await survey(path, this.#run.request.cache_dir, prober, index, this.#signal, watched);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}
