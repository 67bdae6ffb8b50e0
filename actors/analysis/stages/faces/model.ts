// The face models in use, as the coordinator knows them: who asks for them never waits for the face actor.
import { engineErrors } from '../../../../runtime/errors.ts';
import type { CallOptions, Ref } from '../../../../runtime/ref.ts';
import { type ModelState, noModel } from '../../../embedder/contract.ts';
import type { FaceModel, facesContract } from '../../../faces/contract.ts';

export type Faces = Ref<typeof facesContract>;

export class FaceModelInUse {
  #state: ModelState = noModel;

  get state(): ModelState {
    return this.#state;
  }

  /** Answers at once when they are loaded. Throws what the face actor says. */
  async load(faces: Faces, call: CallOptions): Promise<FaceModel> {
    if (this.#state.model_key === null) {
      this.#state = { ...noModel, is_loading: true, load_status: 'loading' };
    }
    try {
      const model = await faces.ask('load', {}, call);
      const { model_key, device, device_reason } = model;
      const request = { model_key, requested_model_key: model_key, load_status: 'ready' } as const;
      this.#state = { ...noModel, ...request, device, device_reason };
      return model;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const gaveUp = engineErrors.CANCELLED.is(error);
      this.#state = gaveUp ? noModel : { ...noModel, load_status: 'failed', error: reason };
      throw error;
    }
  }

  async unload(faces: Faces): Promise<void> {
    this.#state = noModel;
    await faces.ask('unload', {});
  }
}
