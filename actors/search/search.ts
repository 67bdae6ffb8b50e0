// The coordinator of search, the only one that asks: it hands every question to the part that answers it, and
// holds what is loaded for them.
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { joinRanges, rangeFault } from '../../runtime/ranges.ts';
import type { AskOptions, Ref } from '../../runtime/ref.ts';
import type { SlotPool } from '../../runtime/slots.ts';
import type { decoderContract } from '../decoder/contract.ts';
import type { embedderContract, VisualModel } from '../embedder/contract.ts';
import type { indexContract } from '../index/contract.ts';
import { itemsOf } from '../index/results/contract.ts';
import { exactTimes } from '../index/visual/shots.ts';
import type { MomentLists } from '../library/lists/contract.ts';
import type { ModelLibrary } from '../models/contract.ts';
import { isMeasured, isSure } from '../things/confidence.ts';
import type { ThingTrack } from '../things/tracks.ts';
import { contextErrors, type LoadedContext, type Search, searchErrors } from './contract.ts';
import { createPeopleData, createTranscriptData, now } from './loaded-data.ts';
import {
  type FrameTimesAnswer,
  type FrameTimesRequest,
  longestPart,
  type NamedMedia,
  type SeenAnswer,
} from './media/contract.ts';
import { Identities, type LocationParts } from './media/location.ts';
import { cachePaths, expectSameFile, mediaFile, PlayableTypes } from './media/media-file.ts';
import type { VisualModels } from './models/contract.ts';
import { OwnedModels } from './models/visual-models.ts';
import { createMoments } from './moments/moments.ts';
import { createPeaks } from './peaks/peaks.ts';
import { factsOf, knownMedia, listScenes, shotsOf } from './scenes/scenes.ts';
import { findFacets } from './scope/scope.ts';
import { findTakes, type TakesParts } from './takes/takes.ts';
import { createThumbnails } from './thumbnails/thumbnails.ts';
import { createTranscripts } from './transcripts/transcripts.ts';
import { frameReadings, pictureReadings } from './visual/query-vectors.ts';
import { VisualData } from './visual/visual-data.ts';
import { searchVisual } from './visual/visual-search.ts';
import { createVoices } from './voices/voices.ts';
import { searchWritten } from './written/written.ts';

export interface SearchParts {
  readonly decoder: Ref<typeof decoderContract>;
  /** Decode thumbnails, so that short questions never wait behind them; with none, `decoder` does. */
  readonly thumbnailDecoders: readonly Ref<typeof decoderContract>[];
  readonly log: Log;
  /** Turns pictures into vectors. */
  readonly embedder: Ref<typeof embedderContract>;
  /**
   * Turns texts into vectors, in a thread of its own: a question does not wait behind a batch of pictures.
   */
  readonly textEmbedder: Ref<typeof embedderContract>;
  /** False for a visual model that is opened for pictures when the first one is there. */
  opensPictures(key: string): boolean;
  readonly index: Ref<typeof indexContract>;
  readonly pool: SlotPool;
  readonly clock: Clock;
  /** Knows the model to advise where words were not understood. */
  readonly modelLibrary: Pick<ModelLibrary, 'list'>;
  /** Lists of moments are found by their names. */
  readonly lists?: Pick<MomentLists, 'list' | 'get'>;
  /** While it says so, a summary is being made, which needs what searches need: they are refused. */
  readonly summarizing?: () => boolean;
}

