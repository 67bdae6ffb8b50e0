// The vectors a search ranks by: of its words, of a picture file, or of a moment of a film.
import type { Ref } from '../../../runtime/ref.ts';
import type { SlotPool } from '../../../runtime/slots.ts';
import { type decoderContract, isMediaError } from '../../decoder/contract.ts';
import type { embedderContract, VisualModel } from '../../embedder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import { now } from '../call-options.ts';
import { type FrameSearch, searchErrors } from '../contract.ts';
import { locatePaths } from '../media/location.ts';
import type { VisualModels } from '../models/contract.ts';
import { nearestFrame } from '../thumbnails/thumbnail-plan.ts';

export interface QueryParts {
  readonly decoder: Ref<typeof decoderContract>;
  /** Turns pictures into vectors. */
  readonly embedder: Ref<typeof embedderContract>;
  /** Turns texts into vectors, in a thread of its own: a question does not wait behind a batch of pictures. */
  readonly textEmbedder: Ref<typeof embedderContract>;
  readonly index: Ref<typeof indexContract>;
  readonly pool: SlotPool;
  readonly models: Pick<VisualModels, 'active' | 'open' | 'state'>;
}

export interface PictureVector {
  readonly vector: Float32Array | null;
  /** The film it is of, when that is not there any more. */
  readonly gone?: string;
}

export interface TextVectors {
  readonly query: Float32Array | null;
  /** k×d. */
  readonly exclude: Float32Array | null;
  /** Of the query: the words a model with a vocabulary of its own knows. */
  readonly known: readonly string[];
  /** Of the query. */
  readonly unknown: readonly string[];
  /** Of what is excluded, and not of the query. */
  readonly unknownExcluded: readonly string[];
  /** Of the query: known words by which the model finds little of what is meant. */
  readonly weak: readonly string[];
}

/** The vectors of a query and of what it excludes. */
export async function textVectors(
  { textEmbedder }: QueryParts,
  model_key: string,
  query: string | null,
  exclude: readonly string[],
  signal: AbortSignal | undefined,
): Promise<TextVectors> {
  if (!query) return { query: null, exclude: null, known: [], unknown: [], unknownExcluded: [], weak: [] };
  const texts = [query, ...exclude];
  const { vectors, unknown_words, known_words, weak_words, understood } = await textEmbedder.ask(
    'texts',
    { model_key, texts },
    now(signal),
  );
  const [unknown = [], ...excludedWords] = unknown_words;
  const d = vectors.length / texts.length;
  const rows = texts.map((_, row) => vectors.slice(row * d, (row + 1) * d));
  const excluded = rows.filter((_, row) => row > 0 && understood[row]);
  return {
    query: understood[0] ? rows[0]! : null,
    exclude: excluded.length > 0 ? joined(excluded, d) : null,
    known: known_words[0] ?? [],
    weak: weak_words?.[0] ?? [],
    unknown,
    unknownExcluded: [...new Set(excludedWords.flat())].filter((word) => !unknown.includes(word)),
  };
}

/** k vectors as one k×d. */
function joined(rows: readonly Float32Array[], d: number): Float32Array {
  const all = new Float32Array(rows.length * d);
  rows.forEach((row, i) => {
    all.set(row, i * d);
  });
  return all;
}

/** The vector of a picture file, or of one moment of a film, decoded now. */
export async function pictureVector(
  { decoder, embedder, pool, models }: QueryParts,
  { model_key, shape }: VisualModel,
  path: string,
  seconds: number,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  await models.open('pictures', signal);
  const holder = pool.holder();
  try {
    const picture = await pool.acquire(holder, signal, 'now');
    const slots = [picture];
    await decoder.ask('picture', { path, seconds, shape, preview: null, picture }, { ...now(signal), slots });
    const { vectors } = await embedder.ask(
      'pictures',
      { model_key, pictures: slots, urgent: true },
      { ...now(signal), slots },
    );
    return vectors;
  } finally {
    pool.releaseAll(holder);
  }
}

/**
 * The stored vector when the moment is on the grid of analysed media; otherwise the picture is decoded now. Of a film that
 * is gone the stored vector of the nearest second has to do.
 */
export async function frameVector(
  parts: QueryParts,
  model: VisualModel,
  { cache_dir, media_path, time_seconds }: FrameSearch,
  signal: AbortSignal | undefined,
): Promise<PictureVector> {
  // What was written anew under the path is not what is stored.
  const [file] = await locatePaths(parts, cache_dir, [media_path], now(signal));
  const { record: known = null, source = null } = file ?? {};
  if (known && known.probe.kind === 'video' && time_seconds >= known.probe.duration_seconds) {
    const end = known.probe.duration_seconds.toFixed(1);
    throw searchErrors.TIME_OUTSIDE(`time_seconds: ${media_path} ends at ${end} s`, {
      field: 'time_seconds',
    });
  }
  const stored = async (frame_index: number | null) => {
    if (!known || frame_index === null) return null;
    const { hash_str } = known.identity;
    const moment = { cache_dir, model_key: model.model_key, hash_str, frame_index };
    return (await parts.index.ask('vector', moment, now(signal))).vector;
  };
  const exact = Number.isInteger(time_seconds) ? await stored(time_seconds) : null;
  if (exact) return { vector: exact };
  try {
    return { vector: await pictureVector(parts, model, media_path, time_seconds, signal) };
  } catch (error) {
    if (!known || source !== null || !isMediaError(error)) throw error;
    const vector = await stored(nearestFrame(time_seconds, known.probe));
    if (!vector) throw error;
    return { vector, gone: media_path };
  }
}
