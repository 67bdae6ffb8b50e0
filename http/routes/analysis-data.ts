// Loading what analysis found into memory: every search runs over what is loaded.
import { Type } from 'typebox';
import type { PeopleLoadReport } from '../../actors/index/people/contract.ts';
import { CacheDir } from '../../actors/index/store/contract.ts';
import type { TranscriptLoadReport } from '../../actors/index/transcripts/contract.ts';
import type { LoadReport } from '../../actors/index/visual/contract.ts';
import { Message } from '../../runtime/answer.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { described, field } from '../../runtime/schema.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Analysis data';
const Loaded = Type.Object({
  message: Message,
  media: described(Type.Integer(), 'Number of media that can now be searched.'),
  vectors: described(Type.Integer(), 'Number of frames that can now be searched, one for each second.'),
  missing: described(
    Type.Array(Type.String()),
    'Requested paths that have no visual analysis by the model in use.',
  ),
  unreadable: described(Type.Array(Type.String()), 'Hashes of media whose stored analysis is damaged.'),
});

const LoadedSpeech = Type.Object({
  message: Message,
  transcriptions: described(Type.Integer(), 'Number of transcriptions that can now be searched.'),
  segments: described(Type.Integer(), 'Number of segments in these transcriptions.'),
  unreadable: described(Type.Array(Type.String()), 'Hashes of media whose transcription is damaged.'),
});

const LoadedPeople = Type.Object({
  face_clusterings: described(
    Type.Integer(),
    'Number of face clusterings that searches can now be filtered by.',
  ),
  people: described(
    Type.Integer(),
    'Number of people in these clusterings. Clusters with the same name count as one person, and each ' +
      'cluster without a name counts as one.',
  ),
  unreadable_face_clusterings: described(Type.Array(Type.String()), 'Names of damaged face clusterings.'),
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
  summary: 'Load all data of an analysis folder',
  description:
    'Loads the embeddings of the visual model in use, people, and transcriptions. Data of another folder ' +
    'is unloaded. Returns 503 if no visual model is loaded or the folder cannot be read (a folder that ' +
    'does not exist yet counts as empty), and 409 if the model or the folder changes while loading.',
  body: Type.Object({ cache_dir: CacheDir }),
  answers: {
    200: Type.Object({ ...Loaded.properties, ...LoadedSpeech.properties, ...LoadedPeople.properties }),
    409: ErrorBody,
  },
  handle: async ({ body, signal }, { search }) => {
    const { cache_dir } = body;
    const visual = answer(await search.load(cache_dir, signal));
    const people = seen(await search.loadPeople(cache_dir, signal));
    const speech = spoken(await search.transcripts.load(cache_dir, signal));
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
  summary: 'Load missing data of some media',
  description:
    'Adds data to what is already loaded. If nothing is loaded yet, this loads the whole folder, so that ' +
    'later searches are not limited to these files. The same applies to people. Returns 409 if another ' +
    'folder or data of another model is loaded.',
  body: Type.Object({
    cache_dir: CacheDir,
    media_paths: field('Absolute paths of the files.', Type.Array(AbsolutePath, { maxItems: 100_000 })),
  }),
  answers: { 200: Loaded, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, answer(await search.loadMedia(body.cache_dir, body.media_paths, signal))),
});

export const loadTranscriptions = route({
  method: 'POST',
  path: '/api/v1/analysis-data/load-transcriptions',
  id: 'loadTranscriptions',
  tag,
  summary: 'Load the transcriptions of an analysis folder',
  body: Type.Object({ cache_dir: CacheDir }),
  description:
    'Loads transcriptions only and needs no visual model. Data of another folder is unloaded. Searches ' +
    'are possible while loading. Returns 503 if the folder cannot be read, and 409 if another folder is ' +
    'requested while loading.',
  answers: { 200: LoadedSpeech, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, spoken(await search.transcripts.load(body.cache_dir, signal))),
});

export const analysisDataRoutes: readonly Route[] = [
  loadAnalysisData,
  loadAnalysisDataForMedia,
  loadTranscriptions,
];
