// A stage as the runner needs it: its declaration, and the work itself. The runner owns surveys, the journal,
// retries, quarantine, cancellation and events; a stage only works on one file.
import type { GridFrame, PictureShape, PictureSize } from '../../decoder/contract.ts';
import type { SmallRequest } from '../../decoder/frames/contract.ts';
import type { KeptSpan, MediaRecord, SpanKey } from '../../index/store/contract.ts';
import type { AnalysisRequest, WorkResult } from '../contract.ts';
import { hasWork, type StageJob, type StageKind, type WorkItem } from './kind.ts';
import type { AnalysisParts, DecoderActor } from './parts.ts';
import type { TaskContext } from './task-context.ts';

/**
 * Which actors work through the files of a stage, one file each at a time. `stored`: nothing of a file is
 * read, only what is stored of it.
 */
export type ReaderKind = 'frames' | 'sound' | 'stored';

/** Names in errors. */
export const readerNames: Readonly<Record<ReaderKind, string>> = {
  frames: 'decoder',
  sound: 'audio decoder',
  stored: 'summarizer',
};

/** Works on one file at a time. */
export interface Reader {
  readonly actor: Pick<DecoderActor, 'phase'>;
  /** Null where nothing of a file is read. */
  readonly decoder: DecoderActor | null;
}

export type ResultFacts = Readonly<Record<string, unknown>>;

export interface Stage<I extends WorkItem = WorkItem> {
  readonly kind: StageKind;
  /** The name of its work in the journal and in quarantine. */
  readonly journal: string;
  readonly reads: ReaderKind;
  /** Opens what the work of one task needs. Throws what keeps the whole task from running. */
  open(task: TaskContext): Promise<StageRun<I>>;
}

export interface StageRun<I extends WorkItem = WorkItem> {
  /** Key of the model, which together with the content of the file is the key of the work. */
  modelOf(item: I): string;
  /** False when the file holds nothing of the kind. */
  applies(media: MediaRecord, item: I): boolean;
  /**
   * True if the stored result equals one that would be made now. `isGone`: the file is missing, and its
   * stored previews would do.
   */
  isStored(media: MediaRecord, item: I, isGone: boolean): Promise<boolean>;
  /** Facts about a file that was analysed before. */
  storedFacts?(media: MediaRecord): ResultFacts;
  /** Facts about a file whose work failed; the empty facts when left out. */
  failedFacts?(item: I): ResultFacts;
  /**
   * Items that can be worked on side by side, in the order of the rounds; without it all can. Items for which
   * `failed` was called belong to no round.
   */
  rounds?(items: readonly I[], failed: (item: I, error: unknown) => void): Promise<readonly (readonly I[])[]>;
  /**
   * Works on one file. Resolves when its reader is free for the next file; the rest of the work may go on. On
   * any error or cancel nothing of it stays but spans.
   */
  work(file: FileWork<I>): Promise<StartedWork>;
  /** For a stage whose files fill batches together. */
  readonly contributors?: Contributors;
  readonly closing?: ClosingStep<I>;
  /**
   * For work that can be taken up inside a file: how it is kept, null for a file of which nothing is. Then
   * `work` gets `spans`, goes on behind what they hold, and its result is the same as without an
   * interruption.
   */
  spans?(media: MediaRecord, item: I): SpanRules | null;
  /** Gives back what `open` took. Does not throw. */
  close(): Promise<void>;
}

/** The rest of the work on one file. */
export interface StartedWork {
  /** Resolves when everything is stored; null when there was nothing of the kind after all. */
  readonly finished: Promise<ResultFacts | null>;
}

/**
 * Counts the readers that can add to a shared batch. One that waits for another file leaves meanwhile:
 * otherwise the batch would wait for it and never go out.
 */
export interface Contributors {
  join(): void;
  leave(): void;
}

/** A last step over all files of a job, when each has its result. */
export interface ClosingStep<I extends WorkItem = WorkItem> {
  /** Jobs that are closed at the same time; one after the other when left out. */
  readonly together?: number;
  /** Failed work is not retried at once: the stage has retried it itself. */
  readonly triesItself?: boolean;
  /**
   * Names the folder, the contents of the job and all that changes the work: the key of the step in the
   * journal.
   */
  keyOf(job: StageJob<I>, results: readonly WorkResult[]): string | Promise<string>;
  isStored(job: StageJob<I>, results: readonly WorkResult[]): Promise<boolean>;
  /** Facts about a stored job; called after `isStored`. */
  storedFacts?(job: StageJob<I>): ResultFacts;
  /** Facts about a job whose step failed; the empty facts when left out. */
  failedFacts?(job: StageJob<I>): ResultFacts;
  /** `progress`: how much of the step is done, 0 to 1, and what else its events tell. */
  work(
    job: StageJob<I>,
    results: readonly WorkResult[],
    signal: AbortSignal,
    progress: (fraction: number, detail?: ResultFacts) => void,
  ): Promise<ResultFacts>;
}

