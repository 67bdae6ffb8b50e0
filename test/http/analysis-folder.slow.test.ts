// An analysis folder that is not there, or cannot be read: the same answer of every route that reads one.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { openTasks } from '../../actors/analysis/tasks/tasks.ts';
import { createSidecars } from '../../actors/exporter/sidecars/sidecars.ts';
import { createSummaryDocuments } from '../../actors/exporter/summary/summary-documents.ts';
import { definition } from '../../actors/index/actor.ts';
import { createLibrary } from '../../actors/library/library.ts';
import { createPeople } from '../../actors/library/people/people.ts';
import { createSummaries } from '../../actors/summarizer/stored/summaries.ts';
import { summaryRef } from '../../actors/summarizer/stored/summary-ref.ts';
import { routes } from '../../http/routes.ts';
import { world } from '../actors/analysis/fakes.ts';
import { expectFaceModel, noModels } from '../actors/analysis/no-models.ts';
import { noRootsHere } from '../actors/library/fake-roots.ts';
import { inject } from './inject.ts';

const w = await world([{ name: 'a.mp4', frames: 8, content: 'aa' }], { index: definition });
await w.search.models.load('fake');
const [film] = w.paths as [string];
const library = createLibrary({
  index: w.index,
  prober: w.prober,
  proxies: { remove: async () => {} },
  tasks: { unfinished: async () => null, list: async () => [], failures: async () => [] },
  roots: noRootsHere,
  modelsFolder: join(w.folder, 'models'),
});
const { analysis, search } = w;
const tasks = openTasks(join(w.folder, 'tasks'), {
  analysis,
  models: search.models,
  decode: 'exact',
  expectModelFor: expectFaceModel,
  summaryModel: async () => null,
  modelLibrary: noModels,
  roots: noRootsHere,
  clock: w.clock,
  log: w.log,
});
after(() => tasks.stop().then(() => w.end()));
const people = createPeople({ index: w.index, tasks });
const summaries = createSummaries(w);
const summaryDocuments = createSummaryDocuments({ index: w.index, summaries });
const sidecars = createSidecars({ ...w, roots: noRootsHere });
after(() => sidecars.close());
const documents = { summaryDocuments, sidecars };
const call = inject(routes, { analysis, search, library, tasks, people, summaries, ...documents });
let count = 0;
const newName = (): string => join(w.folder, `analysis-${++count}`);

/** What is asked of each route that answers about media, beside the folder. */
const readers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  cachePaths: { media_path: film },
  listMedia: {},
  thumbnails: { requests: [{ media_path: film, time_seconds: 1 }] },
  sceneThumbnails: { media_path: film, start_time: '00:00:01', end_time: '00:00:02' },
  transcriptions: { media_paths: [film] },
  transcriptionsRange: { media_path: film, start_seconds: 0, end_seconds: 10 },
  suggestSpeakers: { hash_str: 'aa', speaker: 'SPEAKER_00' },
  metadataFacets: { media_paths: [film], hash_strs: ['aa'] },
  searchText: { query: 'a' },
  searchImage: { image_path: film },
  searchFrame: { media_path: film, time_seconds: 1 },
  searchTranscript: { query: 'a' },
  searchWritten: { query: 'a' },
  searchMoments: { query: 'a' },
  loadAnalysisData: {},
  loadAnalysisDataForMedia: { media_paths: [film] },
  loadTranscriptions: {},
  faceClusters: {},
  summaryCollections: {},
  listSummaries: { media_paths: [film], hash_strs: ['aa'] },
  searchSummaries: { query: 'a' },
  clusterSamples: { cluster_job_name: 'Family' },
  clusterFaces: { cluster_job_name: 'Family', cluster_id: 'c1' },
  exportSidecars: { media_paths: [film], output_dir: join(w.folder, 'sidecars') },
  // Last: it remembers what it sees in a folder that is there.
  mediaMetadata: { media_paths: [film] },
};
/** About one medium, clustering or summary, of which there is none in an empty folder. */
const ofJobs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  nameClusters: { assignments: [] },
  modifyClusters: { merges: [{ cluster_ids: ['c1', 'c2'] }] },
  undoClusters: {},
  suggestClusters: {},
  recluster: {},
  deletePeople: {},
  appearances: {},
  mediaLink: { media_path: film },
  listScenes: { media_path: film },
  searchTakes: { media_path: film },
  searchRelevance: { media_path: film, query: 'a' },
  mediaPeaks: { media_path: film },
  mediaFacts: { media_path: film },
  mediaSeen: { media_path: film },
  mediaFrames: { media_path: film, start_seconds: 0, end_seconds: 1 },
  makeProxy: { media_path: film },
  summaryOverview: { hash_str: 'aa' },
  summaryNode: { hash_str: 'aa', node_id: '0' },
  exportSummary: { hash_str: 'aa', format: 'json' },
};
/** About the folder itself, or writing: one that is not there is an error. */
const others: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  listLibrary: {},
  libraryDisk: {},
  forgetMedia: { media_paths: [film] },
  pruneLibrary: {},
  moveMedia: { from: film, to: join(w.folder, 'b.mp4') },
  nameSpeakers: { hash_str: 'aa', assignments: [] },
  confirmSpeakers: {
    voices: [
      { hash_str: 'aa', speaker: 'SPEAKER_00' },
      { hash_str: 'bb', speaker: 'SPEAKER_00' },
    ],
    same: true,
  },
  undoSpeakers: {},
  deleteSummaries: { summary_refs: [summaryRef({ hash_str: 'aa', analysis_id: '0'.repeat(24) })] },
};
const routeOf = new Map(routes.map((route) => [route.id, route]));

