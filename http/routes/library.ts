// The library as a whole: what is analysed, what it takes on the disk, what is forgotten, and footage that
// moves.
import { Type } from 'typebox';
import type { PeopleLoadReport } from '../../actors/index/people/contract.ts';
import { CacheDir } from '../../actors/index/store/contract.ts';
import type { TranscriptLoadReport } from '../../actors/index/transcripts/contract.ts';
import type { LoadReport } from '../../actors/index/visual/contract.ts';
import {
  DiskAnswer,
  FolderPage,
  FolderRequest,
  ForgetAnswer,
  ForgetRequest,
  LibraryPage,
  MoveAnswer,
  MoveRequest,
  PageRequest,
  PruneAnswer,
  PruneRequest,
} from '../../actors/library/contract.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { described, field, Message } from '../../runtime/schema.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Library';

const writing =
  'The footage itself is not changed. Returns 409 while a task is working on one of these files, in ' +
  'which case nothing is changed. Returns 503 with the process in `message` while another process is ' +
  'writing to the folder.';

export const listLibrary = route({
  method: 'POST',
  path: '/api/v1/library/list',
  id: 'listLibrary',
  tag,
  summary: 'List the media in an analysis folder, page by page',
  description:
    'Returns every file that the folder knows, sorted by path: which models analysed its pictures, ' +
    'whether it has a transcript, and since when. Files that were only inspected have neither. A copy ' +
    'has its own entry with the same `hash_str`. Returns 503 if the folder does not exist.',
  body: PageRequest,
  answers: { 200: LibraryPage },
  handle: async ({ body, signal }, { library }) => reply(200, await library.list(body, signal)),
});

export const listMedia = route({
  method: 'POST',
  path: '/api/v1/media/list',
  id: 'listMedia',
  tag,
  summary: 'List a folder on the disk with the analysis of its media',
  description:
    'Returns the folders, then the media in the folder, page by page and in natural order (`take 2` ' +
    'before `take 10`). Without `folder`, it returns the top folders: those that contain known media, ' +
    'and the home folder of the user who runs the service. Files are not opened, but recognized by path, ' +
    'size and time. Hidden names and system folders are omitted. Returns 404 if the folder does not ' +
    'exist, and 400 if it cannot be listed. An analysis folder that does not exist yet counts as empty.',
  body: FolderRequest,
  answers: { 200: FolderPage, 404: ErrorBody },
  handle: async ({ body, signal }, { library }) => reply(200, await library.folder(body, signal)),
});

export const forgetMedia = route({
  method: 'POST',
  path: '/api/v1/library/forget',
  id: 'forgetMedia',
  tag,
  summary: 'Delete the analysis of media',
  description:
    'Deletes all stored data of their content: vectors, previews, transcripts, names of speakers, and ' +
    'every known path, including those of copies. Searches no longer find it. The disk space of ' +
    'vectors and previews is freed immediately, and that of faces with the next compaction. Returns 404 if none of the ' +
    `paths is known. ${writing}`,
  body: ForgetRequest,
  answers: { 200: ForgetAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { library }) => reply(200, await library.forget(body, signal)),
});

export const pruneLibrary = route({
  method: 'POST',
  path: '/api/v1/library/prune',
  id: 'pruneLibrary',
  tag,
  summary: 'Forget media whose files no longer exist',
  description:
    'A file counts as gone if it is missing although its volume is mounted. Files on volumes that are ' +
    'not mounted are kept, and `skipped` says why. If the same content exists at another known path, the ' +
    'analysis is kept and only the missing path is removed. Files that a task is working on are kept. ' +
    `${writing}`,
  body: PruneRequest,
  answers: { 200: PruneAnswer, 409: ErrorBody },
  handle: async ({ body, signal }, { library }) => reply(200, await library.prune(body, signal)),
});

export const libraryDisk = route({
  method: 'POST',
  path: '/api/v1/library/disk',
  id: 'libraryDisk',
  tag,
  summary: 'Get the disk usage of an analysis folder and the models',
  body: Type.Object({ cache_dir: CacheDir }),
  answers: { 200: DiskAnswer },
  handle: async ({ body, signal }, { library }) => reply(200, await library.disk(body.cache_dir, signal)),
});

export const moveMedia = route({
  method: 'POST',
  path: '/api/v1/library/move',
  id: 'moveMedia',
  tag,
  summary: 'Update the paths of moved footage',
  description:
    'Replaces the folder `from` by `to` in every known path. The files must already be at the new paths; ' +
    'returns 400 if none of them is. Paths whose files still exist at the old place are not changed. An ' +
    'interrupted move is completed by the same request. Returns 404 if nothing in `from` is known. ' +
    `${writing}`,
  body: MoveRequest,
  answers: { 200: MoveAnswer, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ body, signal }, { library }) => reply(200, await library.move(body, signal)),
});

export const libraryRoutes: readonly Route[] = [
  listLibrary,
  listMedia,
  forgetMedia,
  pruneLibrary,
  libraryDisk,
  moveMedia,
];

// Loading what analysis found into memory: every search runs over what is loaded.

const dataTag = 'Analysis data';
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
  tag: dataTag,
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
    const message = [visual, speech, people].map((answer) => answer.message).join('; ');
    return reply(200, { ...visual, ...speech, ...people, unreadable, message });
  },
});

export const loadAnalysisDataForMedia = route({
  method: 'POST',
  path: '/api/v1/analysis-data/load-for-media',
  id: 'loadAnalysisDataForMedia',
  tag: dataTag,
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
  tag: dataTag,
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
