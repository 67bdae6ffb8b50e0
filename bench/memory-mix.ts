// The work of the service while its memory is watched: one function for each kind of work, on drawings,
// small models of every family, and a film of the bench.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { builtInRows } from '../actors/models/rows/list.ts';
import { talk, writeModel } from '../test/actors/diarizer/tiny-models.ts';
import { writeTextModel } from '../test/actors/text-reader/graphs.ts';
import { smallGraph } from '../test/actors/things/small-graph.ts';
import { wideGraph } from '../test/actors/transcriber/wide-graph.ts';
import { writeFaceModels } from '../test/system/session/face-models.ts';
import { type LibraryPaths, makeLibrary } from '../test/system/session/library.ts';
import { joined, silence, writeWav } from '../test/system/speech-files.ts';
import {
  hums,
  modelsOf,
  noiseOf,
  notes,
  writeParakeet,
  writeVoices,
  writeWhisper,
  writeX3,
} from '../test/system/speech-models.ts';
import { type Footage, footage, kinds } from './footage.ts';
import { type Client, until } from './service.ts';
import { sized } from './size.ts';

export interface Work {
  readonly folder: string;
  readonly cacheDir: string;
  readonly film: Footage;
  readonly media: LibraryPaths;
  readonly speech: readonly { readonly path: string; readonly language: string }[];
  readonly client: Client;
}

/** One round of a kind of work, some seconds at most. */
export type Kind = (work: Work) => Promise<void>;

type Material = Omit<Work, 'client'>;

/** Makes the media and writes the models into `folder`, whose `home` is the home of a service. */
export async function makeMaterial(folder: string, say: (text: string) => void): Promise<Material> {
  const home = { folder };
  await writeFaceModels(modelsOf(home));
  await writeVoices(home);
  const quiet = 'language English<asr_text>Good day, my friend.<|im_end|>';
  const loud = 'language English<asr_text>No, it is NOT so.<|im_end|>';
  await writeX3(home, 'tiny-x3asr', 'en', { quiet, loud });
  writeWhisper(home, 'tiny-whisper', 'de');
  writeParakeet(home, 'tiny-parakeet', 'fr');
  await writeTextModel(modelsOf(home));
  await writeModel(modelsOf(home), graphRow('rf-detr-nano', 'tiny-things'), smallGraph());
  await writeModel(modelsOf(home), graphRow('firered-aed', 'tiny-sounds'), wideGraph());
  const media = await makeLibrary(join(folder, 'media'));
  const film = await footage(kinds.h264Gop12, say);
  return { folder, cacheDir: join(folder, 'analysis'), film, media, speech: makeSounds(folder) };
}

/** The row of a model under another key, with one file. */
function graphRow(key: string, name: string) {
  const row = builtInRows.find((candidate) => candidate.key === key)!;
  return {
    ...row,
    key: name,
    files: [{ role: 'graph', name: 'graph.onnx', url: null, size: null, sha256: null }],
  };
}

function makeSounds(folder: string): Work['speech'] {
  const turns = Array.from({ length: sized(12, 2) }, (_, i) => i);
  const said = turns.map((i) => ({ start: 1 + 5 * i, end: 5 + 5 * i, voice: hums[i % 2]! }));
  const some = (part: (i: number) => Float32Array) => joined(...turns.map(part));
  const sounds = {
    en: talk(said, turns.length * 5 + 2),
    de: some((i) => joined(noiseOf(4, 0.2, i), silence(1))),
    fr: some(() => joined(notes('dix', 'neuf', 'huit', 'sept', 'six', 'cinq'), silence(3))),
  };
  return Object.entries(sounds).map(([language, samples]) => {
    const path = join(folder, `${language}.wav`);
    writeWav(path, samples);
    return { path, language };
  });
}

const post = ({ client, cacheDir }: Work, path: string, body: object = {}) =>
  client.get<Record<string, never>>(`/api/v1${path}`, { cache_dir: cacheDir, ...body });

