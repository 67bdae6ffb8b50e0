// Parts that the stages work with: the actors, and the few shared things of the engine.

import type { Clock } from '../../../runtime/clock.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import type { Log } from '../../../runtime/log.ts';
import type { AskOptions, Ref } from '../../../runtime/ref.ts';
import type { SlotPool } from '../../../runtime/slots.ts';
import type { decoderContract, PreviewShape } from '../../decoder/contract.ts';
import type { diarizerContract } from '../../diarizer/contract.ts';
import type { embedderContract } from '../../embedder/contract.ts';
import type { Clips } from '../../exporter/clips/contract.ts';
import type { Proxies } from '../../exporter/proxies/contract.ts';
import type { FaceModel, facesContract } from '../../faces/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import type { Roots } from '../../index/roots/contract.ts';
import type { ModelLibrary } from '../../models/contract.ts';
import { type ModelState, noModel } from '../../models/contract.ts';
import type { VisualModels } from '../../search/models/contract.ts';
import type { summarizerContract } from '../../summarizer/contract.ts';
import type { textReaderContract } from '../../text-reader/contract.ts';
import type { thingsContract } from '../../things/contract.ts';
import type { transcriberContract } from '../../transcriber/contract.ts';
import type { Journal } from '../recovery/journal.ts';

export type DecoderActor = Ref<typeof decoderContract>;
export type IndexActor = Ref<typeof indexContract>;

export type ThingsActor = Ref<typeof thingsContract>;
export type TextReaderActor = Ref<typeof textReaderContract>;
export type SummarizerActor = Ref<typeof summarizerContract>;

export interface SpeechParts {
  /** The sound of one file each at a time. */
  readonly audioDecoders: readonly DecoderActor[];
  readonly transcriber: Ref<typeof transcriberContract>;
  readonly diarizer: Ref<typeof diarizerContract>;
}

export interface AnalysisParts {
  /** One film each at a time. */
  readonly decoders: readonly DecoderActor[];
  /** Null in an engine that only searches. */
  readonly speech: SpeechParts | null;
  /** The same. */
  readonly faces: FacesActor | null;
  /** Reads words in pictures; the same. */
  readonly textReader: TextReaderActor | null;
  /** Finds things; the same. */
  readonly things: ThingsActor | null;
  /** Writes summaries; the same. */
  readonly summarizer: SummarizerActor | null;
  /** Cuts clips; the same. */
  readonly clips: Pick<Clips, 'begin'> | null;
  /** Makes proxies; the same. */
  readonly proxies: Pick<Proxies, 'find' | 'make'> | null;
  /** Downloads models; the same. */
  readonly modelLibrary: Pick<ModelLibrary, 'list' | 'pull' | 'missing'> | null;
  readonly roots: Pick<Roots, 'awayOf'>;
  /** Longest side of the pictures of films in which faces are looked for and words are read, px. */
  readonly faceSide: number;
  /** Answers short questions, so that they never wait behind a film. */
  readonly prober: DecoderActor;
  readonly embedder: Ref<typeof embedderContract>;
  /** Turns texts into vectors. */
  readonly textEmbedder: Ref<typeof embedderContract>;
  /** The owner of the visual model loads and switches it. */
  readonly models: Pick<VisualModels, 'use' | 'open' | 'state'>;
  readonly index: IndexActor;
  readonly pool: SlotPool;
  readonly journal: Journal;
  readonly preview: PreviewShape;
  /** `auto` if decoders try a device, whose pictures may differ in the last bit. */
  readonly hardware: 'auto' | 'off';
  readonly clock: Clock;
  readonly log: Log;
}

/** Parts of the stages of a task. */
export interface StageParts extends AnalysisParts {
  readonly summarizing: Summarizing;
  readonly speechModel: ModelInUse;
  readonly faceModel: ModelInUse;
}

/** A model in use, as the coordinator knows it: who asks for it never waits for its actor. */
export class ModelInUse {
  #state: ModelState = noModel;

  get state(): ModelState {
    return this.#state;
  }

  /** `key`: null where the actor chooses. Throws what `load` throws. */
  async load<T>(key: string | null, load: () => Promise<T>, stateOf: (model: T) => ModelState): Promise<T> {
    const baseState = { ...noModel, requested_model_key: key };
    const { model_key } = this.#state;
    if (model_key === null || (key !== null && model_key !== key))
      this.#state = { ...baseState, is_loading: true, load_status: 'loading' };
    try {
      const model = await load();
      this.#state = stateOf(model);
      return model;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const gaveUp = engineErrors.CANCELLED.is(error);
      this.#state = gaveUp ? noModel : { ...baseState, load_status: 'failed', error: reason };
      throw error;
    }
  }

  async unload(unload: () => Promise<unknown>): Promise<void> {
    this.#state = noModel;
    await unload();
  }
}

export type FacesActor = Ref<typeof facesContract>;

/** Answers at once when they are loaded. Throws what the face actor says. */
export function loadFaceModel(inUse: ModelInUse, faces: FacesActor, call: AskOptions): Promise<FaceModel> {
  return inUse.load(
    null,
    () => faces.ask('load', {}, call),
    ({ model_key, device, device_reason }) => {
      const request = { model_key, requested_model_key: model_key, load_status: 'ready' } as const;
      return { ...noModel, ...request, device, device_reason };
    },
  );
}

// Tells whether summaries are being made. Visual searches are refused meanwhile, since both need the model
// that reads words.
export class Summarizing {
  #underway = 0;

  get isUnderway(): boolean {
    return this.#underway > 0;
  }

  /** Answers the function that ends it. */
  begin(): () => void {
    this.#underway++;
    let isOver = false;
    return () => {
      if (!isOver) this.#underway--;
      isOver = true;
    };
  }
}