export function createSearch(parts: SearchParts): Search {
  const { embedder, textEmbedder, opensPictures, index, clock, decoder } = parts;
  const location = { index, identities: new Identities(decoder, index) };
  const listeners: ((context: LoadedContext) => void)[] = [];
  const changed = () => {
    const { model_key } = models.state;
    const [visual, transcripts, people] = [visualData.current, transcriptData.current, peopleData.current];
    const context = { model_key, visual, transcripts, people };
    for (const listener of listeners) listener(context);
  };
  const visualData = new VisualData(location, changed);
  const transcriptData = createTranscriptData(index, changed);
  const peopleData = createPeopleData(index, changed);
  const models = new OwnedModels({
    pictureEmbedder: embedder,
    textEmbedder,
    opensPictures,
    clock,
    changed: () => visualData.drop(),
  });
  const searching = { ...parts, ...location, models, visual: visualData, people: peopleData };
  return {
    models,
    onLoaded: (listener) => void listeners.push(listener),
    get restoring() {
      return visualData.isRestoring || transcriptData.isRestoring || peopleData.isRestoring;
    },
    restore: async ({ visual, transcripts, people }, model) => {
      const inUse = model.then(() => requireModel(visual, models.active()));
      inUse.catch(() => {});
      await Promise.all([
        visual && visualData.restore(visual, inUse),
        transcripts && transcriptData.restore(transcripts, Promise.resolve()),
        people && peopleData.restore(people, Promise.resolve()),
      ]);
    },
    get loaded() {
      return visualData.current;
    },
    load: async (cache_dir, signal) => visualData.load({ cache_dir, model_key: models.active() }, signal),
    loadPeople: (cache_dir, signal) => peopleData.load({ cache_dir }, signal),
    loadMedia: async (cache_dir, paths, signal) => {
      const report = await visualData.loadPaths({ cache_dir, model_key: models.active() }, paths, signal);
      if (peopleData.newest === null) await peopleData.load({ cache_dir }, signal);
      return report;
    },
    transcripts: createTranscripts(location, transcriptData),
    voices: createVoices({ ...parts, ...location }),
    written: (request, signal) => searchWritten(location, request, signal),
    ...visualSearches(searching),
    moments: createMoments({ ...searching, transcripts: transcriptData }),
    ...mediaAnswers(parts, location, models),
    facets: (request, signal) => findFacets({ index, visualData, transcriptData }, request, signal),
  };
}

function requireModel(visual: LoadedContext['visual'], active: string): void {
  if (visual?.model_key !== active) throw contextErrors.CONTEXT_CHANGED('another visual model is in use');
}

/** Requests about single media; nothing has to be loaded. */
function mediaAnswers(
  parts: SearchParts,
  location: LocationParts,
  models: VisualModels,
): Pick<
  Search,
  | 'thumbnails'
  | 'sceneThumbnails'
  | 'cachePaths'
  | 'mediaFile'
  | 'playableType'
  | 'scenes'
  | 'facts'
  | 'seen'
  | 'peaks'
  | 'frameTimes'
> {
  const { index, decoder } = parts;
  const thumbnailDecoders = parts.thumbnailDecoders.length > 0 ? parts.thumbnailDecoders : [decoder];
  const thumbnails = createThumbnails({ ...parts, ...location, thumbnailDecoders });
  const peaks = createPeaks({ index, thumbnailDecoders });
  const playable = new PlayableTypes(decoder);
  return {
    thumbnails: (request, signal) => thumbnails.thumbnails(request, now(signal)),
    sceneThumbnails: (request, signal) => thumbnails.sceneThumbnails(request, now(signal)),
    cachePaths: (request, signal) => cachePaths(location, request, now(signal)),
    mediaFile: (request, signal) => mediaFile(location, request, now(signal)),
    scenes: (request, signal) => listScenes(location, request, models.state.model_key, now(signal)),
    facts: (request, signal) => factsOf(location, request, now(signal)),
    seen: (request, signal) => seenIn(location, request, now(signal)),
    frameTimes: (request, signal) =>
      frameTimes({ index, decoder: thumbnailDecoders[0]! }, request, now(signal)),
    peaks: (request, signal) => peaks(request, { lane: 'now', signal }),
    playableType: (file, signal) => playable.of(file, now(signal)),
  };
}

function visualSearches(parts: TakesParts): Pick<Search, 'text' | 'image' | 'frame' | 'takes'> {
  return {
    takes: (request, signal) => findTakes(parts, request, signal),
    text: async (request, signal) => {
      if (request.query.trim() === '') throw searchErrors.QUERY_EMPTY('query is empty', { field: 'query' });
      return searchVisual(parts, request, async () => ({ readings: null }), signal);
    },
    image: (request, signal) => {
      const { image_path } = request;
      const readings = (model: VisualModel) => pictureReadings(parts, model, image_path, 0, signal);
      return searchVisual(parts, request, async (model) => ({ readings: await readings(model) }), signal);
    },
    frame: (request, signal) =>
      searchVisual(parts, request, (model) => frameReadings(parts, model, request, signal), signal),
  };
}

// When the frames of a part of a film are shown, as a decoder reads it from the file.

