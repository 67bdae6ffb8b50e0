// Writes the visual stages of one analysis folder. Bulk data first, flushed; then one transaction makes whole
// stages visible.
import { engineErrors } from '../../../runtime/errors.ts';
import type { ShotEdges } from '../visual/contract.ts';
import { countFrames, unpackFrames } from '../visual/frames.ts';
import { type About, Bundles } from './bundles.ts';
import { noteChange, revisionAfter } from './changes.ts';
import { type MediaRecord, type SpanKey, storeErrors } from './contract.ts';
import { disk, type StoreDisk, setRoomAside } from './disk.ts';
import type { Environment, Transaction } from './environment.ts';
import { readable } from './faults.ts';
import { putMedia } from './media.ts';
import { modelPrefix, modelRecordKey, previewKey, stageKey } from './names.ts';
import { type LeaseOptions, OpenWork, StageWriter } from './open-work.ts';
import type { FaceWriterOptions } from './people/face-writer.ts';
import type { MoveStep } from './people/roll-mover.ts';
import { ModelUseRow, PictureVectorsRow, PreviewsRow } from './records.ts';
import { movePaths, type PathMove, removeContents } from './removal.ts';
import { Spans } from './spans.ts';
import { type AddedFrames, betweenEdges, type StageResult, VectorStage } from './stage.ts';
import type { SummaryWriterOptions } from './summaries/summary-writer.ts';
import { readRecord, seal, unseal } from './table.ts';
import { readModel } from './visual-stages.ts';

export interface WriterOptions extends LeaseOptions, FaceWriterOptions, SummaryWriterOptions {
  readonly on?: StoreDisk;
  readonly leastDeadFaces?: number;
  readonly moveStep?: MoveStep;
  readonly warn?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** At most, what a transaction that forgets a content writes, bytes. */
const bytesOfRemoval = 128 * 1024;

export interface RemovalHooks {
  readonly within: (writes: Transaction) => void;
  readonly after: () => void;
}

export interface Committed {
  readonly stage: VectorStage;
  readonly media: MediaRecord;
  /** Its pictures were stored previews. */
  readonly from_previews?: boolean | undefined;
  readonly edges?: ShotEdges | undefined;
}

/** Result of a stage. Its bundles are complete. */
export interface SealedStage {
  readonly hash: string;
  readonly modelKey: string;
  readonly dimensions: number;
  readonly media: MediaRecord;
  readonly visual: StageResult;
  readonly previews: PreviewsRow;
  /** Its pictures were stored previews. */
  readonly from_previews?: boolean | undefined;
}

interface Finished extends SealedStage {
  readonly stage: VectorStage;
}

export class VectorWriter extends StageWriter<AddedFrames, VectorStage> {
  readonly bundles: Bundles;
  readonly spans: Spans;
  readonly #now: () => number;

  constructor(folder: string, environment: Environment, options: WriterOptions = {}) {
    setRoomAside(environment.file);
    const bundles = new Bundles(folder, options.on ?? disk);
    const work = new OpenWork(environment, options, {
      taken: () => {
        bundles.removeGone(environment);
        bundles.tidyOpen((name, about) => placeOf(environment, name, about));
      },
      released: (writes) => bundles.forgetGone(writes),
    });
    super(environment, work, options.warn);
    this.bundles = bundles;
    this.spans = new Spans(folder, options);
    this.#now = options.now ?? Date.now;
  }

  /** Holds the lease. */
  get isBusy(): boolean {
    return this.work.isBusy;
  }

  /**
   * `span`: what was kept of it is taken up. Throws STORE_IN_USE naming the process when another one writes
   * here.
   */
  begin(hash: string, modelKey: string, dimensions: number, span: SpanKey | null = null): VectorStage {
    const key = stageKey(modelKey, hash);
    for (const stage of this.stages) {
      if (stageKey(stage.modelKey, stage.hash) === key) this.suspend(stage);
      else if (stage.modelKey === modelKey && stage.dimensions !== dimensions) {
        throw storeErrors.WRONG_DIMENSIONS(
          `dimensions: ${modelKey} is being written with ${stage.dimensions}, not ${dimensions}`,
        );
      }
    }
    return this.open((token) => {
      const keeping = span === null ? null : { spans: this.spans, key: span };
      const confirm = () => this.work.confirm();
      return new VectorStage(hash, modelKey, dimensions, { bundles: this.bundles, token, confirm, keeping });
    });
  }

