// The preflight of a task: checks a request and settles what it means; the same for every caller.

import { pathComplaint, plainPath } from '../../../runtime/paths.ts';
import type { DecodeMode } from '../../decoder/contract.ts';
import { noModelErrors } from '../../models/contract.ts';
import type { VisualModels } from '../../search/models/contract.ts';
import {
  type Analysis,
  type AnalysisRequest,
  type AnalyzeRequest,
  analysisErrors,
  analyzeRequest,
  type MediaProperties,
  type TaskRequest,
} from '../contract.ts';
import type { Complaint, NamedPath, RequestPart, ResolveContext, StoredMedia } from '../request.ts';
import { limits } from '../stages/faces/request.ts';
import { hasWork, type StageKind } from '../stages/kind.ts';
import { expectMedia, expectWritable, prepareFolder, unfit } from './files.ts';

/** Complaints named in one answer. */
const MOST = 20;

export interface Preflight {
  /** The whole request. Throws what is wrong with it; changes nothing. */
  check(request: TaskRequest, signal: AbortSignal): Promise<void>;
  /**
   * The request as it is recorded, in an analysis folder that is there now. Throws NO_FILES, and what the
   * model in use throws.
   */
  resolve(request: TaskRequest): Promise<ResolvedRequest>;
  /** Throws what keeps a recorded request from being run again now. */
  admit(request: AnalysisRequest): Promise<void>;
}

export interface ResolvedRequest {
  readonly request: AnalysisRequest;
  /** Attachments that the request refers to by number. */
  readonly attachments: readonly Uint8Array<ArrayBuffer>[];
}

export interface PreflightParts {
  readonly kinds: readonly StageKind[];
  readonly analysis: Pick<Analysis, 'properties' | 'hasGone' | 'summaryNames' | 'collections'>;
  readonly models: Pick<VisualModels, 'active' | 'current'>;
  /** See `ResolveContext`. */
  readonly expectModelFor: ResolveContext['expectModelFor'];
  readonly summaryModel: ResolveContext['summaryModel'];
  /** How films are decoded when a request does not say. */
  readonly decode: DecodeMode;
}

export function createPreflight(given: PreflightParts): Preflight {
  const { kinds, analysis, models, decode, expectModelFor, summaryModel } = given;
  const parts: readonly RequestPart[] = kinds;
  const whole = completing(kinds);
  const context: Omit<ResolveContext, 'attach'> = {
    activeModel: () => models.active(),
    expectModel: (key) => expectModel(key === null ? null : models.current(key), models.active()),
    decode,
    expectModelFor,
    summaryModel,
  };
  /** Only what is recorded is kept. */
  const checking: ResolveContext = { ...context, attach: () => 0 };
  return {
    check: async (input, signal) => {
      const request = whole(input);
      refuse(complaintsOf(parts, request));
      const media = [...new Set(parts.flatMap((part) => part.media(request)).map(({ path }) => path))];
      const isAsked = media.length > 0 || !parts.some((part) => part.isWithoutMedia?.(request));
      const hasMedia = isAsked && !request.from_previews;
      const unlessGone = (error: unknown) => expectGone(parts, request, analysis, error, signal);
      if (hasMedia) await expectMedia(media, signal).catch(unlessGone);
      refuse(await pictureComplaints(parts, request));
      const cache_dir = await expectWritable(request.cache_dir);
      if (hasMedia) await expectSupported(media, cache_dir, analysis, signal).catch(unlessGone);
      const stored = storedMedia({ ...request, cache_dir }, analysis, signal);
      for (const part of parts) refuse((await part.unfit?.(request, stored)) ?? []);
      for (const kind of kinds) await kind.expects?.(request, checking);
    },
    resolve: async (input) => {
      const request = await following(kinds, whole(input), expectModelFor);
      const attachments: Uint8Array<ArrayBuffer>[] = [];
      const attach: ResolveContext['attach'] = (bytes) => attachments.push(bytes) - 1;
      const each = { ...context, attach };
      const resolved = Object.assign(
        {},
        ...(await Promise.all(kinds.map((kind) => kind.resolve(request, each)))),
      );
      const cache_dir = plainPath(request.cache_dir);
      const { force, from_previews } = request;
      const recorded: AnalysisRequest = {
        cache_dir,
        ...resolved,
        force,
        ...(from_previews && { from_previews }),
      };
      const jobs = kinds.flatMap((kind) => kind.jobsOf(recorded));
      if (!jobs.some(hasWork)) throw analysisErrors.NO_FILES();
      prepareFolder(cache_dir);
      return { request: recorded, attachments };
    },
    admit: async (recorded) => {
      for (const kind of kinds) await kind.admits?.(recorded, checking);
    },
  };
}

