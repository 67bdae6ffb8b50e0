// The coordinator of search, the only one that asks: words or a picture become a vector, the index ranks, and the
// stored previews are joined to the matches. Every message goes in the `now` lane, ahead of ingest.
import type { Request as AskRequest } from '../../runtime/contract.ts';
import type { CallOptions, Ref } from '../../runtime/ref.ts';
import type { SlotPool } from '../../runtime/slots.ts';
import type { decoderContract } from '../decoder/contract.ts';
import type { embedderContract, VisualModel } from '../embedder/contract.ts';
import {
  type indexContract,
  type LoadReport,
  type MediaRecord,
  type RankedMatch,
  type Scope,
  storeErrors,
} from '../index/contract.ts';
import {
  type FrameSearch,
  type ImageSearch,
  type SearchAnswer,
  searchErrors,
  type TextSearch,
} from './contract.ts';
import { toMatch, warning } from './match.ts';
import { placesOf } from './places.ts';

export interface SearchParts {
  readonly decoder: Ref<typeof decoderContract>;
  readonly embedder: Ref<typeof embedderContract>;
  readonly index: Ref<typeof indexContract>;
  readonly pool: SlotPool;
}

interface Parts extends SearchParts {
  /** By folder: hashes that could not be read when it was loaded. */
  readonly damaged: ReadonlyMap<string, readonly string[]>;
}

export interface Search {
  /** Loads the model, and the vectors of a folder for it. What is loaded already stays. */
  load(folder: { cache_dir: string; model_key: string }, signal?: AbortSignal): Promise<LoadReport>;
  text(request: TextSearch, signal?: AbortSignal): Promise<SearchAnswer>;
  image(request: ImageSearch, signal?: AbortSignal): Promise<SearchAnswer>;
  frame(request: FrameSearch, signal?: AbortSignal): Promise<SearchAnswer>;
}

type Request = Omit<TextSearch, 'query'> & { readonly query: string | null };

export function createSearch(given: SearchParts): Search {
  const damaged = new Map<string, readonly string[]>();
  const parts: Parts = { ...given, damaged };
  return {
    load: async ({ cache_dir, model_key }, signal) => {
      const model = await loadModel(parts.embedder, model_key, signal);
      const wanted = { cache_dir, model_key: model.model_key, hashes: null };
      const report = await parts.index.ask('load', wanted, now(signal));
      damaged.set(cache_dir, report.unreadable);
      return report;
    },
    text: async (request, signal) => {
      if (request.query.trim() === '') throw searchErrors.QUERY_EMPTY('query is empty', { field: 'query' });
      return answer(parts, request, async () => null, signal);
    },
    image: (request, signal) =>
      answer(parts, request, (model) => pictureVector(parts, model, request.image_path, 0, signal), signal),
    frame: (request, signal) =>
      answer(parts, request, (model) => frameVector(parts, model, request, signal), signal),
  };
}

function now(signal: AbortSignal | undefined): CallOptions {
  return signal ? { lane: 'now', signal } : { lane: 'now' };
}

async function answer(
  parts: Parts,
  request: Request,
  pictureOf: (model: VisualModel) => Promise<Float32Array | null>,
  signal: AbortSignal | undefined,
): Promise<SearchAnswer> {
  const { index } = parts;
  const query = request.query?.trim() ? request.query : null;
  if (!query && request.exclude.length > 0) {
    throw searchErrors.EXCLUDE_WITHOUT_QUERY('exclude needs a query', { field: 'exclude' });
  }
  const model = await loadModel(parts.embedder, request.model_key, signal);
  const picture = await pictureOf(model);
  const words = await textVectors(parts, model.model_key, query, request.exclude, signal);
  const { scope, missing, asked } = await findScope(parts, request, signal);
  // A query of which nothing was understood ranks nothing: no match is a truer answer than any.
  const { cache_dir, text_weight, max_results } = request;
  const within = { cache_dir, model_key: model.model_key };
  const wanted = { text: words.query, picture, text_weight, exclude: words.exclude, scope, max_results };
  const ranked =
    words.query || picture ? await ranking(parts, { ...within, ...wanted }, signal) : { matches: [] };
  const { images, unreadable } = request.previews
    ? await previews(parts, request.cache_dir, ranked.matches, signal)
    : nothing;
  const media = async () => (await index.ask('media', { cache_dir: request.cache_dir }, now(signal))).media;
  const places = await placesOf(ranked.matches, asked, media);
  const broken = new Set([...unreadable, ...(parts.damaged.get(request.cache_dir) ?? [])]);
  return {
    matches: ranked.matches.map((match, i) => toMatch(match, places.pathOf(match), images[i] ?? undefined)),
    ...warning({
      nothingUnderstood: !words.query && !picture && words.unknown.length === 0,
      unknownWords: words.unknown,
      missing,
      gone: places.gone,
      unreadable: await namesOf(broken, media),
      fallbackFrom: model.state.fallback_from,
      noPreview: images.filter((image) => image === null).length,
    }),
  };
}

/** A person knows paths, not hashes. */
async function namesOf(
  hashes: ReadonlySet<string>,
  media: () => Promise<readonly MediaRecord[]>,
): Promise<string[]> {
  if (hashes.size === 0) return [];
  const paths = new Map((await media()).map(({ identity, path }) => [identity.hash_str, path]));
  return [...hashes].map((hash) => paths.get(hash) ?? hash);
}

