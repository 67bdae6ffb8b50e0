// The coordinator of search, the only one that asks: words or a picture become a vector, the index ranks, and the
// stored previews are joined to the matches. Every message goes in the `now` lane, ahead of ingest.
import { resolve } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { CallOptions, Ref } from '../../runtime/ref.ts';
import type { SlotPool } from '../../runtime/slots.ts';
import { type decoderContract, mediaErrors } from '../decoder/contract.ts';
import type { embedderContract, VisualModel } from '../embedder/contract.ts';
import type { indexContract } from '../index/contract.ts';
import type { RankedMatch } from '../index/visual/contract.ts';
import {
  type FrameSearch,
  type Search,
  type SearchAnswer,
  searchErrors,
  type TextSearch,
} from './contract.ts';
import { cachePaths } from './media/cache-paths.ts';
import { locateMatches } from './media/match-locations.ts';
import type { VisualModels } from './models/contract.ts';
import { createVisualModels } from './models/visual-models.ts';
import { facetAnswer, facetScope } from './scope/filter-scope.ts';
import { findScope } from './scope/scope.ts';
import { nearestFrame } from './thumbnails/thumbnail-plan.ts';
import { createThumbnails } from './thumbnails/thumbnails.ts';
import { createSpokenContext } from './transcripts/transcript-data.ts';
import { createTranscripts } from './transcripts/transcripts.ts';
import { toMatch, warning } from './visual/match.ts';
import { type Contexts, createContexts } from './visual/visual-data.ts';

export interface SearchParts {
  readonly decoder: Ref<typeof decoderContract>;
  /** Decode thumbnails, so that short questions never wait behind them; with none, `decoder` does. */
  readonly thumbnailDecoders: readonly Ref<typeof decoderContract>[];
  readonly log: Log;
  /** Turns pictures into vectors. */
  readonly embedder: Ref<typeof embedderContract>;
  /** Turns texts into vectors, in a thread of its own: a question does not wait behind a batch of pictures. */
  readonly textEmbedder: Ref<typeof embedderContract>;
  readonly index: Ref<typeof indexContract>;
  readonly pool: SlotPool;
  readonly clock: Clock;
  /** While it says so, a summary is being made, which needs what searches need: they are refused. */
  readonly summarizing?: () => boolean;
}

interface Parts extends SearchParts {
  readonly models: VisualModels;
  readonly contexts: Contexts;
}

type Request = Omit<TextSearch, 'query'> & { readonly query: string | null };

export function createSearch(given: SearchParts): Search {
  const { embedder, textEmbedder, index, clock } = given;
  const contexts = createContexts(index);
  const models = createVisualModels({
    pictureEmbedder: embedder,
    textEmbedder,
    clock,
    changed: contexts.drop,
  });
  const parts: Parts = { ...given, models, contexts };
  const spoken = createSpokenContext(index);
  const transcripts = createTranscripts(given, spoken);
  const thumbnails = createThumbnails({
    ...given,
    thumbnailDecoders: given.thumbnailDecoders.length > 0 ? given.thumbnailDecoders : [given.decoder],
  });
  return {
    models,
    get loaded() {
      return contexts.current;
    },
    load: async (cache_dir, signal) => contexts.load({ cache_dir, model_key: models.active() }, signal),
    loadMedia: async (cache_dir, paths, signal) => {
      const model_key = models.active();
      const { by_path } = await index.ask('find', { cache_dir, paths: [...paths], hashes: [] }, now(signal));
      const hashOf = new Map(by_path.flatMap((one) => (one ? [[one.path, one.identity.hash_str]] : [])));
      const known = [...new Set(paths.flatMap((path) => hashOf.get(path) ?? []))];
      const report = await contexts.loadMedia({ cache_dir, model_key }, known, signal);
      const pathOf = new Map(paths.map((path) => [hashOf.get(path) ?? path, path]));
      const missing = [
        ...paths.filter((path) => !hashOf.has(path)),
        ...report.missing.map((hash) => pathOf.get(hash) ?? hash),
      ];
      return { ...report, missing };
    },
    transcripts,
    text: async (request, signal) => {
      if (request.query.trim() === '') throw searchErrors.QUERY_EMPTY('query is empty', { field: 'query' });
      return answer(parts, request, async () => ({ vector: null }), signal);
    },
    image: (request, signal) => {
      const picture = (model: VisualModel) => pictureVector(parts, model, request.image_path, 0, signal);
      return answer(parts, request, async (model) => ({ vector: await picture(model) }), signal);
    },
    frame: (request, signal) =>
      answer(parts, request, (model) => frameVector(parts, model, request, signal), signal),
    thumbnails: (request, signal) => thumbnails.thumbnails(request, now(signal)),
    sceneThumbnails: (request, signal) => thumbnails.sceneThumbnails(request, now(signal)),
    cachePaths: (request, signal) => cachePaths(given, request, now(signal)),
    facets: async (request, signal) => {
      const { cache_dir, filters } = request;
      const context = contexts.current?.cache_dir === resolve(cache_dir) ? contexts.current : null;
      const asked = facetScope(request, context?.model_key ?? null);
      const isSpoken = spoken.current === resolve(cache_dir);
      const scope = asked.scope.mode === 'paths' ? asked.scope : { ...asked.scope, transcripts: isSpoken };
      const ask = () => index.ask('facets', { cache_dir, scope, filters }, now(signal));
      const whole = () => (isSpoken ? spoken.within(cache_dir, ask, signal) : ask());
      const report = await (context ? contexts.within(context, whole, signal) : whole());
      return facetAnswer(report, asked, filters.length);
    },
  };
}

