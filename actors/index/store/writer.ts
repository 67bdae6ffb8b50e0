// Writes the visual stages of one analysis folder. Bulk data first, flushed; then one transaction makes a
// whole stage visible.
import { systemClock } from '../../../runtime/clock.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import type { SpanKey } from '../spans/contract.ts';
import { type CompactionStep, compactionDue, usualStep } from './compact.ts';
import { Compactor } from './compactor.ts';
import { type MediaRecord, storeErrors } from './contract.ts';
import { type Disk, disk } from './disk.ts';
import type { Environment, Writes } from './environment.ts';
import { readable, replaced } from './faults.ts';
import { putMedia } from './media.ts';
import { readModel } from './model.ts';
import { modelPrefix, modelRecordKey, previewKey, stageKey } from './names.ts';
import { type LeaseOptions, OpenWork } from './open-work.ts';
import type { FaceWriterOptions } from './people/face-writer.ts';
import { removeOtherPreviews, removeParts } from './preview-writer.ts';
import { readRecord } from './read-record.ts';
import { Model, Previews, Visual } from './records.ts';
import { movePaths, type PathMove, type Removed, removeContents } from './removal.ts';
import { revisionAfter } from './revision.ts';
import { Spans } from './spans.ts';
import { setRoomAside } from './spare-room.ts';
import { Stage, type StageResult } from './stage.ts';
import type { Added } from './stage-spans.ts';
import type { SummaryWriterOptions } from './summaries/summary-writer.ts';
import { seal, unseal } from './table.ts';
import { type ModelTail, Tails } from './tails.ts';

export interface WriterOptions extends LeaseOptions, FaceWriterOptions, SummaryWriterOptions {
  readonly on?: Disk;
  /** Packs with fewer orphaned rows are not compacted. */
  readonly leastGarbageRows?: number;
  readonly compactionStep?: CompactionStep;
  readonly warn?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Pages that removing one content rewrites, bytes. */
const bytesOfRemoval = 24 * 1024;

/** What is removed with contents: within the transaction, and after it. */
export interface RemovalHooks {
  readonly within: (writes: Writes) => void;
  readonly after: () => void;
}

export class Writer {
  readonly #folder: string;
  readonly environment: Environment;
  readonly #on: Disk;
  readonly work: OpenWork;
  readonly #stages = new Set<Stage>();
  readonly #tails: Tails;
  readonly spans: Spans;
  readonly #compactor: Compactor;
  readonly #warn: NonNullable<WriterOptions['warn']>;
  readonly #now: () => number;

