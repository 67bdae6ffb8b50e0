// The coordinator of search: what it is asked for and what it answers, with the fields of the API. Its parts
// have contracts of their own: scope, transcripts, thumbnails, models.
import { type Static, Type } from 'typebox';
import { errorTable } from '../../runtime/errors.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { defaulted, described, field, nullable, optional, Success } from '../../runtime/schema.ts';
import type { FileIdentity } from '../decoder/contract.ts';
import { Facet } from '../index/facets/contract.ts';
import type { PeopleLoadReport } from '../index/people/contract.ts';
import { CacheDir, ContentHash } from '../index/store/contract.ts';
import type { LoadReport } from '../index/visual/contract.ts';
import {
  type FrameTimesAnswer,
  type FrameTimesRequest,
  type MediaFactsAnswer,
  type NamedMedia,
  OtherPaths,
  type PeaksAnswer,
  type PeaksRequest,
  type ScenesAnswer,
  type ScenesRequest,
  type SeenAnswer,
  ShotAround,
} from './media/contract.ts';
import type { VisualModels } from './models/contract.ts';
import type { Moments } from './moments/contract.ts';
import { notesFields } from './notes/contract.ts';
import {
  Excluded,
  filterScope,
  filtersField,
  flatScope,
  maxResults,
  metadataFilterRequest,
  peopleFields,
  searchAll,
  searchedFiles,
  segmentsToFrameIndices,
} from './scope/contract.ts';
import type { TakesAnswer, TakesRequest } from './takes/contract.ts';
import type {
  SceneThumbnailsAnswer,
  SceneThumbnailsRequest,
  ThumbnailsAnswer,
  ThumbnailsRequest,
} from './thumbnails/contract.ts';
import type { Transcripts } from './transcripts/contract.ts';
import { Explanation, explain, MaybeNotUnderstood, min_band, Weaker } from './visual/contract.ts';
import type { Voices } from './voices/contract.ts';
import type { WrittenAnswer, WrittenRequest } from './written/contract.ts';

export const searchErrors = errorTable({
  QUERY_EMPTY: { meaning: 'The query is empty', status: 400 },
  EXCLUDE_WITHOUT_QUERY: { meaning: 'exclude needs a query', status: 400 },
  SUMMARY_RUNNING: { meaning: 'A summary is being generated', status: 400, retryable: true },
  TIME_OUTSIDE: { meaning: 'The film ends before that time', status: 400 },
  TOO_MANY_PICTURES: { meaning: 'Too many pictures requested at once', status: 400 },
  BAD_TIME: { meaning: 'The time is not valid', status: 400 },
  MEDIA_UNKNOWN: { meaning: 'The media is not in the analysis folder', status: 404 },
  MEDIA_GONE: { meaning: 'The media file is not at its known path', status: 404 },
  HASH_MISMATCH: { meaning: 'The hash belongs to another file', status: 400 },
  TWO_SPEAKERS: { meaning: 'Two different speaker names were given', status: 400 },
});

export const contextErrors = errorTable({
  CONTEXT_CHANGED: {
    meaning: 'The analysis folder or the visual model changed while loading',
    status: 409,
    retryable: true,
  },
  CONTEXT_MISMATCH: { meaning: 'Analysis data of another folder or model is loaded', status: 409 },
});

export interface SearchContext {
  readonly cache_dir: string;
  readonly model_key: string;
}

export const FacetRequest = Type.Object({
  cache_dir: CacheDir,
  scope: filterScope,
  ...flatScope,
  filters: filtersField,
});
export type FacetRequest = Static<typeof FacetRequest>;

/** "Metadata facet response" of the API. */
export const FacetAnswer = Type.Object({
  success: Success,
  facets: field('The facets that media can be filtered by.', Type.Array(Facet)),
  coverage: field(
    'How many of the media have metadata to filter by.',
    Type.Object({
      scope_count: field('Number of files in the scope.', Type.Integer()),
      indexed_count: field('Number of files in the scope with metadata.', Type.Integer()),
      missing_count: field('Number of files in the scope without metadata.', Type.Integer()),
    }),
  ),
  active_filter_count: field('Number of filters in the request.', Type.Integer()),
  warning: field('A warning to show to the user.', nullable(Type.String())),
});
export type FacetAnswer = Static<typeof FacetAnswer>;