/** A resumed task does not switch the model, because searches use it. */
function expectModel(key: string | null, active: string): void {
  if (key === active) return;
  throw analysisErrors.OTHER_MODEL(
    `The task uses the model ${key}, but ${active} is in use; switch models with POST /models/load`,
    { model_key: key },
  );
}

/** Fills in the defaults of the fields that were left out. */
function completing(kinds: readonly StageKind[]): (request: TaskRequest) => AnalyzeRequest {
  const fields: Readonly<Record<string, { default?: unknown }>> = analyzeRequest(kinds).properties;
  const defaults = Object.entries(fields).filter(([, { default: value }]) => value !== undefined);
  return (request) => {
    const values = defaults.map(([name, { default: value }]) => [name, structuredClone(value)] as const);
    return { ...Object.fromEntries(values), ...request } as AnalyzeRequest;
  };
}

/** Errors that say that a model is not downloaded. */
const missing = [
  noModelErrors.NO_FACE_MODEL,
  noModelErrors.NO_TEXT_MODEL,
  noModelErrors.NO_OBJECT_DETECTOR,
  noModelErrors.NO_SOUND_MODEL,
];

/** A request for pictures includes all work for which there is a model, unless it says otherwise. */
async function following(
  kinds: readonly StageKind[],
  request: AnalyzeRequest,
  expectModelFor: ResolveContext['expectModelFor'],
): Promise<AnalyzeRequest> {
  const { visual_media_paths = [], scenes_only, from_previews } = request;
  if (scenes_only) return request;
  const given: Readonly<Record<string, unknown>> = request;
  const more: Record<string, readonly string[]> = {};
  for (const { follows, readsPreviews } of kinds) {
    if (follows === undefined || (from_previews && !readsPreviews)) continue;
    if (given[follows.field] !== null || visual_media_paths.length === 0) continue;
    const isThere = await expectModelFor(follows.model).then(
      () => true,
      (error) => {
        if (missing.some((errorMaker) => errorMaker.is(error))) return false;
        throw error;
      },
    );
    if (isThere) more[follows.field] = visual_media_paths;
  }
  return { ...request, ...more };
}

function refuse(complaints: readonly Complaint[]): void {
  const [first] = complaints;
  if (!first) return;
  const said = complaints.slice(0, MOST).map(({ field, what }) => `${field} ${what}`);
  const more = complaints.length > MOST ? [`and ${complaints.length - MOST} more`] : [];
  throw analysisErrors.INVALID_REQUEST([...said, ...more].join('; '), { field: first.field });
}

/** Complaints about the fields in their present form. */
function complaintsOf(parts: readonly RequestPart[], request: AnalyzeRequest): Complaint[] {
  const partComplaints = parts.flatMap((part) => part.complaints(request));
  return [
    ...pathComplaints(parts, request),
    ...partComplaints,
    ...previewComplaints(parts, request),
    ...sceneComplaints(parts, request),
  ];
}

function picturesOf(parts: readonly RequestPart[], request: AnalyzeRequest): NamedPath[] {
  return parts.flatMap((part) => part.pictures?.(request) ?? []);
}

function pathComplaints(parts: readonly RequestPart[], request: AnalyzeRequest): Complaint[] {
  const media = parts.flatMap((part) => part.media(request));
  const cacheDir = { field: 'cache_dir', path: request.cache_dir };
  return [cacheDir, ...media, ...picturesOf(parts, request)].flatMap(({ field, path }) => {
    const what = pathComplaint(path);
    return what === null ? [] : [{ field, what }];
  });
}

/** Work that previews are not enough for. */
function previewComplaints(parts: readonly RequestPart[], request: AnalyzeRequest): Complaint[] {
  if (!request.from_previews) return [];
  const others = parts.filter(({ readsPreviews }) => !readsPreviews);
  return others
    .flatMap((part) => part.media(request))
    .map(({ field }) => ({ field, what: 'needs the file: leave from_previews out' }));
}

