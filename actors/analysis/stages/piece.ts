// One piece of work: a stage and one of its files, from start to end. Journalled, so that a crash is known
// afterwards.
import { engineErrors, toFields } from '../../../runtime/errors.ts';
import { programVersion } from '../../../runtime/process/program.ts';
import { counted } from '../../../runtime/text.ts';
import type { PictureSize } from '../../decoder/contract.ts';
import type { KeptSpan, MediaRecord, SpanKey } from '../../index/store/contract.ts';
import type { WorkResult } from '../contract.ts';
import { expectNotQuarantined, journalFailure, journalled } from '../recovery/journal.ts';
import { stageKey } from '../recovery/quarantine.ts';
import type { FramePass } from './frame-pass.ts';
import type { StageJob, WorkItem } from './kind.ts';
import type {
  ClosingStep,
  FileSpans,
  FrameOptions,
  Reader,
  ResultFacts,
  Stage,
  StageRun,
  StartedWork,
} from './stage.ts';
import type { TaskContext } from './task-context.ts';
import type { WorkTracker } from './tracker.ts';

/** A stage at work in a task. */
export interface RunningStage {
  readonly stage: Stage;
  readonly stageRun: StageRun;
  readonly tracker: WorkTracker;
}

export interface FileStage extends RunningStage {
  readonly item: WorkItem;
  readonly media: MediaRecord;
  /** Size of the stored previews that stand in for the file; null where it is there. */
  readonly previews: PictureSize | null;
}

/**
 * Key by content: the same bytes under another name are the same work. The behaviour of a file says nothing
 * about its previews.
 */
export function keyOf({ stage, stageRun, item, media, previews }: FileStage): string {
  const work = previews ? `${stage.journal}-previews` : stage.journal;
  return stageKey(media.identity.hash_str, work, stageRun.modelOf(item));
}

/** The rest of the work on one file, and what could not be read of it. */
export interface AttemptUnderway {
  readonly finished: Promise<{ readonly facts: ResultFacts | null; readonly warning: string | undefined }>;
}

/** True if the stored result stays. */
export async function standsStored(task: TaskContext, piece: Omit<FileStage, 'tracker'>): Promise<boolean> {
  const { stage, stageRun, item, media, previews } = piece;
  const isGone = previews !== null;
  const isStored = (gone: boolean) => task.onceMore(() => stageRun.isStored(media, item, gone));
  if (!task.redo(stage.kind.type, item.path)) return isStored(isGone);
  // Previews never take the place of what came from the file itself.
  return isGone && isStored(false);
}

/**
 * Resolves when the reader is free, `finished` when everything is stored. What was told as done is taken back
 * when it fails, unless it is kept.
 */
export async function attempt(
  task: TaskContext,
  piece: FileStage,
  { decoder: reader }: Reader,
  pass: FramePass,
): Promise<AttemptUnderway> {
  const { stageRun, tracker, item, media, previews } = piece;
  const { parts, run, signal } = task;
  const { frames: passed, end: endFrames } = pass.subscription();
  let damaged = 0;
  const frames = async function* (options: FrameOptions) {
    for await (const frame of passed(options)) {
      if (frame.is_damaged) damaged++;
      yield frame;
    }
  };
  const spans = AttemptSpans.of(task, piece, (amount) => tracker.takenUp(media, amount));
  let done = 0;
  const worked = (amount: number) => {
    done += amount;
    tracker.worked(media, amount);
  };
  const tell = (step: string, part: string | null) => tracker.step(media, { step, part });
  const stage = { task_id: run.task_id, key: keyOf(piece) };
  const undo = (error: unknown): never => {
    journalFailure(parts.journal, stage, error);
    tracker.worked(media, (spans?.keptNow ?? 0) - done);
    throw error;
  };
  const file = { item, media, reader, previews, signal, worked, tell, frames, spans };
  const begin = async () => stageRun.work(file);
  let underway: StartedWork;
  try {
    parts.journal.write({ type: 'stage-start', ...stage });
    underway = await begin().catch(undo);
  } finally {
    // Whatever happened: others may wait to hear whether it wants frames.
    endFrames();
  }
  const finished = underway.finished.then(async (facts) => {
    parts.journal.write({ type: 'stage-end', ...stage, outcome: 'stored' });
    await spans?.forget();
    return { facts, warning: damageOf(media, damaged) };
  }, undo);
  // The promise may fail before anything waits for it.
  finished.catch(() => {});
  return { finished };
}