const Common = {
  cache_dir: CacheDir,
  media_paths: searchedFiles,
  max_results: maxResults,
  max_per_media: described(
    optional(Type.Integer({ minimum: 1 })),
    'Maximum number of matches of one file, so that repeated shots of one film do not fill the response. ' +
      'If omitted, there is no limit.',
  ),
  search_all: searchAll,
  explain,
  min_band,
  metadata_filter_request: metadataFilterRequest,
  segments_to_frame_indices: segmentsToFrameIndices,
  ...peopleFields,
};

const text_weight = defaulted(
  described(
    Type.Number({ minimum: 0, maximum: 1000 }),
    'Weight of the text relative to the picture, whose weight is 1.',
  ),
  1,
);

export const TextSearch = Type.Object({
  query: described(
    Type.String({ minLength: 1, maxLength: 2000 }),
    'Query in natural language, such as `red car, no people`. A word that begins with a minus (`car -person`) is ' +
      'excluded like those of `exclude`. Words for things that a detector has found, in English and German, are ' +
      'matched with colour, number, place, size and absence: `two people`, `dog on the left`, `close-up of a dog`.',
  ),
  ...Common,
  text_weight: described(
    text_weight,
    'Has no effect here, because there is no picture to weigh the text against.',
  ),
  exclude: defaulted(
    field('Matches that resemble these words rank lower. Nothing is filtered out.', Excluded),
    [],
  ),
});
export type TextSearch = Static<typeof TextSearch>;

const besidePicture = {
  ...Common,
  text_weight,
  query: field('Words to search for.', optional(Type.String({ maxLength: 2000 }))),
  exclude: defaulted(
    described(Excluded, 'Matches that resemble one of these texts rank lower. Needs `query`.'),
    [],
  ),
};

export const ImageSearch = Type.Object({
  image_path: described(
    AbsolutePath,
    'Path of the picture to compare with. The picture and its mirror image are compared, without black ' +
      'bars, and the better match counts.',
  ),
  ...besidePicture,
});
export type ImageSearch = Static<typeof ImageSearch>;

export const FrameSearch = Type.Object({
  media_path: AbsolutePath,
  time_seconds: described(Type.Number({ minimum: 0 }), 'Time in seconds from the beginning of the film.'),
  ...besidePicture,
});
export type FrameSearch = Static<typeof FrameSearch>;

export const Match = Type.Object({
  frame_idx: field('Second of the film, counted from 0, as a string.', Type.String()),
  timestamp: field('The same time as `HH:MM:SS`.', Type.String()),
  /** Base64 JPEG; left out when it cannot be read. */
  image: field('Preview as a base64 JPEG; empty if the preview is missing.', Type.Optional(Type.String())),
  scene_start_timestamp: field(
    'First second of the scene that contains the match, as `HH:MM:SS`.',
    Type.String(),
  ),
  scene_end_timestamp: field(
    'Last second of the scene that contains the match, as `HH:MM:SS`.',
    Type.String(),
  ),
  shot: ShotAround,
  original_index: field(
    'Position in the ranking before matches were grouped by video, counted from 0.',
    Type.Integer(),
  ),
  hash_str: ContentHash,
  video_path: field('Absolute path of the film or still.', Type.String()),
  other_paths: OtherPaths,
  /** Where it was asked for. */
  explanation: Type.Optional(Explanation),
});
export type Match = Static<typeof Match>;

export const SearchAnswer = Type.Object({
  matches: Type.Array(Match),
  weaker: Weaker,
  not_understood: MaybeNotUnderstood,
  ...notesFields,
});
export type SearchAnswer = Static<typeof SearchAnswer>;

export const CachePathsAnswer = Type.Object({
  visual_cache_path: field('Folder of the visual analysis; null if there is none.', nullable(Type.String())),
  audio_cache_path: field('Folder of the transcript; null if there is none.', nullable(Type.String())),
});
export type CachePathsAnswer = Static<typeof CachePathsAnswer>;

/** An analysed content where it lies now. */
export interface MediaFile {
  readonly hash_str: string;
  readonly path: string;
  /** Attributes by which a replaced file is noticed. */
  readonly mark: Pick<FileIdentity, 'size_bytes' | 'mtime_ms' | 'inode'>;
  readonly kind: 'video' | 'audio' | 'image';
  /** 0 for stills. */
  readonly seconds: number;
}