interface FrameTimeParts extends Pick<LocationParts, 'index'> {
  readonly decoder: Ref<typeof decoderContract>;
}

export async function frameTimes(
  parts: FrameTimeParts,
  request: FrameTimesRequest,
  call: AskOptions,
): Promise<FrameTimesAnswer> {
  const { start_seconds: from, end_seconds: to } = request;
  if (to <= from) throw badEnd(rangeFault(from, to));
  if (to - from > longestPart) throw badEnd(`${to} is more than ${longestPart} s after the start, ${from}`);
  const file = await mediaFile(parts, request, call);
  const { path, hash_str } = file;
  const { varies, starts, end } =
    file.kind === 'video'
      ? await parts.decoder.ask('picture_times', { path, from, to }, call)
      : { varies: false, starts: [], end: null };
  expectSameFile(file, await mediaFile(parts, request, call));
  return { hash_str, media_path: path, rate_varies: varies, frame_starts: starts, last_frame_end: end };
}

function badEnd(what: string) {
  return searchErrors.BAD_TIME(`end_seconds: ${what}`, { field: 'end_seconds' });
}

// Stored detections of one media file; nothing has to be loaded.

/**
 * Errors: MEDIA_UNKNOWN; STORE_DAMAGED; what keeps a file from being read that the folder does not know by
 * its path.
 */
export async function seenIn(
  parts: LocationParts,
  request: NamedMedia,
  call: AskOptions,
): Promise<SeenAnswer> {
  const { cache_dir } = request;
  const { record, media_path } = await knownMedia(parts, request, call);
  const { hash_str } = record.identity;
  const things = await parts.index.ask('things_of', { cache_dir, hash_str }, call);
  const written = await parts.index.ask('stored_result', { cache_dir, type: 'text', hash_str }, call);
  const soundResult = await parts.index.ask('stored_result', { cache_dir, type: 'sounds', hash_str }, call);
  const edges = (await shotsOf(parts, cache_dir, [hash_str], call)).get(hash_str) ?? null;
  const secondsOf = ({ start, end }: Pick<ThingTrack, 'start' | 'end'>) => {
    const [start_seconds, end_seconds] = exactTimes(edges, start, end);
    return { start_seconds, end_seconds };
  };
  return {
    hash_str,
    media_path,
    things_from: things.model_key === null ? null : sourceOf(things),
    things: classesOf(things.tracks, record.probe.grid_frames, secondsOf),
    shots: things.shots.map(({ size, ...range }) => ({ size, ...secondsOf(range) })),
    lines_from: written === null ? null : sourceOf(written),
    lines: itemsOf(written, 'text').map(({ text, score, box, ...range }) => ({
      text,
      score,
      ...secondsOf(range),
      box,
    })),
    faces: things.faces
      .map(({ frame: time_seconds, box }) => ({ time_seconds, box }))
      .sort((a, b) => a.time_seconds - b.time_seconds),
    sounds:
      soundResult &&
      itemsOf(soundResult, 'sounds').map(({ sound, confidence, start, end }) => {
        return { sound, confidence, start_seconds: start, end_seconds: end };
      }),
  };
}

const sourceOf = ({ from_previews }: { readonly from_previews: boolean }) =>
  from_previews ? 'previews' : 'file';
/** Classes by duration, longest first. */
function classesOf(
  tracks: readonly ThingTrack[],
  gridFrames: number,
  secondsOf: (track: ThingTrack) => { readonly start_seconds: number; readonly end_seconds: number },
): SeenAnswer['things'] {
  const sure = tracks.filter((track) => isSure(track, gridFrames));
  return [...Map.groupBy(sure, (track) => track.class)]
    .map(([name, classTracks]) => ({
      class: name,
      measured: isMeasured(name),
      score: Math.max(...classTracks.map(({ score }) => score)),
      ranges: joinRanges(
        classTracks.map(secondsOf).map(({ start_seconds, end_seconds }) => [start_seconds, end_seconds]),
      ),
      tracks: classTracks.map((track) => ({ ...secondsOf(track), box: track.box })),
    }))
    .sort((a, b) => lengthOf(b.ranges) - lengthOf(a.ranges) || b.score - a.score);
}

const lengthOf = (ranges: readonly (readonly [number, number])[]) =>
  ranges.reduce((sum, [start, end]) => sum + end - start, 0);
