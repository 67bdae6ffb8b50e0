// Runs the stages of one group of a task: surveys every file, plans what is missing, works on the files side
// by side as far as readers allow, tries again after a crash, and takes the closing steps.
import { engineErrors } from '../../../runtime/errors.ts';
import { KeyedLock } from '../../../runtime/sync/locks.ts';
import { createQueue, type Queue } from '../../../runtime/sync/queue.ts';
import { mediaErrors } from '../../decoder/contract.ts';
import { expectNotQuarantined, hangOf, worthAnotherTry } from '../recovery/journal.ts';
import { FramePass } from './frame-pass.ts';
import type { WorkItem } from './kind.ts';
import {
  type AttemptUnderway,
  attempt,
  type FileStage,
  keyOf,
  logFields,
  type RunningStage,
  runClosing,
  standsStored,
  tellEnd,
} from './piece.ts';
import { piecesOf, type Reader, readerNames, readersOf, type StageGroup, type StageJobs } from './stage.ts';
import { inOrder, type TaskContext } from './task-context.ts';

/** Pieces of work that are still being finished while their readers have gone on, at most. */
const UNFINISHED = 64;
const SURVEYS = 2;
const SURVEYED_AHEAD = 4096;

type Planned = RunningStage & { readonly jobs: StageJobs['jobs'] };
type Wanted = readonly { readonly stage: Planned; readonly item: WorkItem }[];
type Found = Pick<FileStage, 'media' | 'previews'>;
/** Work on each file, by path. */
type Round = ReadonlyMap<string, Wanted>;

export class GroupRunner {
  readonly #task: TaskContext;
  readonly #group: StageGroup;
  readonly #readers: readonly Reader[];
  readonly #stages: Planned[] = [];
  readonly #locks = new KeyedLock();
  readonly #underway = new Set<Promise<void>>();
  /** Work that was running when an engine crashed, or that hung: see `LastWork`. */
  readonly #suspects: FileStage[] = [];
  /** Files a look at which was. */
  readonly #suspectFiles: (readonly [string, Wanted])[] = [];

  constructor(task: TaskContext, group: StageGroup) {
    this.#task = task;
    this.#group = group;
    this.#readers = readersOf(task.parts, group.reads);
  }