/** Counted from where the work was last resumed. */
function damageOf({ probe }: MediaRecord, damaged: number): string | undefined {
  if (damaged === 0) return undefined;
  const parts = 'the file is damaged or incomplete, and parts';
  if (probe.kind === 'image') return `${parts} of the picture are missing`;
  return `${parts} of ${counted(damaged, 'frame')} are missing`;
}

/** Tells how the piece ended. Never rejects. */
export async function tellEnd(task: TaskContext, piece: FileStage, finished: AttemptUnderway['finished']) {
  const { tracker, media, item, stageRun } = piece;
  try {
    const { facts, warning } = await finished;
    if (facts) tracker.analyzed(media, facts, warning);
    else tracker.notApplicable(media);
  } catch (error) {
    tracker.failed(item.path, task.failure(item.path, error), media, stageRun.failedFacts?.(item));
  }
}

/** For the log. */
export function logFields({ stage, item }: FileStage, error: unknown) {
  return { stage: stage.kind.type, path: item.path, error: toFields(error).message };
}

// Spans: what a stage has done of a long file is kept as it goes, so that a later attempt, in this run or
// another one, goes on inside the file. Which work it is of is said here, for every stage alike.

/** Another version of the program may see another picture. */
const version = programVersion();

class AttemptSpans implements FileSpans {
  readonly key: SpanKey;
  readonly #task: TaskContext;
  readonly #every: number;
  readonly #onTakenUp: (amount: number) => void;
  #taken = 0;
  #storedAmount = 0;

  private constructor(task: TaskContext, key: SpanKey, every: number, onTakenUp: (amount: number) => void) {
    this.#task = task;
    this.key = key;
    this.#every = every;
    this.#onTakenUp = onTakenUp;
  }

  /** Null for a stage that begins every file anew, and for a file that is not worth it. */
  static of(
    task: TaskContext,
    { stage, stageRun, item, media, previews }: Work,
    onTakenUp: (amount: number) => void,
  ): AttemptSpans | null {
    const rules = stageRun.spans?.(media, item) ?? null;
    const { unit } = stage.kind;
    if (rules === null || unit === null || unit.amountOf(media) <= rules.every) return null;
    const { hash_str, size_bytes, mtime_ms } = media.identity;
    const key = {
      stage: stage.journal,
      hash_str,
      model_key: stageRun.modelOf(item),
      path: media.path,
      settings: JSON.stringify({
        version,
        size_bytes,
        mtime_ms,
        ...(previews && { previews }),
        ...rules.settings,
      }),
      task_id: task.run.task_id,
      // Forced work begins anew once, and then resumes its own spans.
      task_only: task.redo(stage.kind.type, item.path),
    };
    return new AttemptSpans(task, key, rules.every, onTakenUp);
  }

  get taken(): number {
    return this.#taken;
  }

