// Writes the face stages of one analysis folder: the roll first, flushed; then one transaction makes a whole
// stage visible.
import { randomUUID } from 'node:crypto';
import { engineErrors } from '../../../../runtime/errors.ts';
import { idOf } from '../../people/entry-id.ts';
import { type EarlierFaces, keptIds } from '../../people/face-columns.ts';
import { randomRevision, revisionAfter } from '../changes.ts';
import type { MediaRecord, SpanKey } from '../contract.ts';
import { disk, type StoreDisk } from '../disk.ts';
import type { Environment } from '../environment.ts';
import { replaced } from '../faults.ts';
import { putMedia } from '../media.ts';
import { encodeModelKey, faceModelKey } from '../names.ts';
import { type OpenWork, StageWriter } from '../open-work.ts';
import { FaceModelRow, type FacesRow } from '../records.ts';
import type { Spans } from '../spans.ts';
import { seal } from '../table.ts';
import { addFaces, endOfPlaces, type FaceTail, FaceTails, placeBytes, takeFaces } from './face-rolls.ts';
import { type FaceChunk, FaceStage, type FaceStageResult } from './face-stage.ts';
import { FaceRecords, factsByAll, idsOf } from './stored-faces.ts';

export interface FaceWriterOptions {
  readonly on?: StoreDisk;
  /** Id of a new face; random UUIDs by default. */
  readonly newId?: () => string;
  readonly now?: () => number;
  readonly warn?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export interface FaceWriterParts {
  readonly folder: string;
  readonly environment: Environment;
  readonly work: OpenWork;
  readonly spans: Spans;
}

interface FaceOrigin {
  readonly media: MediaRecord;
  readonly fromPreviews: boolean;
  readonly ids: readonly string[];
}

export class FaceWriter extends StageWriter<FaceChunk, FaceStage> {
  readonly #parts: FaceWriterParts;
  readonly #records: FaceRecords;
  readonly tails: FaceTails;
  readonly #newId: () => string;
  readonly #now: () => number;

  constructor(parts: FaceWriterParts, options: FaceWriterOptions = {}) {
    const { folder, environment, work } = parts;
    super(environment, work, options.warn);
    this.#parts = parts;
    this.#records = new FaceRecords(environment);
    this.tails = new FaceTails({
      folder,
      environment,
      on: options.on ?? disk,
      confirm: () => work.confirm(),
    });
    this.#newId = options.newId ?? randomUUID;
    this.#now = options.now ?? Date.now;
  }

  has(modelKey: string): boolean {
    return this.stages.some((stage) => stage.modelKey === modelKey);
  }

  /** Any open stage of one of these contents. */
  stageOf(hashes: { has(hash: string): boolean }): FaceStage | undefined {
    return this.stages.find(({ hash }) => hashes.has(hash));
  }

  /**
   * `span`: what was kept of it is taken up. Throws STORE_IN_USE naming the process when another one writes
   * here.
   */
  begin(hash: string, modelKey: string, dimensions: number, span: SpanKey | null = null): FaceStage {
    for (const stage of this.stages) {
      if (stage.hash === hash && stage.modelKey === modelKey) this.suspend(stage);
    }
    return this.open(() => {
      const tail = this.tails.of(modelKey, dimensions);
      const keeping = span === null ? null : { spans: this.#parts.spans, key: span };
      return new FaceStage(hash, modelKey, dimensions, tail, keeping);
    });
  }

  /**
   * `ids`: of faces that were not there before; new ones when left out. *Flushed* on return. After an error
   * the stage is forgotten.
   */
  commit(
    stage: FaceStage,
    media: MediaRecord,
    fromPreviews = false,
    ids: readonly string[] = [],
  ): { faces: number; kept_ids: number } {
    this.requireOpen(stage);
    let stored: { faces: number; kept_ids: number };
    try {
      if (media.identity.hash_str !== stage.hash) {
        throw engineErrors.INVALID_MESSAGE(`media: ${media.path} is not the file of stage ${stage.hash}`);
      }
      const result = stage.finish();
      stage.tail.file.flush();
      this.work.confirm();
      this.#requireSameRoll(stage.tail);
      stored = this.#publish(stage, { media, fromPreviews, ids }, result);
    } catch (error) {
      this.abort(stage);
      throw error;
    }
    this.forget(stage);
    stage.close();
    this.work.end(stage);
    return stored;
  }

  /** Stages that write to a roll that is gone are lost. */
  #requireSameRoll(tail: FaceTail): void {
    if (tail.file.isCurrent) return;
    for (const stage of this.stages) if (stage.tail === tail) this.abort(stage);
    this.tails.leave(tail);
    throw replaced(tail.file.file);
  }

  #publish(stage: FaceStage, { media, fromPreviews, ids }: FaceOrigin, { columns, places }: FaceStageResult) {
    const { environment, work } = this;
    const { hash, modelKey, dimensions } = stage;
    const model = encodeModelKey(modelKey);
    const inheritedIds = keptIds(this.#before(hash), columns);
    const facts = { ...columns, ids: this.#ids(inheritedIds, ids) };
    const count = facts.frames.length;
    let wasTried = false;
    try {
      environment.transact((writes) => {
        work.confirmIn(writes);
        const old = this.#records.readablePlaces(writes, model, hash);
        if (old !== null) {
          const replaced = { model, place: old.file, hash, faces: old.places.length / placeBytes };
          takeFaces(writes, replaced, { isWhole: true, isErased: false }, environment.file);
        }
        const added = { model, place: places.file, hash, faces: count };
        addFaces(writes, added, endOfPlaces(places.places), environment.file);
        const revision = revisionAfter(() => this.#records.head(writes, model, hash), randomRevision());
        const mark = { stored_ms: this.#now(), from_previews: fromPreviews ? 1 : 0 };
        const head: FacesRow = { hash_str: hash, dimensions, revision, count, ...mark };
        this.#records.put(writes, model, head, facts, places);
        this.#records.noteChange(writes);
        const key = faceModelKey(modelKey);
        writes.put(key, seal(FaceModelRow, key, { model_key: modelKey, dimensions }));
        putMedia(writes, media, environment, true);
        wasTried = true;
      });
    } catch (error) {
      // A fault in the middle of a commit leaves open whether it took place: then the rows stay as they are.
      if (wasTried) stage.keepRows();
      throw error;
    }
    return { faces: count, kept_ids: inheritedIds.filter((id) => id !== null).length };
  }

  /** Faces of the content by whichever models; damaged ones cannot hand on their ids. */
  #before(hash: string): EarlierFaces[] {
    return factsByAll(this.environment, hash).map((facts) => ({ ...facts, ids: idsOf(facts) }));
  }

  #ids(inheritedIds: readonly (string | null)[], fresh: readonly string[]): Uint8Array {
    return Buffer.concat(inheritedIds.map((id, at) => idOf(id ?? fresh[at] ?? this.#newId()) as Uint8Array));
  }
}