  /**
   * Makes stages visible in one transaction: for each the number of vectors, or the error that kept it out.
   * *Flushed* on return. After an error a stage is forgotten.
   */
  commit(all: readonly Committed[]): (number | Error)[] {
    const finished = all.map((commit) => this.#finish(commit));
    const whole = finished.flatMap((outcome) => (outcome instanceof Error ? [] : [outcome]));
    const failure = whole.length === 0 ? null : this.#publish(whole);
    return finished.map((outcome) => {
      if (outcome instanceof Error) return outcome;
      if (failure !== null) return failure;
      return outcome.visual.frames;
    });
  }

  #finish({ stage, media, from_previews, edges }: Committed): Finished | Error {
    try {
      this.requireOpen(stage);
      if (media.identity.hash_str !== stage.hash) {
        throw engineErrors.INVALID_MESSAGE(`media: ${media.path} is not the file of stage ${stage.hash}`);
      }
      const read = () => readRecord(this.environment, PreviewsRow, previewKey(stage.hash));
      this.work.confirm();
      const { hash, modelKey, dimensions } = stage;
      const of = { stage, hash, modelKey, dimensions, media, from_previews };
      const exact = edges ?? (from_previews ? this.#edgesOf(stage.hash) : undefined);
      return { ...of, ...stage.finish(revisionAfter(read), media.probe.duration_seconds, exact) };
    } catch (error) {
      this.abort(stage);
      return error as Error;
    }
  }

  /** Previews show no edges. What an earlier stage of the content found in its file holds for them, too. */
  #edgesOf(hash: string): ShotEdges | undefined {
    const exact = this.#stagesOf(hash).find(({ visual }) => visual.has_edges === 1)?.visual;
    return exact && { seconds: [...exact.edge_seconds], frames: [...exact.edge_frames] };
  }

  /** Answers what kept all of them out. */
  #publish(finished: readonly Finished[]): Error | null {
    let wasTried = false;
    let failure: Error | null = null;
    try {
      this.environment.transact((writes) => {
        this.work.confirmIn(writes);
        this.bundles.forgetGone(writes);
        for (const content of finished) this.#put(writes, content);
        wasTried = true;
      });
    } catch (error) {
      failure = error as Error;
    }
    for (const { stage } of finished) {
      // A fault in the middle of a commit leaves open whether it took place: the next writer finds out.
      if (failure === null) stage.settle();
      else stage.abort(wasTried);
      this.forget(stage);
    }
    if (failure === null) this.bundles.removeGone(this.environment);
    for (const { stage } of finished) this.work.end(stage);
    return failure;
  }

  /** The same for what was found elsewhere, whose bundles were moved to `open/`. *Flushed* on return. */
  adopt(contents: readonly SealedStage[]): void {
    this.environment.transact((writes) => {
      this.work.confirmIn(writes);
      this.bundles.forgetGone(writes);
      for (const content of contents) this.#put(writes, content);
    });
    for (const { visual, previews } of contents)
      for (const { file } of [visual, previews]) if (file !== '') this.bundles.settle(file);
    this.bundles.removeGone(this.environment);
  }

  #put(writes: Transaction, content: SealedStage): void {
    const { hash, modelKey, dimensions, media, visual, previews, from_previews } = content;
    const { file } = this.environment;
    const [key, shown] = [stageKey(modelKey, hash), previewKey(hash)];
    const before = writes.get(key);
    const read = () => (before === undefined ? null : unseal(PictureVectorsRow, key, before, file));
    const old = readable(read);
    const { frames: _, ...stored } = visual;
    const revision = revisionAfter(read);
    const of = { stored_ms: this.#now(), from_previews: from_previews ? 1 : 0 };
    const row: PictureVectorsRow = { hash_str: hash, dimensions, revision, ...stored, ...of };
    const pictures = writes.get(shown);
    const oldPictures = pictures && readable(() => unseal(PreviewsRow, shown, pictures, file));
    writes.put(key, seal(PictureVectorsRow, key, row));
    writes.put(shown, seal(PreviewsRow, shown, previews));
    if (old && old.file !== row.file) this.bundles.gone(writes, [old.file]);
    if (oldPictures && oldPictures.file !== previews.file) this.bundles.gone(writes, [oldPictures.file]);
    this.#countRows(writes, content, old);
    putMedia(writes, media, this.environment, true);
  }