/** Begins a task and waits until it has completed without a failed job. */
async function run(work: Work, path: string, body: object): Promise<void> {
  const { task_id } = await post(work, path, body);
  await until(`${path} ${JSON.stringify(body).slice(0, 200)}`, 120_000, async () => {
    const task = await work.client.get<{ state: string; counts: { jobs_failed: number } }>(
      `/api/v1/tasks/${task_id}?limit=0`,
    );
    if (task.state === 'failed' || task.counts.jobs_failed > 0) throw new Error(JSON.stringify(task));
    return task.state === 'completed';
  });
}

const stillsOf = ({ media: { flowers, stripes, ann, both, nobody } }: Work) => {
  return [flowers, stripes, ann, both, nobody];
};
const visual = (work: Work, visual_media_paths: readonly string[]) =>
  run(work, '/analyze', { visual_media_paths, force: true });

const people = { cluster_job_name: 'people' };

async function faces(work: Work): Promise<void> {
  const { people: film, ann, both } = work.media;
  await run(work, '/analyze', {
    face_clustering_jobs: [{ ...people, face_media_paths: [film, ann], face_eps: 0.1, face_min_samples: 2 }],
    sample_faces: [
      { name: 'Ann', face_paths: [ann] },
      { name: 'Both', face_paths: [both] },
    ],
    force: true,
  });
  await run(work, '/faces/recluster', { ...people, eps: 0.1, min_samples: 2 });
  await post(work, '/faces/clusters/samples', { ...people, limit_per_cluster: 4 });
  await post(work, '/faces/appearances', { ...people, people: ['Ann'] });
}

async function summaries(work: Work): Promise<void> {
  const { places, flowers } = work.media;
  const stored = { visual_media_paths: [places, flowers], transcription_jobs: [{ path: places }] };
  const summary_requests = [places, flowers].map((path) => ({ path, replace_existing: true }));
  await run(work, '/analyze', { ...stored, summary_requests });
  await post(work, '/summaries/overview', { path: places });
  await post(work, '/summaries/search', { query: 'night' });
}

/** Makes the results that a search needs: analysed once, and found stored afterwards. */
async function ready(work: Work): Promise<void> {
  const { places, people: film, flowers, stripes, talk: said } = work.media;
  await run(work, '/analyze', {
    visual_media_paths: [work.film.path, places, film, flowers, stripes],
    transcription_jobs: [{ path: said }, { path: places, detect_speakers: false }],
  });
  await post(work, '/analysis-data/load');
}

async function searches(work: Work): Promise<void> {
  await ready(work);
  const { places, flowers, talk: said } = work.media;
  const requests = [0, 3, 8].map((time_seconds) => ({ media_path: places, time_seconds }));
  for (let i = 0; i < sized(25, 2); i++) {
    await post(work, '/search/text', { query: `a red car at night ${i}`, max_results: 50 });
    await post(work, '/search/text', { query: 'stripes', exclude: ['red'], explain: true });
    await post(work, '/search/image', { image_path: flowers, query: 'a car', text_weight: 0.5 });
    await post(work, '/search/frame', { media_path: places, time_seconds: 9 });
    await post(work, '/search/moments', { query: 'red car' });
    await post(work, '/search/transcript', { query: 'car' });
    await post(work, '/search/relevance', { media_path: places, query: 'forest' });
    await post(work, '/metadata/facets', { search_all: true });
    await post(work, '/thumbnails', { requests });
    await post(work, '/media/peaks', { media_path: said, points: 100 });
  }
}

/** Files that arrive in a watched folder, and are forgotten and removed again. */
async function watched(work: Work): Promise<void> {
  const { client, cacheDir: cache_dir } = work;
  const under = join(work.folder, 'watched');
  if (!existsSync(under)) {
    mkdirSync(under);
    mkdirSync(cache_dir, { recursive: true });
    await client.get('/api/v1/watch-folders', { folder_path: under, cache_dir });
  }
  const paths = stillsOf(work).map((path) => join(under, basename(path)));
  for (const [i, path] of stillsOf(work).entries()) copyFileSync(path, paths[i]!);
  await client.get('/api/v1/watch-folders/service/start', {});
  await until('the watched folder', 120_000, async () => {
    const { state } = await client.get<{ state: string }>('/api/v1/watch-folders/service/status');
    const { media } = await client.get<{ media: readonly unknown[] }>('/api/v1/library/list', {
      cache_dir,
      under,
    });
    return state === 'waiting' && media.length === paths.length;
  });
  await client.get('/api/v1/watch-folders/service/stop', {});
  await post(work, '/library/forget', { media_paths: paths });
  for (const path of paths) rmSync(path);
}

