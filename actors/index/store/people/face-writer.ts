// Writes the face stages of one analysis folder: packs first, flushed; then one transaction makes a whole
// stage visible.
import { randomUUID } from 'node:crypto';
import { engineErrors } from '../../../../runtime/errors.ts';
import { idOf } from '../../people/entry-id.ts';
import { type EarlierFaces, keptIds } from '../../people/keep-ids.ts';
import type { SpanKey } from '../../spans/contract.ts';
import { type MediaRecord, storeErrors } from '../contract.ts';
import { type Disk, disk } from '../disk.ts';
import type { Environment, Writes } from '../environment.ts';
import { readable, replaced } from '../faults.ts';
import { putMedia } from '../media.ts';
import { encodeModelKey, faceModelKey } from '../names.ts';
import type { OpenWork } from '../open-work.ts';
import { FaceModel, type FacePlaces, type Faces } from '../records.ts';
import { randomRevision, revisionAfter } from '../revision.ts';
import type { Spans } from '../spans.ts';
import { seal } from '../table.ts';
import { sizeOfPlaces } from './crop-pack.ts';
import { readFaceModel } from './face-model.ts';
import { FaceRecords, factsByAll, idsOf } from './face-records.ts';
import type { FaceChunk } from './face-spans.ts';
import { FaceStage, type FaceStageResult, type FaceTail, FaceTails } from './face-stage.ts';

export interface FaceWriterOptions {
  readonly on?: Disk;
  /** Of a face that was not there before; random UUIDs. */
  readonly newId?: () => string;
  readonly now?: () => number;
  readonly warn?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export interface FaceWriterParts {
  readonly folder: string;
  readonly environment: Environment;
  readonly work: OpenWork;
  readonly spans: Spans;
  /** Before a model's packs are appended to: ends a compaction of them. */
  readonly beforeAppend: (modelKey: string) => void;
}

export class FaceWriter {
  readonly #parts: FaceWriterParts;
  readonly #records: FaceRecords;
  readonly #stages = new Set<FaceStage>();
  readonly tails: FaceTails;
  readonly #newId: () => string;
  readonly #now: () => number;
  readonly #warn: NonNullable<FaceWriterOptions['warn']>;

  constructor(parts: FaceWriterParts, options: FaceWriterOptions = {}) {
    this.#parts = parts;
    const { folder, environment, work } = parts;
    this.#records = new FaceRecords(environment);
    this.tails = new FaceTails(folder, environment, options.on ?? disk, () => work.confirm());
    this.#newId = options.newId ?? randomUUID;
    this.#now = options.now ?? Date.now;
    this.#warn = options.warn ?? (() => {});
  }

