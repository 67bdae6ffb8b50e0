// The speech model in use, as the coordinator knows it: who asks for it never waits for a run of the
// transcriber.
import { engineErrors } from '../../../../runtime/errors.ts';
import type { CallOptions, Ref } from '../../../../runtime/ref.ts';
import { type ModelState, noModel } from '../../../embedder/contract.ts';
import type { transcriberContract } from '../../../transcriber/contract.ts';

export class SpeechModel {
  #state: ModelState = noModel;

  get state(): ModelState {
    return this.#state;
  }

  /** Throws what the transcriber says. */
  async load(transcriber: Ref<typeof transcriberContract>, key: string, call: CallOptions): Promise<void> {
    const request = { ...noModel, requested_model_key: key } as const;
    if (this.#state.model_key !== key) {
      this.#state = { ...request, is_loading: true, load_status: 'loading' };
    }
    try {
      this.#state = (await transcriber.ask('load', { model_key: key }, call)).state;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const gaveUp = engineErrors.CANCELLED.is(error);
      this.#state = gaveUp ? noModel : { ...request, load_status: 'failed', error: reason };
      throw error;
    }
  }

  async unload(transcriber: Ref<typeof transcriberContract>): Promise<void> {
    this.#state = noModel;
    await transcriber.ask('unload', {});
  }
}