  /** Amount that was kept in this attempt. */
  get keptNow(): number {
    return Math.max(0, this.#storedAmount - this.#taken);
  }

  async all(): Promise<readonly KeptSpan[]> {
    const { parts, signal } = this.#task;
    return (await parts.index.ask('kept_spans', this.#asked, { signal })).spans;
  }

  takenUp(amount: number): void {
    this.#taken = amount;
    this.#storedAmount = amount;
    this.#onTakenUp(amount);
  }

  isDue(amount: number): boolean {
    return amount - this.#storedAmount >= this.#every;
  }

  async keep(amount: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const request = { ...this.#asked, position: amount, bytes };
    // Not cancellable: what was done is worth keeping.
    await this.#task.parts.index.ask('keep_span', request, { transfer: [bytes.buffer] });
    this.kept(amount);
  }

  kept(amount: number): void {
    this.#storedAmount = Math.max(this.#storedAmount, amount);
  }

  /** The result is stored; what was kept is of no use any more. Never rejects. */
  async forget(): Promise<void> {
    const { parts } = this.#task;
    try {
      await parts.index.ask('forget_spans', this.#asked);
    } catch (error) {
      parts.log.warn('spans of a finished file cannot be removed', { path: this.key.path, error });
    }
  }

  get #asked() {
    return { cache_dir: this.#task.request.cache_dir, span: this.key };
  }
}

interface Work {
  readonly stage: Stage;
  readonly stageRun: StageRun;
  readonly item: WorkItem;
  readonly media: MediaRecord;
  readonly previews: PictureSize | null;
}

// The closing step of a stage: one piece of work over all files of a job, when each has its result.
// Journalled, skipped when stored, quarantined and cancelled as the work on a file is.

/** Each job that has a name is closed, in their order. Never rejects. */
export async function runClosing(
  task: TaskContext,
  stage: RunningStage,
  jobs: readonly StageJob[],
): Promise<void> {
  const { closing } = stage.stageRun;
  if (!closing) return;
  const queue = jobs.values();
  const closeJobs = async () => {
    for (const job of queue) {
      if (job.name !== null) await close(task, stage, closing, { ...job, name: job.name });
    }
  };
  await Promise.all(Array.from({ length: closing.together ?? 1 }, closeJobs));
}

type NamedJob = StageJob & { readonly name: string };

async function close(
  task: TaskContext,
  stage: RunningStage,
  closing: ClosingStep,
  job: NamedJob,
): Promise<void> {
  const { type, noFacts } = stage.stage.kind;
  const { name } = job;
  try {
    const results = await resultsOf(task, type, job);
    if (task.signal.aborted || (task.ending.aborted && !hasDone(job, results))) {
      throw engineErrors.CANCELLED(`${name}: was not started`);
    }
    if (!task.redo(type, name) && (await task.onceMore(() => closing.isStored(job, results)))) {
      stage.tracker.closed(name, 'stored', closing.storedFacts?.(job) ?? (noFacts as ResultFacts));
      return;
    }
    const once = () => workOnce(task, stage, closing, job, results);
    const facts = await (closing.triesItself ? once() : task.onceMore(once));
    stage.tracker.closed(name, 'analyzed', facts);
  } catch (error) {
    stage.tracker.notClosed(name, task.failure(name, error), closing.failedFacts?.(job));
  }
}

async function resultsOf(task: TaskContext, type: string, { items }: StageJob): Promise<WorkResult[]> {
  const results = await Promise.all(items.map(({ path }) => task.results.result(type, path)));
  return results.filter((result) => result !== undefined);
}

/**
 * When no more files are begun, the step takes what is done of those that were: the job was cut short only
 * without.
 */
function hasDone({ items }: StageJob, results: readonly WorkResult[]): boolean {
  const isWhole = items.length > 0 && results.every(({ outcome }) => outcome !== 'cancelled');
  return isWhole || results.some(({ outcome }) => outcome === 'analyzed' || outcome === 'stored');
}

async function workOnce(
  { parts, run, signal, last }: TaskContext,
  { stage, tracker }: RunningStage,
  closing: ClosingStep,
  job: NamedJob,
  results: readonly WorkResult[],
): Promise<ResultFacts> {
  const key = stageKey(await closing.keyOf(job, results), stage.journal, 'closing');
  const { journal } = parts;
  if (run.retries === undefined) expectNotQuarantined(journal, key, job.name, 'a new request');
  const entry = { task_id: run.task_id, key };
  const once = () =>
    journalled(journal, entry, () =>
      closing.work(job, results, signal, (fraction, detail) => tracker.closing(job.name, fraction, detail)),
    );
  if (journal.history.isSuspect(key)) return last.lock.alone(once);
  const leave = await last.lock.share();
  return once().finally(leave);
}