/** Loaded context in the form that the next engine needs after a crash. */
export const LoadedContext = Type.Object({
  model_key: nullable(Type.String()),
  visual: nullable(Type.Object({ cache_dir: Type.String(), model_key: Type.String() })),
  transcripts: nullable(Type.Object({ cache_dir: Type.String() })),
  people: Type.Optional(nullable(Type.Object({ cache_dir: Type.String() }))),
});
export type LoadedContext = Static<typeof LoadedContext>;

export interface Search {
  readonly models: VisualModels;
  readonly loaded: SearchContext | null;
  /**
   * Loads again what another engine had, when `model` is in use. What needs it waits. Rejects with what could
   * not be.
   */
  restore(context: LoadedContext, model: Promise<unknown>): Promise<void>;
  readonly restoring: boolean;
  /** Called when something else is loaded, or nothing any more. */
  onLoaded(listener: (context: LoadedContext) => void): void;
  /** Loads the vectors of a folder by the model in use. */
  load(cacheDir: string, signal?: AbortSignal): Promise<LoadReport>;
  /** Loads the people of a folder, by whom searches can be filtered. */
  loadPeople(cacheDir: string, signal?: AbortSignal): Promise<PeopleLoadReport>;
  /**
   * Adds media to what is loaded; `missing` names the paths that are not analysed. Where no people are
   * loaded, those of the folder are.
   */
  loadMedia(cacheDir: string, paths: readonly string[], signal?: AbortSignal): Promise<LoadReport>;
  readonly transcripts: Transcripts;
  readonly voices: Voices;
  /** Finds printed words. Nothing has to be loaded. QUERY_EMPTY, and those of the scope. */
  written(request: WrittenRequest, signal?: AbortSignal): Promise<WrittenAnswer>;
  text(request: TextSearch, signal?: AbortSignal): Promise<SearchAnswer>;
  image(request: ImageSearch, signal?: AbortSignal): Promise<SearchAnswer>;
  frame(request: FrameSearch, signal?: AbortSignal): Promise<SearchAnswer>;
  /** Where else a shot is. Errors: BAD_TIME, BAD_CURSOR, WHICH_MEDIA, MEDIA_UNKNOWN, NOT_LOADED. */
  takes(request: TakesRequest, signal?: AbortSignal): Promise<TakesAnswer>;
  thumbnails(request: ThumbnailsRequest, signal?: AbortSignal): Promise<ThumbnailsAnswer>;
  sceneThumbnails(request: SceneThumbnailsRequest, signal?: AbortSignal): Promise<SceneThumbnailsAnswer>;
  cachePaths(request: NamedMedia, signal?: AbortSignal): Promise<CachePathsAnswer>;
  /** Throws MEDIA_UNKNOWN and MEDIA_GONE. */
  mediaFile(request: NamedMedia, signal?: AbortSignal): Promise<MediaFile>;
  readonly moments: Moments;
  /** Nothing has to be loaded. Throws MEDIA_UNKNOWN and NOT_ANALYZED. */
  scenes(request: ScenesRequest, signal?: AbortSignal): Promise<ScenesAnswer>;
  /** Stored facts about a file, also while it is away. Nothing has to be loaded. Throws MEDIA_UNKNOWN. */
  facts(request: NamedMedia, signal?: AbortSignal): Promise<MediaFactsAnswer>;
  /** Detections in a file. Nothing has to be loaded. Throws MEDIA_UNKNOWN. */
  seen(request: NamedMedia, signal?: AbortSignal): Promise<SeenAnswer>;
  /**
   * When the frames of a part of a film are shown. MEDIA_UNKNOWN, MEDIA_GONE, BAD_TIME, FILE_CHANGED and
   * those of decoding.
   */
  frameTimes(request: FrameTimesRequest, signal?: AbortSignal): Promise<FrameTimesAnswer>;
  /**
   * How loud the sound of a file is. MEDIA_UNKNOWN, MEDIA_GONE, BAD_TIME, PEAKS_LOST and those of decoding.
   */
  peaks(request: PeaksRequest, signal: AbortSignal): Promise<PeaksAnswer>;
  /** Argument for `HTMLMediaElement.canPlayType`; null for a still and for an unreadable file. */
  playableType(file: Pick<MediaFile, 'path' | 'kind' | 'mark'>, signal?: AbortSignal): Promise<string | null>;
  facets(request: FacetRequest, signal?: AbortSignal): Promise<FacetAnswer>;
}