/** The index began anew, or another folder was loaded meanwhile: then this one is loaded again, once. */
async function ranking(
  { index }: SearchParts,
  wanted: AskRequest<typeof indexContract, 'search'>,
  signal: AbortSignal | undefined,
) {
  try {
    return await index.ask('search', wanted, now(signal));
  } catch (error) {
    if (!storeErrors.NOT_LOADED.is(error)) throw error;
    const { cache_dir, model_key } = wanted;
    await index.ask('load', { cache_dir, model_key, hashes: null }, now(signal));
    return index.ask('search', wanted, now(signal));
  }
}

interface Words {
  readonly query: Float32Array | null;
  /** k×d. */
  readonly exclude: Float32Array | null;
  readonly unknown: readonly string[];
}

async function textVectors(
  { embedder }: SearchParts,
  model_key: string,
  query: string | null,
  exclude: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Words> {
  if (!query) return { query: null, exclude: null, unknown: [] };
  const texts = [query, ...exclude];
  const { vectors, unknown_words, understood } = await embedder.ask(
    'texts',
    { model_key, texts },
    now(signal),
  );
  const d = vectors.length / texts.length;
  const rows = texts.map((_, row) => vectors.slice(row * d, (row + 1) * d));
  const excluded = rows.filter((_, row) => row > 0 && understood[row]);
  return {
    query: understood[0] ? rows[0]! : null,
    exclude: excluded.length > 0 ? joined(excluded, d) : null,
    unknown: unknown_words,
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

/** Which media and frames are searched; files that are named but not analysed are told, not an error. */
async function findScope(
  { index }: SearchParts,
  request: Request,
  signal: AbortSignal | undefined,
): Promise<{ scope: Scope; missing: string[]; asked: Map<string, string> }> {
  const named = Object.keys(request.segments_to_frame_indices);
  if (request.media_paths.length === 0 && named.length === 0)
    return { scope: { hashes: null, ranges: {} }, missing: [], asked: new Map() };
  const { media } = await index.ask('media', { cache_dir: request.cache_dir }, now(signal));
  const hashOf = new Map(
    media.flatMap(({ path, identity }) => [
      [path, identity.hash_str],
      [identity.hash_str, identity.hash_str],
    ]),
  );
  const missing = request.media_paths.filter((path) => !hashOf.has(path));
  const hashes = request.media_paths.flatMap((path) => hashOf.get(path) ?? []);
  const asked = new Map(request.media_paths.map((path) => [hashOf.get(path) ?? '', path]));
  const ranges = Object.fromEntries(
    Object.entries(request.segments_to_frame_indices).map(([key, of]) => {
      const hash = hashOf.get(key);
      if (!hash)
        throw searchErrors.UNKNOWN_MEDIA(`segments_to_frame_indices: ${key} is not in the analysis folder`);
      return [hash, of];
    }),
  );
  // Media without a key are excluded as soon as one has ranges.
  const inRanges = named.length > 0 ? Object.keys(ranges) : null;
  const chosen =
    request.media_paths.length === 0 ? inRanges : hashes.filter((hash) => !inRanges || hash in ranges);
  return { scope: { hashes: chosen, ranges }, missing, asked };
}

/** The vector of a picture file, or of one moment of a film, decoded now. */
async function pictureVector(
  { decoder, embedder, pool }: SearchParts,
  { model_key, shape }: VisualModel,
  path: string,
  seconds: number,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const holder = pool.holder();
  try {
    const picture = await pool.acquire(holder, signal, 'now');
    const slots = [picture];
    await decoder.ask('picture', { path, seconds, shape, preview: null, picture }, { ...now(signal), slots });
    const { vectors } = await embedder.ask(
      'pictures',
      { model_key, pictures: slots },
      { ...now(signal), slots },
    );
    return vectors;
  } finally {
    pool.releaseAll(holder);
  }
}

function loadModel(
  embedder: SearchParts['embedder'],
  model_key: string,
  signal: AbortSignal | undefined,
): Promise<VisualModel> {
  return embedder.ask('load', { model_key }, now(signal));
}

/** The stored vector when the moment is on the grid of analysed media; otherwise the picture is decoded now. */
async function frameVector(
  parts: SearchParts,
  model: VisualModel,
  { cache_dir, media_path, time_seconds }: FrameSearch,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const { media } = await parts.index.ask('media', { cache_dir }, now(signal));
  const known = media.find(({ path }) => path === media_path);
  if (known && known.probe.kind === 'video' && time_seconds >= known.probe.duration_seconds) {
    const end = known.probe.duration_seconds.toFixed(1);
    throw searchErrors.TIME_OUTSIDE(`time_seconds: ${media_path} ends at ${end} s`, {
      field: 'time_seconds',
    });
  }
  if (known && Number.isInteger(time_seconds)) {
    const hash_str = known.identity.hash_str;
    const asked = { cache_dir, model_key: model.model_key, hash_str, frame_index: time_seconds };
    const { vector } = await parts.index.ask('vector', asked, now(signal));
    if (vector) return vector;
  }
  return pictureVector(parts, model, media_path, time_seconds, signal);
}

interface Previews {
  /** JPEG of each match; null where there is none. */
  readonly images: readonly (Uint8Array | null)[];
  /** Hashes whose previews are damaged. */
  readonly unreadable: readonly string[];
}
const nothing: Previews = { images: [], unreadable: [] };

async function previews(
  { index }: SearchParts,
  cache_dir: string,
  matches: readonly RankedMatch[],
  signal: AbortSignal | undefined,
): Promise<Previews> {
  if (matches.length === 0) return nothing;
  const frames = matches.map(({ hash_str, frame_index }) => ({ hash_str, frame_index }));
  const answer = await index.ask('previews', { cache_dir, frames }, now(signal));
  return { images: answer.previews, unreadable: answer.unreadable ?? [] };
}