function now(signal: AbortSignal | undefined): CallOptions {
  return { lane: 'now', signal };
}

interface Picture {
  readonly vector: Float32Array | null;
  /** The film it is of, when that is not there any more. */
  readonly gone?: string;
}

async function answer(
  parts: Parts,
  request: Request,
  pictureOf: (model: VisualModel) => Promise<Picture>,
  signal: AbortSignal | undefined,
): Promise<SearchAnswer> {
  const { index } = parts;
  if (parts.summarizing?.()) throw searchErrors.SUMMARY_RUNNING('Search again when the summaries are made');
  const query = request.query?.trim() ? request.query : null;
  if (!query && request.exclude.length > 0) {
    throw searchErrors.EXCLUDE_WITHOUT_QUERY('exclude needs a query', { field: 'exclude' });
  }
  parts.contexts.require({ cache_dir: request.cache_dir, model_key: parts.models.active() });
  const model = await parts.models.open('words', signal);
  const { vector: picture, gone } = await pictureOf(model);
  const words = await textVectors(parts, model.model_key, query, request.exclude, signal);
  // A query of which nothing was understood ranks nothing: no match is a truer answer than any.
  const { cache_dir, text_weight, max_results } = request;
  const within = { cache_dir, model_key: model.model_key };
  const wanted = { text: words.query, picture, text_weight, exclude: words.exclude, max_results };
  const searched = { model_key: model.model_key, field: 'segments_to_frame_indices' };
  const scoped = { ...request, ranges: request.segments_to_frame_indices };
  const find = async () => {
    const { scope, ...found } = await findScope(index, scoped, searched, signal);
    const ranked =
      words.query || picture
        ? await index.ask('search', { ...within, ...wanted, scope }, now(signal))
        : { matches: [] };
    return { ...found, ranked };
  };
  const { ranked, missing, unloaded, asked } = await parts.contexts.within(within, find, signal);
  const media = async () => (await index.ask('media', { cache_dir: request.cache_dir }, now(signal))).media;
  const [{ images, unreadable }, locations] = await Promise.all([
    request.previews ? previews(parts, request.cache_dir, ranked.matches, signal) : nothing,
    locateMatches(ranked.matches, asked, media),
  ]);
  const broken = new Set([...unreadable, ...parts.contexts.damaged]);
  return {
    matches: ranked.matches.map((match, i) =>
      toMatch(match, locations.pathOf(match), images[i] ?? undefined),
    ),
    ...warning({
      nothingUnderstood: !words.query && !picture && words.unknown.length === 0,
      unknownWords: words.unknown,
      missing,
      unloaded,
      gone: [...new Set([...(gone === undefined ? [] : [gone]), ...locations.gone])],
      unreadable: await namesOf(parts, request.cache_dir, broken, signal),
      fallbackFrom: parts.models.state.fallback_from,
      noPreview: images.filter((image) => image === null).length,
    }),
  };
}

/** A person knows paths, not hashes. */
async function namesOf(
  { index }: SearchParts,
  cache_dir: string,
  broken: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (broken.size === 0) return [];
  const hashes = [...broken];
  const { by_hash } = await index.ask('find', { cache_dir, paths: [], hashes }, now(signal));
  return hashes.map((hash, i) => by_hash[i]?.path ?? hash);
}

interface Words {
  readonly query: Float32Array | null;
  /** k×d. */
  readonly exclude: Float32Array | null;
  readonly unknown: readonly string[];
}

async function textVectors(
  { textEmbedder }: SearchParts,
  model_key: string,
  query: string | null,
  exclude: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Words> {
  if (!query) return { query: null, exclude: null, unknown: [] };
  const texts = [query, ...exclude];
  const { vectors, unknown_words, understood } = await textEmbedder.ask(
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

/** The vector of a picture file, or of one moment of a film, decoded now. */
async function pictureVector(
  { decoder, embedder, pool, models }: Parts,
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
async function frameVector(
  parts: Parts,
  model: VisualModel,
  { cache_dir, media_path, time_seconds }: FrameSearch,
  signal: AbortSignal | undefined,
): Promise<Picture> {
  const asked = { cache_dir, paths: [media_path], hashes: [] };
  const [known] = (await parts.index.ask('find', asked, now(signal))).by_path;
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
    if (!known || !mediaErrors.FILE_NOT_FOUND.is(error)) throw error;
    const vector = await stored(nearestFrame(time_seconds, known.probe));
    if (!vector) throw error;
    return { vector, gone: media_path };
  }
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
