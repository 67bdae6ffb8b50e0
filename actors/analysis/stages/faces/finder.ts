// Finds the faces in pictures that lie in slots. One finder serves a whole run of a task.
import type { SlotHandle } from '../../../../runtime/contract.ts';
import type { SlotPool } from '../../../../runtime/slots.ts';
import type { PictureShape } from '../../../decoder/contract.ts';
import type { FaceModel, FoundFaces } from '../../../faces/contract.ts';
import { modelErrors } from '../../../models/contract.ts';
import type { FaceModelInUse, Faces } from './model.ts';

export interface FinderParts {
  readonly faces: Faces;
  readonly inUse: FaceModelInUse;
  readonly model: FaceModel;
  readonly pool: SlotPool;
}

export class FaceFinder {
  readonly #parts: FinderParts;

  constructor(parts: FinderParts) {
    this.#parts = parts;
  }

  get model(): FaceModel {
    return this.#parts.model;
  }

  /** The slot is held until the faces are found; whoever had it may let it go at once. */
  async find(
    picture: SlotHandle,
    { width, height }: Pick<PictureShape, 'width' | 'height'>,
    signal: AbortSignal,
  ): Promise<FoundFaces> {
    const { faces, inUse, model, pool } = this.#parts;
    const request = { model_key: model.model_key, picture, width, height };
    const call = { signal, slots: [picture] };
    const holder = pool.holder();
    pool.hold(picture, holder);
    try {
      return await faces.ask('find', request, call);
    } catch (error) {
      // A face actor that came back after a crash has no model yet.
      if (!modelErrors.MODEL_NOT_LOADED.is(error)) throw error;
      await inUse.load(faces, { signal });
      return await faces.ask('find', request, call);
    } finally {
      pool.releaseAll(holder);
    }
  }
}