async function ask(id: string, cache_dir: string) {
  const { path, method } = routeOf.get(id)!;
  const job = ofJobs[id] && { cluster_job_name: 'Family', ...ofJobs[id] };
  const request = { cache_dir, ...readers[id], ...job, ...others[id] };
  const { status, body, headers } =
    method === 'GET'
      ? await call(`${path}?${new URLSearchParams(request)}`)
      : await call(path, request, { method });
  // The folder by one name, so that answers can be compared.
  const said = JSON.stringify(body).replaceAll(cache_dir, 'FOLDER');
  return { id, status, said, retries: 'retry-after' in headers };
}

async function askAll(ids: readonly string[], cache_dir: string) {
  const answers = [];
  for (const id of ids) answers.push(await ask(id, cache_dir));
  return answers;
}

test('every route with an analysis folder is looked at here', () => {
  const ofApi = routes.filter(({ path }) => path.startsWith('/api/v1/'));
  const taken = ofApi.filter(({ body, query }) => JSON.stringify([body, query]).includes('"cache_dir"'));
  // A watch folder, a saved search and a ticket only name the one that will be used: nothing is read or
  // written. A root may be added and moved without any.
  const naming = ['addWatchFolder', 'changeWatchFolder', 'saveSearch', 'changeSavedSearch', 'makeTicket'];
  const roots = ['addRoot', 'moveRoot'];
  // Theirs is within `chapter_markers`: test/actors/exporter/timeline/timelines.slow.test.ts reads it.
  const within = ['exportPremiereXml', 'exportTimeline'];
  const looked = [
    ...[readers, ofJobs, others].flatMap(Object.keys),
    ...naming,
    ...roots,
    ...within,
    'analyze',
  ];
  assert.deepEqual(taken.map(({ id }) => id).sort(), looked.sort());
});

test('one that is not there yet answers as an empty one does, before and after it is loaded', async () => {
  const [empty, missing] = [newName(), newName()];
  mkdirSync(empty);
  // Summaries and printed words are searched without loading them.
  const searches = Object.keys(readers).filter((id) => /^search(?!Summaries|Written)/.test(id));
  const both = async (cache_dir: string) => ({
    first: await askAll(Object.keys(readers), cache_dir),
    loaded: await askAll(searches, cache_dir),
  });
  const expected = await both(empty);
  const found = await both(missing);
  assert.deepEqual(found, expected);
  for (const { id, status, said } of found.first)
    assert.equal(status, searches.includes(id) ? 400 : 200, `${id}: ${said}`);
  for (const { id, status, said } of found.loaded) assert.equal(status, 200, `${id}: ${said}`);
});

test('no medium, clustering or summary is found in one that is not there yet, as in an empty one', async () => {
  const [empty, missing] = [newName(), newName()];
  mkdirSync(empty);
  const found = await askAll(Object.keys(ofJobs), missing);
  assert.deepEqual(found, await askAll(Object.keys(ofJobs), empty));
  for (const { id, status, said } of found) assert.equal(status, 404, `${id}: ${said}`);
  assert.ok(!existsSync(missing));
});

const broken: Readonly<Record<string, (() => string) | null>> = {
  'a file in its place': () => {
    const path = newName();
    writeFileSync(path, 'a file');
    return path;
  },
  'one in a folder that is not there': () => join(newName(), 'analysis'),
  'one below a file': () => join(film, 'analysis'),
  'a link that leads nowhere': () => {
    const path = newName();
    symlinkSync(join(w.folder, 'a-drive-that-is-away', 'analysis'), path);
    return path;
  },
  // An administrator reads everything.
  'one that may not be read':
    process.getuid?.() === 0 || process.platform === 'win32'
      ? null
      : () => {
          const path = newName();
          mkdirSync(path, { mode: 0o000 });
          after(() => chmodSync(path, 0o700));
          return path;
        },
};

for (const [what, make] of Object.entries(broken)) {
  const skip = make === null && 'an administrator reads everything';
  test(`${what} is a 503 of every route, and nothing is made`, { skip }, async () => {
    for (const one of await askAll([readers, ofJobs, others].flatMap(Object.keys), make!())) {
      assert.equal(one.status, 503, `${one.id}: ${one.said}`);
      assert.match(one.said, /FOLDER/, one.id);
    }
  });
}

test('routes about the folder itself say that it is not there', async () => {
  for (const { id, status, said } of await askAll(Object.keys(others), newName()))
    assert.equal(status, 503, `${id}: ${said}`);
});

test('one that was loaded and is gone is not taken for an empty one', async () => {
  await w.run();
  const folder = join(w.folder, 'cache');
  const [loaded] = await askAll(['loadAnalysisData'], folder);
  assert.match(loaded!.said, /"media":1,/);
  rmSync(folder, { recursive: true });
  for (const { id, status, said } of await askAll(['searchText', 'searchTranscript'], folder))
    assert.equal(status, 503, `${id}: ${said}`);
});

test('an analysis into folders that are not there is refused for what is no media, as into any other', async () => {
  const note = join(w.folder, 'note.txt');
  writeFileSync(note, 'a note');
  const cache_dir = join(newName(), 'deep', 'er');
  const { status, body } = await call('/api/v1/analyze', { cache_dir, visual_media_paths: [note] });
  assert.equal(status, 400, JSON.stringify(body));
  assert.ok(!existsSync(cache_dir));
});
