// The progress model of a task: amounts done and in all, and the percentages, speeds and estimates that
// follow. Computed here and nowhere else; events, snapshots, metrics, the terminal and the report show it.
// Pure: time is a parameter.
import type { MediaRecord } from '../index/store/contract.ts';
import { measured, type StageKind, type Unit } from './stages/kind.ts';

/** Work of one type, in its unit. */
export interface Amounts {
  readonly done: number;
  /** Grows while files are still being surveyed. */
  readonly all: number;
}

export interface StageProgress extends Amounts {
  /** Units a second. */
  readonly speed: number;
}

export interface FileProgress extends Amounts {
  readonly path: string;
  readonly type: string;
  /** 0 to 100, a whole number. */
  readonly percentage: number;
  /** Current step, for kinds of work that report it. */
  readonly step?: WorkStep;
}

/** Current step of the work on a file; `part`: name of the part, if it has one. */
export interface WorkStep {
  readonly step: string;
  readonly part: string | null;
}

export interface ClosingProgress {
  readonly name: string;
  readonly type: string;
  /** 0 to 100, a whole number. */
  readonly percentage: number;
  /** Further facts about the step. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface TaskProgress {
  /** Types of work of the task, also of what was stored before. */
  readonly types: readonly string[];
  /** Work on files: a file with two types of work counts twice. */
  readonly files: number;
  readonly files_done: number;
  /** Jobs that have a closing step, and those whose step has ended. */
  readonly jobs: number;
  readonly jobs_done: number;
  /** The amount of work in every file is known. */
  readonly surveyed: boolean;
  /** How much of the work is done, 0 to 100; never less than it was before. */
  readonly percentage: number;
  /** Progress by type of work, in the order of the kinds. */
  readonly stages: Readonly<Record<string, StageProgress>>;
  /**
   * Seconds of media done in this run with all kinds of work: three hours with a third of the work done are
   * one hour.
   */
  readonly media_seconds: number;
  /** Wall time so far. */
  readonly elapsed_seconds: number;
  /** Seconds of media a second. */
  readonly speed: number;
  /** Null while it cannot be known. */
  readonly estimated_remaining_seconds: number | null;
}

export interface Counted
  extends Pick<
      TaskProgress,
      'types' | 'files' | 'files_done' | 'surveyed' | 'percentage' | 'elapsed_seconds'
    >,
    Partial<Pick<TaskProgress, 'jobs' | 'jobs_done' | 'estimated_remaining_seconds'>> {
  readonly amounts: Readonly<Record<string, Amounts>>;
}

/** Derives speeds from the amounts, and the estimate where it is not given. */
export function progressOf(kinds: readonly StageKind[], counted: Counted): TaskProgress {
  const { amounts, jobs = 0, jobs_done = 0, estimated_remaining_seconds: forecast, ...counts } = counted;
  const { elapsed_seconds, surveyed } = counts;
  const speedOf = (done: number) => (elapsed_seconds > 0 ? done / elapsed_seconds : 0);
  const stages: Record<string, StageProgress> = {};
  let [done, all, longest] = [0, 0, 0];
  for (const { type, unit } of measured(kinds)) {
    const amount = amounts[type];
    if (!amount) continue;
    stages[type] = { ...amount, speed: speedOf(amount.done) };
    done += amount.done * costOf(unit);
    all += amount.all * costOf(unit);
    // Most often all kinds of work are on the same files.
    longest = Math.max(longest, amount.all * unit.weight);
  }
  const simple = surveyed && done > 0 ? (Math.max(0, all - done) * elapsed_seconds) / done : null;
  const media_seconds = all > 0 ? (longest * done) / all : 0;
  return {
    ...counts,
    jobs,
    jobs_done,
    stages,
    media_seconds,
    speed: speedOf(media_seconds),
    estimated_remaining_seconds: forecast === undefined ? simple : forecast,
  };
}