  has(modelKey: string): boolean {
    return [...this.#stages].some((stage) => stage.modelKey === modelKey);
  }

  /** Any open stage of one of these contents. */
  stageOf(hashes: { has(hash: string): boolean }): FaceStage | undefined {
    return [...this.#stages].find(({ hash }) => hashes.has(hash));
  }

  /**
   * `span`: what was kept of it is taken up. Throws STORE_IN_USE naming the process when another one writes
   * here.
   */
  begin(hash: string, modelKey: string, dimensions: number, span: SpanKey | null = null): FaceStage {
    for (const stage of [...this.#stages]) {
      if (stage.hash === hash && stage.modelKey === modelKey) this.suspend(stage);
    }
    return this.#parts.work.begin(() => {
      this.#parts.beforeAppend(modelKey);
      const tail = this.tails.of(modelKey, dimensions);
      const keeping = span === null ? null : { spans: this.#parts.spans, key: span };
      const stage = new FaceStage(hash, modelKey, dimensions, tail, keeping);
      this.#stages.add(stage);
      return stage;
    });
  }

  append(stage: FaceStage, chunk: FaceChunk, keep = false): void {
    this.#own(stage);
    this.#parts.work.confirm();
    try {
      stage.append(chunk);
      if (keep) stage.keep();
    } catch (error) {
      // A refused call took nothing; after a fault of the disk the stage is not whole any more.
      const refused = engineErrors.INVALID_MESSAGE.is(error) || storeErrors.WRONG_DIMENSIONS.is(error);
      if (!refused) this.abort(stage);
      throw error;
    }
  }

  /** *Flushed* on return. After an error the stage is forgotten. */
  commit(stage: FaceStage, media: MediaRecord, fromPreviews = false): { faces: number; kept_ids: number } {
    const tail = this.#own(stage);
    let stored: { faces: number; kept_ids: number };
    try {
      if (media.identity.hash_str !== stage.hash) {
        throw engineErrors.INVALID_MESSAGE(`media: ${media.path} is not the file of stage ${stage.hash}`);
      }
      const result = stage.finish();
      tail.packs.flush();
      this.#parts.work.confirm();
      this.#requireSamePacks(tail);
      stored = this.#publish(stage, { media, fromPreviews }, result, tail);
    } catch (error) {
      this.abort(stage);
      throw error;
    }
    this.#stages.delete(stage);
    stage.close();
    this.#parts.work.end(stage);
    return stored;
  }

  /** Those that are open in packs that are gone are lost. */
  #requireSamePacks(tail: FaceTail): void {
    if (tail.packs.isCurrent) return;
    const { modelKey } = tail.packs.shape;
    for (const stage of [...this.#stages]) if (stage.modelKey === modelKey) this.abort(stage);
    this.tails.close(modelKey);
    throw replaced(tail.packs.vectors.file);
  }

  #publish(
    stage: FaceStage,
    { media, fromPreviews }: { readonly media: MediaRecord; readonly fromPreviews: boolean },
    result: FaceStageResult,
    tail: FaceTail,
  ) {
    const { environment, work } = this.#parts;
    const { hash, modelKey, dimensions } = stage;
    const model = encodeModelKey(modelKey);
    const kept = keptIds(this.#before(hash), result.columns);
    const facts = { ...result.columns, ids: this.#ids(kept) };
    let wasTried = false;
    try {
      tail.model = environment.transact((writes) => {
        work.confirmIn(writes);
        const now = this.#modelAfter(writes, stage, result, tail);
        const revision = revisionAfter(() => this.#records.head(writes, model, hash), randomRevision());
        const count = facts.frames.length;
        const mark = { stored_ms: this.#now(), from_previews: fromPreviews ? 1 : 0 };
        const head: Faces = { hash_str: hash, dimensions, revision, count, ...mark };
        const { rows, crops } = result;
        const places: FacePlaces = { generation: tail.packs.shape.generation, rows, crops };
        this.#records.put(writes, model, head, facts, places);
        this.#records.noteChange(writes);
        const key = faceModelKey(modelKey);
        writes.put(key, seal(FaceModel, key, now));
        putMedia(writes, media, environment.file, true);
        wasTried = true;
        return now;
      });
    } catch (error) {
      // A fault in the middle of a commit leaves open whether it took place: then the rows stay as they are.
      if (wasTried) {
        stage.keepRows();
        tail.model = this.#modelNow(tail);
      }
      throw error;
    }
    return { faces: facts.frames.length, kept_ids: kept.filter((id) => id !== null).length };
  }

  #modelAfter(writes: Writes, stage: FaceStage, result: FaceStageResult, tail: FaceTail): FaceModel {
    const old = this.#records.readablePlaces(writes, encodeModelKey(stage.modelKey), stage.hash);
    const replaced = old?.generation === tail.packs.shape.generation ? old : null;
    const { rows, crops } = result;
    const size = sizeOfPlaces(crops);
    const { model } = tail;
    return {
      ...model,
      rows: rows.length === 0 ? model.rows : Math.max(model.rows, rows.at(-1)! + 1),
      live: Math.max(0, model.live + rows.length - (replaced?.rows.length ?? 0)),
      crops_end: size === 0 ? model.crops_end : Math.max(model.crops_end, tail.nextCrop),
      crops_live: Math.max(0, model.crops_live + size - (replaced ? sizeOfPlaces(replaced.crops) : 0)),
    };
  }

  #modelNow({ model }: FaceTail): FaceModel {
    return readable(() => readFaceModel(this.#parts.environment, model.model_key)) ?? model;
  }

  /** Faces of the content by whichever models; damaged ones cannot hand on their ids. */
  #before(hash: string): EarlierFaces[] {
    return factsByAll(this.#parts.environment, hash).map((facts) => ({ ...facts, ids: idsOf(facts) }));
  }

  #ids(kept: readonly (string | null)[]): Uint8Array {
    return Buffer.concat(kept.map((id) => idOf(id ?? this.#newId()) as Uint8Array));
  }

  /** Nothing of the stage stays but what was kept of it. */
  abort(stage: FaceStage): void {
    if (!this.#stages.delete(stage)) return;
    stage.abort();
    this.#parts.work.end(stage);
  }

  /** The same for a stage that is sound: all of it is kept. */
  suspend(stage: FaceStage): void {
    if (!this.#stages.has(stage)) return;
    try {
      this.#parts.work.confirmIn(this.#parts.environment);
      stage.keep();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#warn('The last span of a stage could not be kept', { hash: stage.hash, reason });
    }
    this.abort(stage);
  }

  /** After faces were removed: their rows are of nobody. */
  modelChanged(model: FaceModel): void {
    const tail = this.tails.get(model.model_key);
    if (tail?.model.generation !== model.generation) return;
    const { live, crops_live, erases } = model;
    tail.model = { ...tail.model, live, crops_live, erases };
  }

  #own(stage: FaceStage): FaceTail {
    const tail = this.tails.get(stage.modelKey);
    if (!this.#stages.has(stage) || tail === undefined) {
      throw storeErrors.STAGE_LOST(`The stage of ${stage.hash} is not open`);
    }
    return tail;
  }

  close(): void {
    for (const stage of [...this.#stages]) this.suspend(stage);
  }
}