/** Work beside that on scenes, which uses no model. */
function sceneComplaints(parts: readonly RequestPart[], request: AnalyzeRequest): Complaint[] {
  if (!request.scenes_only) return [];
  if (request.from_previews) {
    return [{ field: 'scenes_only', what: 'needs the files: leave from_previews out' }];
  }
  const others = parts.filter(({ body }) => !('scenes_only' in body));
  return others
    .flatMap((part) => part.media(request))
    .map(({ field }) => ({ field, what: 'is other work: leave scenes_only out' }));
}

/** Files looked at before a task starts: of a longer list the task itself says what each of them is. */
const LOOKED_AT = 16;

/**
 * Throws NO_VALID_MEDIA when none of the files is a film, a picture or sound. The first that is one ends the
 * search.
 */
async function expectSupported(
  paths: readonly string[],
  cache_dir: string,
  analysis: Pick<Analysis, 'properties'>,
  signal: AbortSignal,
): Promise<void> {
  if (paths.length > LOOKED_AT) return;
  const reasons: string[] = [];
  for (const path of paths) {
    try {
      await analysis.properties({ cache_dir, media_paths: [path], model_key: null }, signal);
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      // Anything else may pass, or is repaired by the task, which reports it as the result of the file.
      if (!analysisErrors.NO_MEDIA.is(error) || error.details['unsupported'] !== true) return;
      reasons.push(error.message);
    }
  }
  throw analysisErrors.NO_VALID_MEDIA(`None of these is a film, picture or sound: ${reasons.join('; ')}`);
}

/** Throws `error` unless it says that there is no media, and there are previews of a file that do as well. */
async function expectGone(
  parts: readonly RequestPart[],
  request: AnalyzeRequest,
  analysis: Pick<Analysis, 'hasGone'>,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (!analysisErrors.NO_VALID_MEDIA.is(error)) throw error;
  const able = parts.filter(({ readsPreviews }) => readsPreviews).flatMap((part) => part.media(request));
  const paths = able.map(({ path }) => plainPath(path));
  if (!(await analysis.hasGone(plainPath(request.cache_dir), paths, signal))) throw error;
}

/**
 * Unlike media, a picture of a person that cannot be read refuses the request: naming depends on each of
 * them.
 */
async function pictureComplaints(
  parts: readonly RequestPart[],
  request: AnalyzeRequest,
): Promise<Complaint[]> {
  const files = picturesOf(parts, request);
  const reasons = await unfit(
    files.map(({ path }) => path),
    limits.imageBytes,
  );
  return files.flatMap(({ field }, i) => {
    const what = reasons[i];
    return typeof what === 'string' ? [{ field, what }] : [];
  });
}

// Questions of a request's checks to the analysis folder, before anything is started.

type Asked = Pick<Analysis, 'properties' | 'hasGone' | 'summaryNames' | 'collections'>;

interface Request {
  readonly cache_dir: string;
  readonly visual_media_paths: readonly string[];
  readonly force: boolean;
}

function storedMedia(
  { cache_dir, visual_media_paths, force }: Request,
  analysis: Asked,
  signal: AbortSignal,
): StoredMedia {
  const requestedPaths = new Set(visual_media_paths.map(plainPath));
  return {
    redoes: force,
    analysed: async (paths) => {
      const others = [...new Set(paths.filter((path) => !requestedPaths.has(path)))];
      if (others.length === 0) return requestedPaths;
      const analysedPaths = await analysedBefore(cache_dir, others, analysis, signal);
      return new Set([...requestedPaths, ...analysedPaths]);
    },
    summaryNames: (paths) => analysis.summaryNames(cache_dir, paths, signal),
    collections: () => analysis.collections(cache_dir, signal),
  };
}

/** Also sound, which has no pictures, and files that are gone, of which pictures are stored. */
async function analysedBefore(
  cache_dir: string,
  media_paths: readonly string[],
  analysis: Asked,
  signal: AbortSignal,
): Promise<string[]> {
  const { media_properties } = await analysis
    .properties({ cache_dir, media_paths, model_key: null }, signal)
    .catch((error: unknown) => {
      // If none of them is readable, none has properties.
      if (analysisErrors.NO_MEDIA.is(error)) return { media_properties: {} };
      throw error;
    });
  const properties: Readonly<Record<string, Pick<MediaProperties, 'video_cached' | 'kind'>>> =
    media_properties;
  const analysed: string[] = [];
  for (const path of media_paths) {
    const isStored = properties[path]
      ? properties[path].video_cached || properties[path].kind === 'audio'
      : await analysis.hasGone(cache_dir, [path], signal);
    if (isStored) analysed.push(path);
  }
  return analysed;
}
