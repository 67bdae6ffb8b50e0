// Starts and stops analyses.
import { Type } from 'typebox';
import { analysisErrors } from '../../actors/analysis/contract.ts';
import { expectMedia, expectWritable, prepareFolder, unfit } from '../../actors/analysis/tasks/preflight.ts';
import { AnalyzeBody, limits } from '../analyze/body.ts';
import { type Complaint, complaintsOf, facePathsOf, mediaOf } from '../analyze/meaning.ts';
import { speechJobsOf } from '../analyze/speech.ts';
import { absolute, allAbsolute } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import type { Service } from '../service.ts';

/** Complaints named in one answer. */
const MOST = 20;

export const analyze = route({
  method: 'POST',
  path: '/api/v1/analyze',
  id: 'analyze',
  tag: 'Analysis',
  summary: 'Start an analysis',
  description:
    'The whole request is checked before anything happens. One task runs at a time: a task that is running is asked to ' +
    'stop, and while it is still unwinding the answer is 409. Join the event room `task_id` to follow the task, or ask ' +
    'for it with GET /tasks/{task_id}. Events and results name files by the plain form of their paths, without `..` and ' +
    'doubled separators. A file that is not there, cannot be read or fails ends as a result of the task, ' +
    'which goes on with the others.',
  body: AnalyzeBody,
  answers: {
    202: Type.Object({ message: Type.String(), task_id: Type.String() }),
    400: ErrorBody,
    409: ErrorBody,
    503: ErrorBody,
  },
  handle: async ({ body, signal }, service) => {
    refuse(complaintsOf(body));
    await expectMedia(
      mediaOf(body).map(({ path }) => path),
      signal,
    );
    refuse(await faceFileComplaints(body));
    await expectWritable(body.cache_dir);
    refuse(await unanalysedComplaints(body, service, signal));
    refuseMissingCapabilities(body);
    // In the plain form in which every other route looks for them.
    const cache_dir = absolute('cache_dir', body.cache_dir);
    const paths = allAbsolute('visual_media_paths', body.visual_media_paths);
    // Sound needs no visual model.
    const model_key = paths.length > 0 ? service.search.models.active() : null;
    prepareFolder(cache_dir);
    const { force, decode } = body;
    const speech = speechJobsOf(body);
    const request = {
      cache_dir,
      paths,
      speech,
      model_key,
      force,
      ...(decode === undefined ? {} : { decode }),
    };
    const { task_id } = await service.tasks.start(request);
    return reply(202, { message: 'Analysis started', task_id });
  },
});

export const cancelAnalysis = route({
  method: 'POST',
  path: '/api/v1/analyze/cancel',
  id: 'cancelAnalysis',
  tag: 'Analysis',
  summary: 'Stop the analysis that is running',
  description:
    'What is finished stays; the task can be resumed. Nothing is wrong with cancelling when nothing runs.',
  answers: {
    200: Type.Object({ message: Type.String() }),
    202: Type.Object({ message: Type.String(), still_stopping: Type.Boolean() }),
  },
  handle: async (_, { tasks }) => {
    const { stopped, task_id } = await tasks.cancel();
    if (!stopped) return reply(202, { message: 'The analysis is still stopping', still_stopping: true });
    return reply(200, { message: task_id === null ? 'No analysis is running' : 'The analysis has stopped' });
  },
});

export const analyzeRoutes: readonly Route[] = [analyze, cancelAnalysis];

function refuse(complaints: readonly Complaint[]): void {
  const [first] = complaints;
  if (!first) return;
  const said = complaints.slice(0, MOST).map(({ field, what }) => `${field} ${what}`);
  const more = complaints.length > MOST ? [`and ${complaints.length - MOST} more`] : [];
  throw analysisErrors.INVALID_REQUEST([...said, ...more].join('; '), { field: first.field });
}

/** Pictures of people are few; a job without one of them would be another job than the one asked for. */
async function faceFileComplaints(body: AnalyzeBody): Promise<Complaint[]> {
  const files = facePathsOf(body);
  const reasons = await unfit(
    files.map(({ path }) => path),
    limits.imageBytes,
  );
  return files.flatMap(({ field }, i) => {
    const what = reasons[i];
    return typeof what === 'string' ? [{ field, what }] : [];
  });
}

/** A summary is made from a visual analysis: one that is stored, or one that is asked for with it. */
async function unanalysedComplaints(
  { cache_dir, visual_media_paths, summary_requests }: AnalyzeBody,
  { analysis }: Service,
  signal: AbortSignal,
): Promise<Complaint[]> {
  const asked = new Set(visual_media_paths);
  const others = summary_requests.flatMap(({ path }, i) => (asked.has(path) ? [] : [{ path, i }]));
  if (others.length === 0) return [];
  const media_paths = others.map(({ path }) => path);
  const { media_properties } = await analysis
    .properties({ cache_dir, media_paths, model_key: null }, signal)
    .catch((error: unknown) => {
      // None of them can be read: then none of them is analysed.
      if (analysisErrors.NO_MEDIA.is(error)) return { media_properties: {} };
      throw error;
    });
  const known: Readonly<Record<string, { readonly video_cached: boolean }>> = media_properties;
  return others
    .filter(({ path }) => known[path]?.video_cached !== true)
    .map(({ i }) => ({
      field: `summary_requests[${i}].path`,
      what: 'has no visual analysis and is not among visual_media_paths',
    }));
}

function refuseMissingCapabilities(body: AnalyzeBody): void {
  const asked = [
    { row: analysisErrors.NO_FACES, field: 'face_clustering_jobs', jobs: body.face_clustering_jobs },
    { row: analysisErrors.NO_SUMMARIES, field: 'summary_requests', jobs: body.summary_requests },
  ].filter(({ jobs }) => jobs.length > 0);
  const [first] = asked;
  if (!first) return;
  const needed = asked.map(({ row, field }) => `${field}: ${row.meaning.toLowerCase()}`);
  throw first.row(`${needed.join('; ')}. Nothing was started`, { capability: first.row.code });
}