/** Cost of one unit relative to other kinds of work. */
function costOf({ weight, cost }: Unit): number {
  return weight * cost;
}

interface Mark {
  readonly seconds: number;
  readonly done: number;
}

/**
 * How fast the work goes: since the first work was done, or over the latest part of the run where that was
 * faster. Some kinds of work are counted in large pieces, between which the latest part says too little.
 */
class Pace {
  #first: Mark | null = null;
  /** Ascending. */
  #marks: Mark[] = [];

  /** Work a second; null while nothing is done. */
  at(seconds: number, done: number): number | null {
    const marks = this.#marks;
    const last = marks.at(-1);
    // The amount of failed work is subtracted.
    if (last && done < last.done) {
      marks.length = 0;
      this.#first = null;
    }
    if (marks.length === 0 || seconds - marks.at(-1)!.seconds >= Math.max(0.5, seconds / 200)) {
      marks.push({ seconds, done });
    }
    const begin = seconds - Math.max(LEAST_WINDOW, WINDOW * seconds);
    while (marks.length > 2 && marks[1]!.seconds <= begin) marks.shift();
    // Until the first work is done, models are loaded.
    while (marks.length > 1 && marks[1]!.done <= 0) marks.shift();
    if (this.#first === null || done <= 0) this.#first = marks[0]!;
    const since = (mark: Mark) => (done - mark.done) / (seconds - mark.seconds);
    const rate = Math.max(...[marks[0]!, this.#first].map(since).filter(Number.isFinite));
    return rate > 0 ? rate : null;
  }
}

/** Share of the run that counts for its pace, and seconds at least. */
const WINDOW = 0.4;
const LEAST_WINDOW = 10;
/** Share of the work before which no time left is told, unless it takes longer than so many seconds. */
const LEAST_SHARE = 0.03;
const LONG_SECONDS = 60;

export function fileProgress(file: Pick<FileProgress, 'path' | 'type'> & Amounts): FileProgress {
  const { done, all } = file;
  const percentage = all === 0 ? 100 : Math.max(0, Math.min(100, Math.floor((100 * done) / all)));
  return { ...file, percentage };
}

export interface Ended {
  readonly path: string;
  readonly outcome: 'analyzed' | 'stored' | 'not_applicable' | 'failed' | 'cancelled';
  /** Undefined when the file could not be surveyed. */
  readonly media?: MediaRecord | undefined;
  /** The closing step of a job, and no file. */
  readonly closing?: boolean | undefined;
}

/** Amounts of one file: done by an earlier run, and done in this one. */
interface FileAmounts {
  readonly before: number;
  readonly done: number;
  /** An attempt has begun in this run. */
  readonly isTried: boolean;
}

const untouched: FileAmounts = { before: 0, done: 0, isTried: false };

interface StageAmounts {
  readonly kind: StageKind & { readonly unit: Unit };
  /** Pieces of work, and those whose amount is known. */
  readonly files: number;
  knownFiles: number;
  surveyed: boolean;
  all: number;
  done: number;
  /** Amount in stored files, and the resumed part of others. */
  before: number;
  /** Amounts of each file that was begun, by path. */
  readonly fileAmounts: Map<string, FileAmounts>;
}

export interface Pieces {
  readonly files: Readonly<Record<string, number>>;
  readonly closings?: number;
  readonly percentage?: number;
}

/**
 * The highest percentage before the end: the task may still fail, and its results may still have to be
 * stored.
 */
export const mostUnfinished = 99.9;
/** Share of all closing steps of a task, relative to its files. */
const CLOSING_SHARE = 0.05;

function closingKey(type: string, name: string): string {
  return JSON.stringify([type, name]);
}

export class ProgressModel {
  readonly #kinds: readonly StageKind[];
  readonly #stages = new Map<string, StageAmounts>();
  readonly #types: readonly string[];
  readonly #files: number;
  readonly #closings: number;
  /** How much of each closing step is done, 0 to 1. */
  readonly #closed = new Map<string, number>();
  #ended = 0;
  #closedEnds = 0;
  #cancelled = 0;
  #percentage: number;
  readonly #pace = new Pace();

  /**
   * `files`: pieces of work by type, with `closings` closing steps. `percentage`: where an earlier run of the
   * task stood.
   */
  constructor(kinds: readonly StageKind[], { files, closings = 0, percentage = 0 }: Pieces) {
    this.#kinds = kinds;
    this.#closings = closings;
    this.#types = Object.keys(files).filter((type) => (files[type] ?? 0) > 0);
    this.#percentage = percentage;
    for (const kind of measured(kinds)) {
      const of = files[kind.type] ?? 0;
      const none = { knownFiles: 0, all: 0, done: 0, before: 0 };
      this.#stages.set(kind.type, { kind, files: of, surveyed: of === 0, ...none, fileAmounts: new Map() });
    }
    this.#files = Object.values(files).reduce((sum, of) => sum + of, 0);
  }

  /** The file is known and there is work on it. */
  begin(type: string, media: MediaRecord): void {
    const stage = this.#stage(type);
    stage.all += stage.kind.unit.amountOf(media);
    stage.knownFiles++;
    stage.fileAmounts.set(media.path, untouched);
  }

  /** Every file of this type is known; at once where there are none. */
  surveyed(type: string): void {
    const stage = this.#stages.get(type);
    if (stage) stage.surveyed = true;
  }

  /**
   * Work on the file goes on behind this amount. What an earlier run did is no work of this one; what an
   * earlier attempt of this run did is counted already.
   */
  takenUp(type: string, media: MediaRecord, amount: number): FileProgress {
    const stage = this.#stage(type);
    const { before, isTried } = stage.fileAmounts.get(media.path) ?? untouched;
    const now = isTried ? Math.min(before, amount) : amount;
    return this.#set(stage, media, { before: now, done: amount - now, isTried: true });
  }

  /** Work that is done but not yet committed; negative when it was given up. */
  worked(type: string, media: MediaRecord, amount: number): FileProgress {
    const stage = this.#stage(type);
    const file = stage.fileAmounts.get(media.path) ?? untouched;
    return this.#set(stage, media, { ...file, done: file.done + amount, isTried: true });
  }

  #set(stage: StageAmounts, media: MediaRecord, file: FileAmounts): FileProgress {
    const { path } = media;
    const was = stage.fileAmounts.get(path) ?? untouched;
    stage.done += file.done - was.done;
    stage.before += file.before - was.before;
    stage.all -= file.before - was.before;
    stage.fileAmounts.set(path, file);
    const { type, unit } = stage.kind;
    return fileProgress({ path, type, done: file.before + file.done, all: unit.amountOf(media) });
  }

  closing(type: string, name: string, fraction: number): ClosingProgress {
    const share = Math.max(0, Math.min(1, fraction));
    this.#closed.set(closingKey(type, name), share);
    return { name, type, percentage: Math.floor(100 * share) };
  }

  end(type: string, ended: Ended): void {
    if (ended.closing) {
      this.#closed.set(closingKey(type, ended.path), 1);
      this.#closedEnds++;
    } else this.#endFile(this.#stage(type), ended);
    this.#ended++;
    if (ended.outcome === 'cancelled') this.#cancelled++;
  }

  #endFile(stage: StageAmounts, { path, outcome, media }: Ended): void {
    const file = stage.fileAmounts.get(path);
    const amount = media ? stage.kind.unit.amountOf(media) : 0;
    if (file === undefined) stage.knownFiles++;
    else if (outcome !== 'analyzed') {
      // Amounts of a file that failed, or turned out to have nothing of the kind, are subtracted.
      stage.done -= file.done;
      stage.before -= file.before;
      // Nothing is left to do of it, unless it was cancelled: then it is still to be done.
      if (outcome === 'cancelled') stage.all += file.before;
      else stage.all -= amount - file.before;
    }
    if (outcome === 'stored') stage.before += amount;
    stage.fileAmounts.delete(path);
  }

  view(elapsed_seconds: number): TaskProgress {
    const stages = [...this.#stages.values()];
    const surveyed = stages.every((stage) => stage.surveyed);
    // After a cancel the percentage stays as it was.
    if (this.#cancelled === 0) this.#percentage = Math.max(this.#percentage, this.#share(stages, surveyed));
    return progressOf(this.#kinds, {
      types: this.#types,
      files: this.#files - this.#closings,
      files_done: this.#ended - this.#closedEnds,
      jobs: this.#closings,
      jobs_done: this.#closedEnds,
      surveyed,
      percentage: this.#percentage,
      elapsed_seconds,
      estimated_remaining_seconds: this.#remaining(stages, elapsed_seconds),
      amounts: Object.fromEntries(stages.map(({ kind, done, all }) => [kind.type, { done, all }])),
    });
  }

  /** Seconds left. The amounts of files that are not surveyed yet are guessed from those that are. */
  #remaining(stages: readonly StageAmounts[], elapsed: number): number | null {
    let [done, seconds, knownFiles] = [0, 0, 0];
    for (const stage of stages) {
      done += stage.done * costOf(stage.kind.unit);
      seconds += (stage.before + stage.all) * stage.kind.unit.weight;
      knownFiles += stage.knownFiles;
    }
    const rate = this.#pace.at(elapsed, done);
    if (knownFiles === 0) return null;
    let all = 0;
    for (const stage of stages) {
      const { unit } = stage.kind;
      const mean = stage.knownFiles > 0 ? stage.all / stage.knownFiles : seconds / knownFiles / unit.weight;
      const unknown = stage.surveyed ? 0 : Math.max(0, stage.files - stage.knownFiles);
      all += (stage.all + mean * unknown) * costOf(unit);
    }
    let closed = 0;
    for (const fraction of this.#closed.values()) closed += fraction;
    const closings = this.#closings > 0 ? CLOSING_SHARE * all * (1 - closed / this.#closings) : 0;
    if (all + closings === 0 || this.#ended === this.#files) return 0;
    const isEarly = done / all < LEAST_SHARE && elapsed < LONG_SECONDS;
    return rate === null || isEarly ? null : (Math.max(0, all - done) + closings) / rate;
  }

  #share(stages: readonly StageAmounts[], surveyed: boolean): number {
    // Frames that cannot be decoded are never done, and seconds do not add up to the last digit.
    if (this.#ended === this.#files) return mostUnfinished;
    let [done, all, knownFiles] = [0, 0, 0];
    for (const stage of stages) {
      const cost = costOf(stage.kind.unit);
      done += (stage.before + stage.done) * cost;
      all += (stage.before + stage.all) * cost;
      knownFiles += stage.knownFiles;
    }
    const files = this.#files - this.#closings;
    const ended = this.#ended - this.#closedEnds;
    const share = all > 0 ? done / all : knownFiles > 0 ? ended / knownFiles : 0;
    const ofFiles = share * (surveyed || files === 0 ? 1 : knownFiles / files);
    // Analysed files may still have to be committed.
    return Math.min(99, 100 * this.#withClosings(ofFiles, files));
  }

  /** Closing steps take little time beside the files; without files they are all there is. */
  #withClosings(ofFiles: number, files: number): number {
    if (this.#closings === 0) return ofFiles;
    let closed = 0;
    for (const fraction of this.#closed.values()) closed += fraction / this.#closings;
    return files === 0 ? closed : (ofFiles + CLOSING_SHARE * closed) / (1 + CLOSING_SHARE);
  }

  #stage(type: string): StageAmounts {
    const stage = this.#stages.get(type);
    if (!stage) throw new Error(`there is no work of type ${type}`);
    return stage;
  }
}
