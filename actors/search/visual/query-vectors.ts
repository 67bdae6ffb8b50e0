// Makes vectors of a query, its words among them.
import type { Ref } from '../../../runtime/ref.ts';
import type { SlotPool } from '../../../runtime/slots.ts';
import { type decoderContract, isMediaError, type Probe } from '../../decoder/contract.ts';
import type { embedderContract, PictureReading, TextPart, VisualModel } from '../../embedder/contract.ts';
import type { indexContract } from '../../index/contract.ts';
import type { MediaRecord } from '../../index/store/contract.ts';
import { type FrameSearch, searchErrors } from '../contract.ts';
import { now } from '../loaded-data.ts';
import { locatePaths } from '../media/location.ts';
import type { VisualModels } from '../models/contract.ts';
import { nearestFrame } from '../thumbnails/pictures.ts';

export interface QueryParts {
  readonly decoder: Ref<typeof decoderContract>;
  readonly embedder: Ref<typeof embedderContract>;
  /**
   * Turns texts into vectors, in a thread of its own: a question does not wait behind a batch of pictures.
   */
  readonly textEmbedder: Ref<typeof embedderContract>;
  readonly index: Ref<typeof indexContract>;
  readonly pool: SlotPool;
  readonly models: Pick<VisualModels, 'active' | 'open' | 'state'>;
}

export interface QueryVectors {
  readonly query: Float32Array | null;
  /** k×d. */
  readonly exclude: Float32Array | null;
  /** Words of the query that a model with its own vocabulary knows. */
  readonly knownWords: readonly string[];
  /** Words of the query that it does not know. */
  readonly unknown: readonly string[];
  /** Unknown words of the excluded texts that are not in the query. */
  readonly unknownExcluded: readonly string[];
  /** Known words of the query for which the model finds little that is right. */
  readonly weak: readonly string[];
  /** Parts of the query, one by one; empty for models that take a text as a whole. */
  readonly parts: readonly TextPart[];
  /** For each text that is excluded: false where the model knows no word of it. */
  readonly understoodExcluded: readonly boolean[];
}

const noWords: QueryVectors = {
  ...{ query: null, exclude: null, knownWords: [], unknown: [], unknownExcluded: [], weak: [] },
  ...{ parts: [], understoodExcluded: [] },
};

/** The vectors of a query and of what it excludes. */
export async function textVectors(
  { textEmbedder }: QueryParts,
  model_key: string,
  query: string | null,
  exclude: readonly string[],
  signal: AbortSignal | undefined,
): Promise<QueryVectors> {
  if (!query) return noWords;
  const texts = [query, ...exclude];
  const { vectors, unknown_words, known_words, weak_words, parts, understood } = await textEmbedder.ask(
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
    exclude: excluded.length > 0 ? joined(excluded) : null,
    knownWords: known_words[0] ?? [],
    weak: weak_words?.[0] ?? [],
    parts: parts?.[0] ?? [],
    understoodExcluded: understood.slice(1),
    unknown,
    unknownExcluded: [...new Set(excludedWords.flat())].filter((word) => !unknown.includes(word)),
  };
}

/** One after the other, *copied*: k×d of rows of d, or of several each. */
export function joined(rows: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(rows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const row of rows) {
    all.set(row, at);
    at += row.length;
  }
  return all;
}

// The vectors of the picture that a search asks for: of a file, or of a moment of a film. A picture is asked
// for in several readings, of which the one that a frame is most like counts: as it is, as a mirror shows it,
// and, where the model needs it, as a part of a larger picture. Words are never mirrored.

export type QueryPictureParts = Pick<QueryParts, 'decoder' | 'embedder' | 'pool'> & {
  readonly models: Pick<QueryParts['models'], 'open'>;
};

/**
 * The surroundings of a part are guessed, so its score has to be this much better than that of the picture
 * itself. Chosen on drawings and photographs that are in no measurement (decision 28).
 */
const partWeight = 1 / 1.05;
const wholes: readonly PictureReading[] = ['plain', 'mirrored'];

export interface PictureQuery {
  /** k×d, at most 12; null for none. */
  readonly readings: Float32Array | null;
  /** The film it is of, when that is not there any more. */
  readonly gone?: string;
}

/**
 * The readings of a picture file, or of one moment of a film, decoded now. A picture between black bars is
 * asked for with its bars as well: what was analysed before bars were left out has them.
 */
export async function pictureReadings(
  parts: QueryPictureParts,
  model: VisualModel,
  path: string,
  seconds: number,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const { trimmed, vectors } = await decodedReadings(parts, model, { path, seconds }, signal);
  if (!trimmed) return vectors;
  const whole = { ...model, shape: { ...model.shape, trim_bars: false }, readings: [...wholes] };
  const withBars = await decodedReadings(parts, whole, { path, seconds }, signal);
  return joined([vectors, withBars.vectors]);
}

