// Brings the lexicon of the summarizer into the space of a visual model: vectors of its phrases, and a sample
// of the library's pictures to compare with. Once in a task for each model, and again after the summarizer
// began anew or a small library has grown.
import type { CallOptions } from '../../../../runtime/ref.ts';
import { mostVectorsOfMessage } from '../../../index/material/contract.ts';
import { modelErrors } from '../../../models/contract.ts';
import type { StageParts } from '../parts.ts';

/** Phrases of one message: a search gets in between. */
const together = 64;
/** Pictures of the library that say what is usual. */
const sample = Math.min(4096, mostVectorsOfMessage);
/**
 * A library that is smaller than the sample is looked at again once it has grown so much: the task itself may
 * fill it.
 */
const growth = 1.25;

type Parts = Pick<StageParts, 'index' | 'textEmbedder' | 'models'> & {
  readonly summarizer: NonNullable<StageParts['summarizer']>;
};

export class Concepts {
  readonly #parts: Parts;
  readonly #cacheDir: string;
  /** The model whose background is of this task. */
  #refreshed: string | null = null;
  /** Pictures that background was made of. */
  #pictures = 0;
  #preparing: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts, cacheDir: string) {
    this.#parts = parts;
    this.#cacheDir = cacheDir;
  }

  /** False where the model can say nothing about words: then no concepts are named. */
  async prepare(model_key: string, dimensions: number, call: CallOptions): Promise<boolean> {
    // One after the other: the second of two files finds what the first has prepared.
    const prepared = this.#preparing.then(() => this.#prepare(model_key, dimensions, call));
    this.#preparing = prepared.catch(() => {});
    return prepared;
  }

  async #prepare(model_key: string, dimensions: number, call: CallOptions): Promise<boolean> {
    const { summarizer, index } = this.#parts;
    const { known, named } = await summarizer.ask('has_concepts', { model_key }, call);
    if (!named) return false;
    const isRefreshed = known && this.#refreshed === model_key;
    if (isRefreshed && this.#pictures >= sample) return true;
    const request = { cache_dir: this.#cacheDir, model_key, most: sample };
    const found = await index.ask('sample_vectors', request, call);
    if (found.dimensions !== dimensions) return false;
    const count = found.vectors.length / dimensions;
    if (isRefreshed && count < growth * this.#pictures) return true;
    const phrases = known ? null : await this.#phrases(model_key, dimensions, call);
    const { vectors: pictures } = found;
    const transfer = [pictures, ...(phrases ? [phrases] : [])].map(({ buffer }) => buffer as ArrayBuffer);
    await summarizer.ask('set_concepts', { model_key, dimensions, phrases, pictures }, { ...call, transfer });
    this.#refreshed = model_key;
    this.#pictures = count;
    return true;
  }

  async #phrases(
    model_key: string,
    dimensions: number,
    call: CallOptions,
  ): Promise<Float32Array<ArrayBuffer>> {
    const { summarizer } = this.#parts;
    const { phrases } = await summarizer.ask('concept_phrases', {}, call);
    const vectors = new Float32Array(phrases.length * dimensions);
    for (let at = 0; at < phrases.length; at += together) {
      const some = phrases.slice(at, at + together);
      vectors.set(await this.textVectors(model_key, some, call), at * dimensions);
    }
    return vectors;
  }

  /** n×d; zeros for a text of which the model understands nothing. */
  async textVectors(model_key: string, texts: string[], call: CallOptions): Promise<Float32Array> {
    const { textEmbedder, models } = this.#parts;
    // One that came back after a crash has no model; one that has it answers at once.
    const inUse = await models.open('texts', call.signal);
    if (inUse.model_key !== model_key) throw modelErrors.MODEL_NOT_LOADED(`${model_key} gave way to another`);
    const { vectors, understood } = await textEmbedder.ask('texts', { model_key, texts }, call);
    const d = vectors.length / texts.length;
    for (const [i, isKnown] of understood.entries()) if (!isKnown) vectors.fill(0, i * d, (i + 1) * d);
    return vectors;
  }
}
