// Loading what analysis found into memory: every search runs over what is loaded.
import { Type } from 'typebox';
import type { PeopleLoadReport } from '../../actors/index/people/contract.ts';
import type { TranscriptLoadReport } from '../../actors/index/transcripts/contract.ts';
import type { LoadReport } from '../../actors/index/visual/contract.ts';
import { described } from '../../runtime/schema.ts';
import { AbsolutePath, absolute, allAbsolute, CacheDir } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Analysis data';
const Loaded = Type.Object({
  message: Type.String(),
  media: described(Type.Integer(), 'Media that can be searched now.'),
  vectors: described(Type.Integer(), 'Seconds of picture that can be searched now.'),
  missing: described(
    Type.Array(Type.String()),
    'Paths asked for that have no visual analysis by the model in use.',
  ),
  unreadable: described(Type.Array(Type.String()), 'Hashes whose stored analysis is damaged.'),
});

const LoadedSpeech = Type.Object({
  message: Type.String(),
  transcriptions: described(Type.Integer(), 'Transcriptions that can be searched now.'),
  segments: described(Type.Integer(), 'Their segments.'),
  unreadable: described(Type.Array(Type.String()), 'Hashes whose transcription is damaged.'),
});

const LoadedPeople = Type.Object({
  face_clusterings: described(Type.Integer(), 'Face clusterings that searches can be filtered by now.'),
  people: described(
    Type.Integer(),
    'Their people: a name on several clusters is one, each cluster without a name another.',
  ),
  unreadable_face_clusterings: described(
    Type.Array(Type.String()),
    'Names of face clusterings that are damaged.',
  ),
});

function seen({ jobs: face_clusterings, people, named, unreadable }: PeopleLoadReport) {
  const said = [
    `${people} people of ${face_clusterings} face clusterings are loaded, ${named} with a name`,
    ...(unreadable.length > 0 ? [`damaged: ${unreadable.join(', ')}`] : []),
  ];
  return { message: said.join(', '), face_clusterings, people, unreadable_face_clusterings: unreadable };
}

function spoken({ media: transcriptions, segments, unreadable }: TranscriptLoadReport) {
  const said = [
    `${transcriptions} transcriptions with ${segments} segments are loaded`,
    ...(unreadable.length > 0 ? [`${unreadable.length} damaged`] : []),
  ];
  return { message: said.join(', '), transcriptions, segments, unreadable };
}

function answer({ media, vectors, missing, unreadable }: LoadReport) {
  const said = [
    `${media} media with ${vectors} seconds of picture are loaded`,
    ...(missing.length > 0 ? [`${missing.length} not analysed`] : []),
    ...(unreadable.length > 0 ? [`${unreadable.length} damaged`] : []),
  ];
  return { message: said.join(', '), media, vectors, missing, unreadable };
}

export const loadAnalysisData = route({
  method: 'POST',
  path: '/api/v1/analysis-data/load',
  id: 'loadAnalysisData',
  tag,
  summary: 'Loads everything of an analysis folder',
  description:
    'Embeddings of the visual model in use, people, and transcriptions. Data of another folder is unloaded. 503 when no visual model is loaded ' +
    'or the folder cannot be read (one that is not there yet is empty), 409 when the model or the folder is changed while loading.',
  body: Type.Object({ cache_dir: CacheDir }),
  answers: {
    200: Type.Object({ ...Loaded.properties, ...LoadedSpeech.properties, ...LoadedPeople.properties }),
    409: ErrorBody,
  },
  handle: async ({ body, signal }, { search }) => {
    const cacheDir = absolute('cache_dir', body.cache_dir);
    const visual = answer(await search.load(cacheDir, signal));
    const people = seen(await search.loadPeople(cacheDir, signal));
    const speech = spoken(await search.transcripts.load(cacheDir, signal));
    const unreadable = [...new Set([...visual.unreadable, ...speech.unreadable])];
    const message = [visual, speech, people].map((one) => one.message).join('; ');
    return reply(200, { ...visual, ...speech, ...people, unreadable, message });
  },
});

export const loadAnalysisDataForMedia = route({
  method: 'POST',
  path: '/api/v1/analysis-data/load-for-media',
  id: 'loadAnalysisDataForMedia',
  tag,
  summary: 'Loads what is missing in memory for some media',
  description:
    'Adds to what is loaded. When nothing is loaded yet, the whole folder is, so that later searches are not limited to these files; the same of people. ' +
    '409 when another folder is loaded, or data of another model.',
  body: Type.Object({ cache_dir: CacheDir, media_paths: Type.Array(AbsolutePath, { maxItems: 100_000 }) }),
  answers: { 200: Loaded, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) => {
    const cacheDir = absolute('cache_dir', body.cache_dir);
    const paths = allAbsolute('media_paths', body.media_paths);
    return reply(200, answer(await search.loadMedia(cacheDir, paths, signal)));
  },
});

export const loadTranscriptions = route({
  method: 'POST',
  path: '/api/v1/analysis-data/load-transcriptions',
  id: 'loadTranscriptions',
  tag,
  summary: 'Loads the transcriptions of an analysis folder',
  body: Type.Object({ cache_dir: CacheDir }),
  description:
    'Transcriptions only; no visual model is needed. Data of another folder is unloaded. Searches are answered ' +
    'meanwhile. 503 when the folder cannot be read, 409 when another folder is asked for while loading.',
  answers: { 200: LoadedSpeech, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, spoken(await search.transcripts.load(absolute('cache_dir', body.cache_dir), signal))),
});

export const analysisDataRoutes: readonly Route[] = [
  loadAnalysisData,
  loadAnalysisDataForMedia,
  loadTranscriptions,
];