async function decodedReadings(
  { decoder, embedder, pool, models }: QueryPictureParts,
  { model_key, dimensions, shape, readings }: VisualModel,
  moment: { readonly path: string; readonly seconds: number },
  signal: AbortSignal | undefined,
): Promise<{ readonly trimmed: boolean; readonly vectors: Float32Array }> {
  await models.open('pictures', signal);
  const holder = pool.holder();
  try {
    const picture = await pool.acquire(holder, signal, 'now');
    const slots = [picture];
    const request = { ...moment, shape, preview: null, picture };
    const { trimmed } = await decoder.ask('picture', request, { ...now(signal), slots });
    const { vectors } = await embedder.ask(
      'pictures',
      { model_key, pictures: slots, readings, urgent: true },
      { ...now(signal), slots },
    );
    for (const [i, reading] of readings.entries()) {
      if (wholes.includes(reading)) continue;
      for (let at = i * dimensions; at < (i + 1) * dimensions; at++) vectors[at]! *= partWeight;
    }
    return { trimmed, vectors };
  } finally {
    pool.releaseAll(holder);
  }
}

/**
 * With the stored vector when the moment is on the grid of analysed media; otherwise the picture is decoded
 * now. Of a film that is gone the stored vector of the nearest second has to do.
 */
export async function frameReadings(
  parts: QueryParts,
  model: VisualModel,
  { cache_dir, media_path, time_seconds }: Pick<FrameSearch, 'cache_dir' | 'media_path' | 'time_seconds'>,
  signal: AbortSignal | undefined,
): Promise<PictureQuery> {
  // A file that was rewritten under the path is not the stored one.
  const [file] = await locatePaths(parts, cache_dir, [media_path], now(signal));
  const { record = null, source = null } = file ?? {};
  if (record) expectWithin(record.probe, media_path, time_seconds);
  const stored = async (frame_index: number | null) => {
    if (!record || frame_index === null) return null;
    return storedReadings(
      parts,
      model,
      { cache_dir, hash_str: record.identity.hash_str, frame_index },
      signal,
    );
  };
  const exact = Number.isInteger(time_seconds) ? await stored(time_seconds) : null;
  if (exact) return { readings: exact };
  try {
    return { readings: await pictureReadings(parts, model, media_path, time_seconds, signal) };
  } catch (error) {
    if (!record || source !== null || !isMediaError(error)) throw error;
    const readings = await stored(nearestFrame(time_seconds, record.probe));
    if (!readings) throw error;
    return { readings, gone: media_path };
  }
}

/**
 * The same of a content whose files are all others now: the stored vector of the nearest second, null where
 * there is none. Throws TIME_OUTSIDE.
 */
export async function replacedReadings(
  parts: QueryParts,
  model: VisualModel,
  {
    cache_dir,
    record,
    time_seconds,
  }: Pick<FrameSearch, 'cache_dir' | 'time_seconds'> & { record: MediaRecord },
  signal: AbortSignal | undefined,
): Promise<PictureQuery | null> {
  const { path, probe, identity } = record;
  expectWithin(probe, path, time_seconds);
  const frame_index = nearestFrame(time_seconds, probe);
  if (frame_index === null) return null;
  const moment = { cache_dir, hash_str: identity.hash_str, frame_index };
  const readings = await storedReadings(parts, model, moment, signal);
  return readings && { readings, gone: path };
}

function expectWithin({ kind, duration_seconds }: Probe, path: string, time_seconds: number): void {
  if (kind !== 'video' || time_seconds < duration_seconds) return;
  const what = `time_seconds: ${path} ends at ${duration_seconds.toFixed(1)} s`;
  throw searchErrors.TIME_OUTSIDE(what, { field: 'time_seconds' });
}

interface StoredFrame {
  readonly cache_dir: string;
  readonly hash_str: string;
  readonly frame_index: number;
}

/**
 * Null for a frame that is not stored. The film is not opened: the mirrored reading is made of the stored
 * preview.
 */
async function storedReadings(
  parts: QueryParts,
  model: VisualModel,
  { cache_dir, hash_str, frame_index }: StoredFrame,
  signal: AbortSignal | undefined,
): Promise<Float32Array | null> {
  const moment = { cache_dir, model_key: model.model_key, hash_str, frame_index };
  const { vector } = await parts.index.ask('vector', moment, now(signal));
  if (vector === null) return null;
  const { previews } = await parts.index.ask(
    'previews',
    { cache_dir, frames: [{ hash_str, frame_index }] },
    now(signal),
  );
  const jpeg = previews[0] ?? null;
  const mirrored = jpeg && (await mirroredPreview(parts, model, frame_index, jpeg, signal));
  return mirrored ? joined([vector, mirrored]) : vector;
}

/** Null for a preview that cannot be read. */
async function mirroredPreview(
  { decoder, embedder, models }: QueryPictureParts,
  { shape }: VisualModel,
  frame_index: number,
  jpeg: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<Float32Array | null> {
  const { model_key } = await models.open('pictures', signal);
  const request = { frames: [{ frame_index, jpeg }], shape, preview: false };
  for await (const { picture } of decoder.feed('stored_frames', request, { ...now(signal), credit: 1 })) {
    const slots = [picture];
    const query = { model_key, pictures: slots, readings: ['mirrored' as const], urgent: true };
    return (await embedder.ask('pictures', query, { ...now(signal), slots })).vectors;
  }
  return null;
}