  /** An error of opening a stage ends the task; failures of files are reported as their results. */
  async run(): Promise<void> {
    try {
      if (!(await this.#open())) return;
      await this.#rounds();
      await this.#task.last.turn(this.#group);
      await this.#surveySuspects();
      await this.#workOnSuspects();
      for (const stage of this.#stages) await runClosing(this.#task, stage, stage.jobs);
    } finally {
      this.#task.last.reached(this.#group);
      for (const { stageRun } of this.#stages) await stageRun.close();
    }
  }

  /** False when a stage cannot be opened: then nothing is begun of the others either. */
  async #open(): Promise<boolean> {
    const { tracker, ending } = this.#task;
    try {
      for (const { stage, jobs } of this.#group.stages) {
        // A model is not loaded for nothing.
        if (ending.aborted) return this.#beginNothing(engineErrors.CANCELLED('nothing was begun'));
        const stageRun = await this.#task.onceMore(() => stage.open(this.#task));
        this.#stages.push({ stage, jobs, stageRun, tracker: tracker.of(stage.kind.type) });
      }
      return true;
    } catch (error) {
      this.#task.break(error);
      return this.#beginNothing(error);
    }
  }

  #beginNothing(reason: unknown): false {
    for (const stageJobs of this.#group.stages) {
      const { paths, closing } = piecesOf(stageJobs);
      const work = this.#task.tracker.of(stageJobs.stage.kind.type);
      for (const path of paths) work.failed(path, this.#task.failure(path, reason));
      for (const name of closing) work.notClosed(name, this.#task.failure(name, reason));
    }
    return false;
  }

  async #rounds(): Promise<void> {
    const planned = await Promise.all(this.#stages.map((stage) => this.#roundsOf(stage)));
    const last = Math.max(0, ...planned.map((rounds) => rounds.length));
    for (let at = 0; at < Math.max(1, last); at++) {
      const assignments: { stage: Planned; item: WorkItem }[] = this.#stages.flatMap((stage, i) =>
        (planned[i]?.[at] ?? []).map((item) => ({ stage, item })),
      );
      const surveyed = this.#stages.filter((_, i) => at + 1 >= (planned[i]?.length ?? 0));
      await this.#round(
        Map.groupBy(assignments, ({ item }) => item.path),
        surveyed,
      );
    }
  }

  /** Rounds that cannot be planned end the task. */
  async #roundsOf({ stageRun, tracker, jobs }: Planned): Promise<readonly (readonly WorkItem[])[]> {
    const itemsByPath = new Map<string, WorkItem>();
    for (const item of jobs.flatMap((job) => job.items)) {
      if (!itemsByPath.has(item.path)) itemsByPath.set(item.path, item);
    }
    const all = [...itemsByPath.values()];
    if (!stageRun.rounds) return [all];
    const fail = ({ path }: WorkItem, error: unknown) => {
      if (itemsByPath.delete(path)) tracker.failed(path, this.#task.failure(path, error));
    };
    try {
      return await stageRun.rounds(all, fail);
    } catch (error) {
      this.#task.break(error);
      for (const item of all) fail(item, error);
      return [];
    }
  }

  /** `surveyed`: stages of which no file comes after this round. */
  async #round(round: Round, surveyed: readonly Planned[]): Promise<void> {
    const queue = createQueue<readonly FileStage[]>(SURVEYED_AHEAD);
    const reading = Promise.all(this.#readers.map((reader) => this.#read(queue, reader)));
    // When every reader is down the files that are left fail one by one, also while others are still
    // surveyed.
    const cleanup = reading.then(() => this.#failTheRest(queue));
    await this.#surveyAll(round, queue).finally(queue.close);
    if (this.#suspectFiles.length === 0) for (const { tracker } of surveyed) tracker.surveyed();
    await cleanup;
    await Promise.all(this.#underway);
  }

  async #surveyAll(round: Round, queue: Queue<readonly FileStage[]>): Promise<void> {
    const { surveys, last, results, signal, ending } = this.#task;
    const files = inOrder(round, this.#group.needs, results, ending);
    const later = (file: readonly [string, Wanted]) => {
      this.#suspectFiles.push(file);
      return [];
    };
    const surveyFiles = async () => {
      for await (const file of files) {
        if (surveys.isSuspect(file[0])) {
          later(file);
          continue;
        }
        const release = await last.lock.share();
        const pieces = await this.#survey(...file)
          .catch((error) =>
            hangOf(error) && !signal.aborted ? later(file) : this.#failSurvey(...file, error),
          )
          .finally(release);
        if (pieces.length > 0) await queue.put(pieces);
      }
    };
    await Promise.all(Array.from({ length: SURVEYS }, surveyFiles));
  }

  /** Pieces of work on the file now, without those that have a result already or come later. */
  async #survey(path: string, assignments: Wanted): Promise<FileStage[]> {
    if (this.#task.ending.aborted) throw notBegun(path);
    const { able, ...survey } = await this.#found(path, assignments);
    const planned = await Promise.all(able.map(({ stage, item }) => this.#plan(stage, item, survey)));
    return planned.filter((piece) => piece !== undefined);
  }

  /**
   * Stages that can work on the file; where it is gone, those its stored previews are enough for. The others
   * fail.
   */
  async #found(path: string, assignments: Wanted): Promise<Found & { readonly able: Wanted }> {
    const { surveys, request } = this.#task;
    if (request.from_previews) return { ...(await surveys.previewed(path)), able: assignments };
    try {
      return { media: await surveys.media(path), previews: null, able: assignments };
    } catch (error) {
      const able = assignments.filter(({ stage }) => stage.stage.kind.readsPreviews);
      const isGone = mediaErrors.FILE_NOT_FOUND.is(error) && able.length > 0;
      const goneMedia = isGone ? await surveys.gone(path) : null;
      if (!goneMedia) throw error;
      const others = assignments.filter((assignment) => !able.includes(assignment));
      this.#failSurvey(path, others, error);
      return { ...goneMedia, able };
    }
  }

  #failSurvey(path: string, assignments: Wanted, error: unknown): FileStage[] {
    for (const { stage } of assignments) stage.tracker.failed(path, this.#task.failure(path, error));
    return [];
  }

  /** "Resume" is "plan again": what is stored stands. */
  async #plan({ stage, stageRun, tracker }: Planned, item: WorkItem, { media, previews }: Found) {
    const { parts, retryQuarantined } = this.#task;
    const { path } = item;
    const piece: FileStage = { stage, stageRun, tracker, item, media, previews };
    try {
      if (!stageRun.applies(media, item)) tracker.notApplicable(media);
      else if (await standsStored(this.#task, piece)) this.#tellStored(piece);
      else {
        const key = keyOf(piece);
        if (!retryQuarantined) expectNotQuarantined(parts.journal, key, path);
        tracker.begin(media);
        if (!parts.journal.history.isSuspect(key)) return piece;
        this.#suspects.push(piece);
      }
    } catch (error) {
      tracker.failed(path, this.#task.failure(path, error));
    }
    return undefined;
  }

  #tellStored({ stage, stageRun, tracker, media }: FileStage): void {
    tracker.stored(media, stageRun.storedFacts?.(media) ?? (stage.kind.noFacts as Record<string, unknown>));
  }

  /** Works on files with one reader until there are none left. */
  async #read(queue: Queue<readonly FileStage[]>, reader: Reader): Promise<void> {
    this.#contribute('join');
    // Also while it waits for files: each of them comes before help with a film.
    const done = reader.decoder && this.#task.idleDecoders.need(reader.decoder);
    try {
      // A reader that is down leaves the files to the others.
      while (reader.actor.phase !== 'down') {
        const pieces = await queue.take();
        if (!pieces) return;
        await this.#work(pieces, reader);
      }
    } finally {
      done?.();
      this.#contribute('leave');
    }
  }

  async #failTheRest(queue: Queue<readonly FileStage[]>): Promise<void> {
    const name = readerNames[this.#group.reads];
    const down = (path: string) => engineErrors.ACTOR_DOWN(`${path}: every ${name} is down`);
    for (let pieces = await queue.take(); pieces; pieces = await queue.take()) {
      this.#give(pieces, this.#task.ending.aborted ? notBegun : down);
    }
  }

  async #surveySuspects(): Promise<void> {
    if (this.#suspectFiles.length === 0) return;
    for (const file of this.#suspectFiles) {
      const survey = () => this.#survey(...file).catch((error) => this.#failSurvey(...file, error));
      this.#suspects.push(...(await this.#task.last.lock.alone(survey)));
    }
    for (const { tracker } of this.#stages) tracker.surveyed();
  }

  /**
   * File by file, with all work on a file side by side: another crash tells which file it was. One that was
   * alone in a crash is worked on piece by piece, so that the next one tells which work it was.
   */
  async #workOnSuspects(): Promise<void> {
    const { history } = this.#task.parts.journal;
    const files = Map.groupBy(this.#suspects, (piece) => {
      return history.wasAlone(keyOf(piece)) ? piece : piece.media.identity.hash_str;
    });
    for (const pieces of files.values()) {
      await this.#task.last.lock.alone(async () => {
        this.#contribute('join');
        await this.#work(pieces, this.#anotherReader(), true).finally(() => this.#contribute('leave'));
        await Promise.all(this.#underway);
      });
    }
  }

  /** Pieces of one file. Resolves when the reader is free; their last steps may still be on the way. */
  async #work(pieces: readonly FileStage[], reader: Reader, isLast = false): Promise<void> {
    if (this.#task.ending.aborted) return this.#give(pieces, notBegun);
    const hash = pieces[0]?.media.identity.hash_str ?? '';
    const apart = (earlier: Promise<void>) => this.#apart(earlier);
    const release = await this.#locks.acquire(hash, apart);
    const leave = isLast ? () => {} : await this.#task.last.lock.share(apart);
    const ends = await this.#begin(await this.#stillToDo(pieces), reader, isLast);
    const settled: Promise<void> = Promise.all(ends).then(() => {
      this.#underway.delete(settled);
      leave();
      release();
    });
    this.#underway.add(settled);
    while (this.#underway.size >= UNFINISHED) await this.#apart(Promise.race(this.#underway));
  }

  /** The reason as the result of each piece. */
  #give(pieces: readonly FileStage[], reason: (path: string) => Error): void {
    for (const { tracker, item, media } of pieces) tracker.failed(item.path, reason(item.path), media);
  }

  /** The same content under another path may have been stored since the survey. */
  async #stillToDo(pieces: readonly FileStage[]): Promise<FileStage[]> {
    const remainingPieces: FileStage[] = [];
    for (const piece of pieces) {
      try {
        if (await standsStored(this.#task, piece)) this.#tellStored(piece);
        else if (this.#task.ending.aborted) this.#give([piece], notBegun);
        else remainingPieces.push(piece);
      } catch (error) {
        await tellEnd(this.#task, piece, Promise.reject(error));
      }
    }
    return remainingPieces;
  }

  /** Resolves when the reader is free, to the ends of the pieces; none of them rejects. */
  async #begin(pieces: readonly FileStage[], reader: Reader, isLast: boolean): Promise<Promise<void>[]> {
    const pass = this.#pass(pieces, reader, !isLast);
    const first = await Promise.allSettled(pieces.map((piece) => attempt(this.#task, piece, reader, pass)));
    const ends: Promise<void>[] = [];
    for (const [i, piece] of pieces.entries()) {
      const begun = first[i]!;
      const again = (error: unknown) => this.#again(piece, error, reader);
      const underway = begun.status === 'fulfilled' ? begun.value : await asUnderway(again(begun.reason));
      const { finished } = underway;
      const retried =
        begun.status === 'fulfilled'
          ? finished.catch(async (error) => (await again(error)).finished)
          : finished;
      ends.push(this.#end(piece, retried, isLast));
    }
    return ends;
  }

  /** Work that hung is done again after all other; when it hangs then too, the reason says what was seen. */
  async #end(piece: FileStage, finished: AttemptUnderway['finished'], isLast: boolean): Promise<void> {
    const { parts, signal } = this.#task;
    const hung = await finished.then(
      () => false,
      (error) => hangOf(error) !== null && !signal.aborted,
    );
    if (hung && !isLast) return void this.#suspects.push(piece);
    const { path } = piece.item;
    const outcome = hung
      ? finished.catch((error) => {
          expectNotQuarantined(parts.journal, keyOf(piece), path);
          throw error;
        })
      : finished;
    await tellEnd(this.#task, piece, outcome);
  }

  /** Once more after a crash, alone. Rejects with the error when another attempt would not help. */
  #again(piece: FileStage, error: unknown, reader: Reader): Promise<AttemptUnderway> {
    if (this.#task.signal.aborted || !worthAnotherTry(error) || hangOf(error)) return Promise.reject(error);
    this.#task.parts.log.warn('a stage is tried again', logFields(piece, error));
    const next = reader.actor.phase === 'down' ? this.#anotherReader() : reader;
    return attempt(this.#task, piece, next, this.#pass([piece], next));
  }

  /** For pieces of one file. `isShared`: idle decoders may help. */
  #pass(pieces: readonly FileStage[], reader: Reader, isShared = false): FramePass {
    const [first] = pieces;
    const { path = '', probe } = first?.media ?? {};
    const gone = first?.previews ? first.media : null;
    const isStill = probe?.kind === 'image' && gone === null;
    const shared = isShared && probe && !isStill ? probe.grid_frames : null;
    // A still is read by the process that probed it.
    const decoder = isStill && reader.decoder ? this.#task.parts.prober : reader.decoder;
    return new FramePass(this.#task, path, decoder, pieces.length, gone, shared);
  }

  #anotherReader(): Reader {
    const { prober } = this.#task.parts;
    const up = this.#readers.find(({ actor }) => actor.phase !== 'down');
    if (up) return up;
    return { actor: prober, decoder: this.#group.reads === 'stored' ? null : prober };
  }

  #contribute(what: 'join' | 'leave'): void {
    for (const { stageRun } of this.#stages) stageRun.contributors?.[what]();
  }

  /** Waits, and has left the shared batch meanwhile, so that it goes out without this file. */
  async #apart(wait: Promise<unknown>): Promise<void> {
    this.#contribute('leave');
    await wait;
    this.#contribute('join');
  }
}

function notBegun(path: string): Error {
  return engineErrors.CANCELLED(`${path}: was not started`);
}

async function asUnderway(again: Promise<AttemptUnderway>): Promise<AttemptUnderway> {
  return again.catch((error): AttemptUnderway => {
    const finished = Promise.reject(error);
    finished.catch(() => {});
    return { finished };
  });
}