  #countRows(
    writes: Transaction,
    { modelKey, dimensions, visual }: SealedStage,
    old: PictureVectorsRow | null,
  ): void {
    const { frames } = visual;
    const key = modelRecordKey(modelKey);
    const model = readModel(this.environment, modelKey);
    const isSame = model?.dimensions === dimensions;
    const replaced = old?.dimensions === dimensions ? countFrames(old.frame_runs) : 0;
    const rows = (isSame ? model.rows - replaced : 0) + frames;
    const made_ms = model?.made_ms ?? this.#now();
    writes.put(
      key,
      seal(ModelUseRow, key, { model_key: modelKey, dimensions, rows: Math.max(0, rows), made_ms }),
    );
  }

  /**
   * Everything of these contents, each with all of its paths, in one transaction. `along` is called with the
   * lease held. *Flushed* on return. MEDIA_IN_WORK.
   */
  remove(contents: ReadonlyMap<string, readonly string[]>, along: () => RemovalHooks): void {
    const open = this.work.stageOf(contents);
    if (open !== undefined) {
      const named = contents.get(open.hash)?.[0] ?? open.hash;
      throw storeErrors.MEDIA_IN_WORK(`${named} is currently being analysed with ${open.modelKey}`);
    }
    const removing = () => {
      // First: a fault here can be tried again, and costs no more than time.
      this.spans.forgetContents(new Set(contents.keys()));
      const { within, after } = along();
      const places = [...contents.keys()].flatMap((hash) => this.bundles.placesOf(hash));
      this.environment.transact((writes) => {
        this.work.confirmIn(writes);
        within(writes);
        this.bundles.gone(writes, places);
        removeContents(writes, this.environment, contents);
      });
      after();
      this.bundles.removeGone(this.environment);
    };
    this.environment.freeing(contents.size * bytesOfRemoval, () => this.work.exclusively(removing));
  }

  /**
   * The number of vectors of the stages of a content, all of which have these edges now. *Flushed* on return.
   * Throws NOT_ANALYZED where no stage can be read, and as `betweenEdges`.
   */
  setEdges({ path, identity: { hash_str: hash }, probe }: MediaRecord, edges: ShotEdges): number {
    const { environment } = this;
    const rewrite = (writes: Transaction) => {
      this.work.confirmIn(writes);
      const stages = this.#stagesOf(hash);
      if (stages.length === 0) throw storeErrors.NOT_ANALYZED(`${hash} has no visual analysis`, { hash });
      let vectors = 0;
      for (const { key, visual } of stages) {
        const frames = [...unpackFrames(visual.frame_runs)];
        const exact = betweenEdges(edges, frames, probe.duration_seconds);
        const revision = revisionAfter(() => visual);
        writes.put(key, seal(PictureVectorsRow, key, { ...visual, ...exact, revision }));
        vectors += frames.length;
      }
      noteChange(writes, { path: environment.paths.stored(path), hash }, environment.file);
      return vectors;
    };
    return this.work.exclusively(() => environment.transact(rewrite));
  }

  /** Readable stages of every model. */
  #stagesOf(hash: string): { readonly key: string; readonly visual: PictureVectorsRow }[] {
    return this.environment.keys(modelPrefix).flatMap((model) => {
      const key = `visual/${model.slice(modelPrefix.length)}/${hash}`;
      const visual = readable(() => readRecord(this.environment, PictureVectorsRow, key));
      return visual === null ? [] : [{ key, visual }];
    });
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
}

/** Where the records say that a bundle of `open/` lies; null where none names it. */
function placeOf(environment: Environment, name: string, { hash_str, model_key }: About): string | null {
  return readable(() => {
    const visual = readRecord(environment, PictureVectorsRow, stageKey(model_key, hash_str));
    const previews = readRecord(environment, PreviewsRow, previewKey(hash_str));
    return [visual?.file, previews?.file].find((place) => place?.endsWith(`/${name}`)) ?? null;
  });
}