async function forget(work: Work): Promise<void> {
  const media_paths = [work.media.places, ...stillsOf(work)];
  await run(work, '/analyze', { visual_media_paths: media_paths });
  await post(work, '/analysis-data/load');
  await post(work, '/library/forget', { media_paths });
  await post(work, '/search/text', { query: 'red' });
}

/** Folders that are new each time, so that none of them was open before. */
async function folders(work: Work): Promise<void> {
  for (let i = 0; i < sized(4, 2); i++) {
    const cacheDir = mkdtempSync(join(work.folder, 'other-'));
    const otherWork = { ...work, cacheDir };
    const visual_media_paths = stillsOf(work);
    await run(otherWork, '/analyze', { visual_media_paths });
    await post(otherWork, '/analysis-data/load');
    await post(otherWork, '/search/text', { query: 'red' });
    await post(otherWork, '/analysis-data/load-for-media', { media_paths: visual_media_paths.slice(1) });
    await post(otherWork, '/search/text', { query: 'red' });
    await post(otherWork, '/library/forget', { media_paths: visual_media_paths });
  }
}

/** Runs `write` with an empty folder for what is exported. */
async function exported(work: Work, write: (output_dir: string) => Promise<unknown>): Promise<void> {
  const output_dir = join(work.folder, 'out');
  mkdirSync(output_dir);
  try {
    await write(output_dir);
  } finally {
    rmSync(output_dir, { recursive: true });
  }
}

function clips(work: Work): Promise<void> {
  const { film, media } = work;
  const cuts = [film.path, media.places, media.talk].map((media_path, i) => {
    return { media_path, start_seconds: 0.5, end_seconds: 1, output_name: `clip ${i}` };
  });
  return exported(work, async (output_dir) => {
    for (const mode of ['precise', 'smart', 'copy']) {
      const named = cuts.map((cut) => ({ ...cut, output_name: `${cut.output_name} ${mode}` }));
      // No sound is cut smartly.
      const chosen = mode === 'smart' ? named.slice(0, 2) : named;
      await run(work, '/export/clips', { output_dir, mode, clips: chosen, task: true });
    }
  });
}

function documents(work: Work): Promise<void> {
  const { places, people: film } = work.media;
  const items = [places, film].map((media_path) => {
    return { media_path, source_start_seconds: 1, source_end_seconds: 3, track: 'video' };
  });
  const segments = Array.from({ length: sized(2000, 20) }, (_, i) => [i, ` Line ${i} of the talk.`, i + 1]);
  return exported(work, async (output_dir) => {
    for (const format of ['txt', 'csv', 'srt', 'vtt', 'docx', 'pdf'])
      await post(work, '/export/transcript', { segments, format, display_name: 'Talk', output_dir });
    for (const format of ['fcpxml', 'otio', 'edl'])
      await post(work, '/export/timeline', { format, items, output_path: join(output_dir, format), fps: 25 });
    await post(work, '/export/premiere-xml', { items, output_path: join(output_dir, 'cut.xml') });
  });
}

function sidecars(work: Work): Promise<void> {
  const { places, flowers } = work.media;
  return exported(work, async (output_dir) => {
    await ready(work);
    await post(work, '/export/sidecars', { media_paths: [places, flowers], output_dir });
  });
}

export const workKinds: Readonly<Record<string, Kind>> = {
  stills: (work) => visual(work, stillsOf(work)),
  film: (work) => visual(work, [work.film.path]),
  things: (work) =>
    run(work, '/analyze', { thing_media_paths: [work.film.path, ...stillsOf(work)], force: true }),
  words: (work) =>
    run(work, '/analyze', { text_media_paths: [work.film.path, ...stillsOf(work)], force: true }),
  sounds: (work) =>
    run(work, '/analyze', { sound_media_paths: work.speech.map(({ path }) => path), force: true }),
  speech: (work) => run(work, '/analyze', { transcription_jobs: work.speech, force: true }),
  faces,
  summaries,
  searches,
  forget,
  folders,
  clips,
  documents,
  sidecars,
  watched,
};