  constructor(folder: string, environment: Environment, options: WriterOptions = {}) {
    this.#folder = folder;
    this.environment = environment;
    setRoomAside(environment.file);
    this.#on = options.on ?? disk;
    this.spans = new Spans(folder, options);
    this.work = new OpenWork(environment, options, () => {
      removeParts(folder);
      this.spans.removeParts();
    });
    this.#warn = options.warn ?? (() => {});
    this.#now = options.now ?? Date.now;
    this.#tails = new Tails(folder, environment, this.#on, () => this.work.confirm(), this.#now);
    const compacted = {
      folder,
      environment,
      on: this.#on,
      size: options.compactionStep ?? usualStep,
      confirm: (writes: Writes) => this.work.confirmIn(writes),
    };
    this.#compactor = new Compactor({
      clock: options.clock ?? systemClock,
      due: (modelKey) => compactionDue(compacted, modelKey, options.leastGarbageRows),
      givenUp: (fault) => {
        if (fault !== null) this.#warnOfCompaction(fault);
        this.work.settle();
      },
    });
    const compactor = this.#compactor;
    this.work.add({
      get isBusy() {
        return compactor.isBusy;
      },
      idle: () => this.#tails.closeAll(),
    });
  }

  /** Holds the lease. */
  get isBusy(): boolean {
    return this.work.isBusy;
  }

  /**
   * `span`: what was kept of it is taken up. Throws STORE_IN_USE naming the process when another one writes
   * here.
   */
  begin(hash: string, modelKey: string, dimensions: number, span: SpanKey | null = null): Stage {
    const key = stageKey(modelKey, hash);
    for (const stage of [...this.#stages]) {
      if (stageKey(stage.modelKey, stage.hash) === key) this.suspend(stage);
    }
    return this.work.begin((token) => {
      this.#compactor.end(modelKey);
      const tail = this.#tails.of(modelKey, dimensions);
      const part = { folder: this.#folder, token, on: this.#on };
      const keeping = span === null ? null : { spans: this.spans, key: span };
      const stage = new Stage(hash, modelKey, dimensions, tail, part, keeping);
      this.#stages.add(stage);
      return stage;
    });
  }

  append(stage: Stage, added: Added, keep = false): void {
    this.#own(stage);
    this.work.confirm();
    try {
      stage.append(added);
      if (keep) stage.keep();
    } catch (error) {
      // A refused call took nothing; after a fault of the disk the stage is not whole any more.
      const refused = engineErrors.INVALID_MESSAGE.is(error) || storeErrors.WRONG_DIMENSIONS.is(error);
      if (!refused) this.abort(stage);
      throw error;
    }
  }

  /** Number of vectors stored. *Flushed* on return. After an error the stage is forgotten. */
  commit(stage: Stage, media: MediaRecord): number {
    const tail = this.#own(stage);
    let stored: { readonly frames: number; readonly previews: string };
    try {
      if (media.identity.hash_str !== stage.hash) {
        throw engineErrors.INVALID_MESSAGE(`media: ${media.path} is not the file of stage ${stage.hash}`);
      }
      const result = stage.finish();
      tail.packs.flush();
      const revision = revisionAfter(() => readRecord(this.environment, Previews, previewKey(stage.hash)));
      this.work.confirm();
      const previews = stage.previews.finish(stage.hash, revision);
      this.#requireSamePacks(tail);
      tail.model = this.#publish(stage, media, result, previews, tail);
      stored = { frames: result.frames, previews: previews.file };
    } catch (error) {
      this.#settlePreviews(stage);
      this.abort(stage);
      throw error;
    }
    this.#stages.delete(stage);
    stage.close();
    this.#tidy(stage, stored.previews);
    this.work.end(stage);
    return stored.frames;
  }

  /**
   * A transaction that fails may have become durable all the same: then the preview file is where its record
   * says.
   */
  #settlePreviews({ hash, previews }: Stage): void {
    try {
      this.environment.requireSame();
      this.environment.refresh();
      const named = readRecord(this.environment, Previews, previewKey(hash));
      if (named !== null && previews.made === named.file) previews.settle();
    } catch {
      // The records cannot be read now, so nothing is known to be named there.
    }
  }

  /** The next stage begins new packs; those that are open in packs that are gone are lost. */
  #requireSamePacks(tail: ModelTail): void {
    if (tail.packs.isCurrent) return;
    const { modelKey } = tail.packs.shape;
    for (const stage of [...this.#stages]) if (stage.modelKey === modelKey) this.abort(stage);
    this.#tails.close(modelKey);
    throw replaced(tail.packs.coarse.file);
  }

  /** The stage is stored: what is left over is told, and removed by the next commit of this file. */
  #tidy({ hash }: Stage, previews: string): void {
    try {
      removeOtherPreviews(this.#folder, hash, previews);
    } catch (error) {
      this.#warn('Previews of earlier analyses could not be removed', { hash, reason: reasonOf(error) });
    }
  }

  #publish(
    stage: Stage,
    media: MediaRecord,
    result: StageResult,
    previews: Previews,
    tail: ModelTail,
  ): Model {
    const { file } = this.environment;
    const [visual, preview, model] = [
      stageKey(stage.modelKey, stage.hash),
      previewKey(stage.hash),
      modelRecordKey(stage.modelKey),
    ];
    const { frames, ...stored } = result;
    const { generation } = tail.packs.shape;
    const last = result.extents.at(-1);
    const publish = (writes: Writes) => {
      this.work.confirmIn(writes);
      const before = writes.get(visual);
      const read = () => (before === undefined ? null : unseal(Visual, visual, before, file));
      const old = readable(read);
      const replaced = old?.generation === generation ? rowsOf(old) : 0;
      const row: Visual = {
        hash_str: stage.hash,
        dimensions: stage.dimensions,
        generation,
        revision: revisionAfter(read),
        ...stored,
        stored_ms: this.#now(),
      };
      const now: Model = {
        ...tail.model,
        rows: Math.max(tail.model.rows, last === undefined ? 0 : last.row + last.count),
        live: tail.model.live + frames - replaced,
      };
      writes.put(visual, seal(Visual, visual, row));
      writes.put(preview, seal(Previews, preview, previews));
      writes.put(model, seal(Model, model, now));
      putMedia(writes, media, file);
      return now;
    };
    return this.#transact(stage, tail, publish);
  }

  /** A fault in the middle of a commit leaves open whether it took place: then the rows stay as they are. */
  #transact(stage: Stage, tail: ModelTail, action: (writes: Writes) => Model): Model {
    let wasTried = false;
    try {
      return this.environment.transact((writes) => {
        const model = action(writes);
        wasTried = true;
        return model;
      });
    } catch (error) {
      if (wasTried) {
        stage.keepRows();
        tail.model = this.#modelNow(tail);
      }
      throw error;
    }
  }

  #modelNow({ model }: ModelTail): Model {
    try {
      this.environment.requireSame();
      this.environment.refresh();
      const now = readModel(this.environment, model.model_key);
      return now?.generation === model.generation ? now : model;
    } catch {
      return model; // The records cannot be read now: the next writer reads them.
    }
  }

  /**
   * Everything of these contents, each with all of its paths, in one transaction. `along` is called with the
   * lease held. *Flushed* on return. MEDIA_IN_WORK.
   */
  remove(contents: ReadonlyMap<string, readonly string[]>, along: () => RemovalHooks): Removed[] {
    const open = this.work.stageOf(contents);
    if (open !== undefined) {
      const named = contents.get(open.hash)?.[0] ?? open.hash;
      throw storeErrors.MEDIA_IN_WORK(`${named} is currently being analysed with ${open.modelKey}`);
    }
    const removing = () => {
      this.#compactor.settle();
      // First: a fault here can be tried again, and costs no more than time.
      this.spans.forgetContents(new Set(contents.keys()));
      const prefix = modelPrefix.length;
      const modelKeys = this.environment.keys(modelPrefix).map((key) => key.slice(prefix));
      const { within, after } = along();
      const { removed, models } = this.environment.transact((writes) => {
        this.work.confirmIn(writes);
        within(writes);
        return removeContents(writes, this.environment, modelKeys, contents);
      });
      after();
      for (const hash of contents.keys()) removeOtherPreviews(this.#folder, hash, '');
      for (const model of models) {
        const tail = this.#tails.get(model.model_key);
        if (tail !== undefined && tail.model.generation === model.generation)
          tail.model = { ...tail.model, live: model.live };
      }
      return removed;
    };
    return this.environment.freeing(contents.size * bytesOfRemoval, () => this.work.exclusively(removing));
  }

  /** The paths that stayed; see `movePaths`. *Flushed* on return. */
  move(moves: readonly PathMove[]): string[] {
    return this.work.exclusively(() =>
      this.environment.transact((writes) => {
        this.work.confirmIn(writes);
        return movePaths(writes, this.environment, moves);
      }),
    );
  }

  /** Nothing of the stage stays but what was kept of it. */
  abort(stage: Stage): void {
    if (!this.#stages.delete(stage)) return;
    stage.abort();
    this.work.end(stage);
  }

  /** The same for a stage that is sound: all of it is kept. */
  suspend(stage: Stage): void {
    if (!this.#stages.has(stage)) return;
    try {
      this.work.confirmIn(this.environment);
      stage.keep();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#warn('The last span of a stage could not be kept', { hash: stage.hash, reason });
    }
    this.abort(stage);
  }

  #own(stage: Stage): ModelTail {
    const tail = this.#tails.get(stage.modelKey);
    if (!this.#stages.has(stage) || tail === undefined) {
      throw storeErrors.STAGE_LOST(`The stage of ${stage.hash} is not open`);
    }
    return tail;
  }

  /**
   * One step of rewriting the packs of a model, where most of them is garbage and nobody appends to them;
   * true when there is no more to do. A fault is told, and costs nothing: the next one tries again.
   */
  compact(modelKey: string): boolean {
    if ([...this.#stages].some((stage) => stage.modelKey === modelKey)) return true;
    let done = true;
    try {
      if (!this.#compactor.wants(modelKey)) return true;
      this.work.hold();
      this.#tails.close(modelKey);
      done = this.#compactor.step(modelKey);
    } catch (error) {
      this.#compactor.abandon(modelKey);
      this.#warnOfCompaction(error, modelKey);
    }
    if (done) this.work.settle();
    return done;
  }

  #warnOfCompaction(error: unknown, model?: string): void {
    this.#warn('A vector pack could not be compacted', { model, reason: reasonOf(error) });
  }

  /** Aborts what is open and frees the packs. */
  close(): void {
    for (const stage of [...this.#stages]) this.suspend(stage);
    if (!this.#compactor.isBusy) return;
    this.#compactor.abandonAll();
    this.work.settle();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function rowsOf(visual: Visual): number {
  return visual.extents.reduce((sum, extent) => sum + extent.count, 0);
}