export interface FileWork<I extends WorkItem = WorkItem> {
  readonly item: I;
  readonly media: MediaRecord;
  /** Null for a stage that reads nothing of a file. */
  readonly reader: DecoderActor | null;
  /**
   * Null for a file that is there. Else it is gone, as only stages that say `readsPreviews` hear: its frames
   * are its stored previews, of this size.
   */
  readonly previews: PictureSize | null;
  readonly signal: AbortSignal;
  /**
   * The frames of the file, at most one pass a piece of work. Stages that want frames of the same file get
   * them from the same decode pass. An item is *borrowed until the next round of the loop*.
   */
  frames(options: FrameOptions): AsyncIterable<GridFrame>;
  /** Units done since the last call, not yet committed; without those that were taken up. */
  worked(amount: number): void;
  /**
   * Reports the current step, for a stage that reports more than amounts; `part`: name of the part, if it has
   * one.
   */
  tell(step: string, part: string | null): void;
  /** Saved spans of the work; null if it begins anew. */
  readonly spans: FileSpans | null;
}

/** How the work of a stage on one file is kept. */
export interface SpanRules {
  /** Length of a span, in the unit of the stage. Nothing is kept of a file that is not longer. */
  readonly every: number;
  /**
   * All that changes what is kept, beside content, model and program: options of the request, the device,
   * settings of the engine. What was kept under others is dropped.
   */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Spans of the work on one file. A stage writes them by `keep`, or lets its store write them under `key`. */
export interface FileSpans {
  readonly key: SpanKey;
  all(): Promise<readonly KeptSpan[]>;
  /** The amount that was taken up. */
  readonly taken: number;
  /**
   * Work goes on behind this amount, 0 where nothing is kept. Told once by every attempt, before any work is.
   */
  takenUp(amount: number): void;
  /** `amount`: done in all, what was taken up included. */
  isDue(amount: number): boolean;
  /** Keeps a span that ends at this amount. */
  keep(amount: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** The store has kept everything up to this amount. */
  kept(amount: number): void;
}

export interface FrameOptions {
  readonly shape: PictureShape;
  /** The first grid frame that is wanted; 0 when left out. */
  readonly from?: number;
  /** With the JPEG preview that is stored. */
  readonly preview: boolean;
  /** Frames that may be decoded ahead. */
  readonly credit: number;
  /** Asks for the small pictures between the frames. */
  readonly small?: SmallRequest;
  /** Ends the frames of this stage alone. */
  readonly signal?: AbortSignal;
}

/** Throws when a stage that is declared cannot be run. */
export function stageOf(stages: readonly Stage[], type: string): Stage {
  const stage = stages.find(({ kind }) => kind.type === type);
  if (!stage) throw new Error(`there is no stage of type ${type}`);
  return stage;
}

/** The actors that work for a kind of stage, one file each at a time. */
export function readersOf(
  { decoders, speech, summarizer }: AnalysisParts,
  reads: ReaderKind,
): readonly Reader[] {
  if (reads === 'stored') return summarizer ? [{ actor: summarizer, decoder: null }] : [];
  const some = reads === 'frames' ? decoders : (speech?.audioDecoders ?? []);
  return some.map((decoder) => ({ actor: decoder, decoder }));
}

// Puts the stages of a task into groups: those with the same reader and the same needs work on a file
// together.

export interface StageJobs {
  readonly stage: Stage;
  readonly jobs: readonly StageJob[];
}

export interface StageGroup {
  readonly reads: ReaderKind;
  /** Types of work on the same file that come before. */
  readonly needs: readonly string[];
  /** At least one. */
  readonly stages: readonly StageJobs[];
}

/** Jobs of each stage; stages without work are left out. A closing step belongs to a name. */
export function jobsOf(
  stages: readonly Stage[],
  request: AnalysisRequest,
  isWithoutClosings = false,
): StageJobs[] {
  const jobOf = ({ items, ...job }: StageJob) => ({ items, name: isWithoutClosings ? null : job.name });
  return stages
    .map((stage) => ({ stage, jobs: stage.kind.jobsOf(request).map(jobOf).filter(hasWork) }))
    .filter(({ jobs }) => jobs.length > 0);
}

export function stageGroups(jobs: readonly StageJobs[]): StageGroup[] {
  const types = new Set(jobs.map(({ stage }) => stage.kind.type));
  const groups = new Map<string, StageGroup & { readonly stages: StageJobs[] }>();
  for (const stageJobs of jobs) {
    const { reads, kind } = stageJobs.stage;
    // Needs outside of the task are not waited for.
    const needs = kind.needs.filter((type) => types.has(type));
    const key = JSON.stringify([reads, needs]);
    const group = groups.get(key) ?? { reads, needs, stages: [] };
    group.stages.push(stageJobs);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Pieces of work of a stage: its files, each once, and a closing step for every job that has a name. */
export function piecesOf({ jobs }: Pick<StageJobs, 'jobs'>): {
  readonly paths: string[];
  readonly closing: string[];
} {
  const paths = new Set(jobs.flatMap(({ items }) => items.map(({ path }) => path)));
  return { paths: [...paths], closing: jobs.flatMap(({ name }) => (name === null ? [] : [name])) };
}
