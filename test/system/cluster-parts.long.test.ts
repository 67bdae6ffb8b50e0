// Three engines that each hold a third of a library answer as one that holds all of it, to the last digit.
// One of them dies, and what is missing is told until it is back.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import test from 'node:test';
import { openAdmin } from '../../actors/cluster/admin.ts';
import type { SearchAnswer } from '../../actors/search/contract.ts';
import { systemClock } from '../../runtime/clock.ts';
import { facesModels, yunetWeights } from '../actors/faces/stand-in-embedder.ts';
import { sharedPath, skipWithout } from '../shared.ts';
import { until } from '../until.ts';
import { type Node, newWorld, type World } from './cluster-world.ts';
import { newHome, SLOW_MS } from './command-line.ts';
import { freePort } from './guarded-service.ts';
import { skipWithoutPostgres } from './postgres.ts';

const samples = join(import.meta.dirname, '../../actors/samples/media');
const signers = sharedPath('media/faces/signers');
const people = ['again', 'bird', 'book', 'brother', 'eat', 'learn'];
const stills = ['forest.jpg', 'hills.jpg', 'moon-over-the-sea.jpg', 'fire.webp', 'beach.webp'];
const films = ['beach.mp4', 'camp-fire.mkv'];
/** Of each still, each another content with the same vector: ties. */
const COPIES = 8;
const cluster_job_name = 'signers';
const words = [
  'a beach',
  'fire at night',
  'a forest',
  'trees',
  'the moon',
  'the sea',
  'water',
  'hills',
  'grey',
  'red',
];
/** ms in which an answer has to be there while a part is away. */
const ANSWERED_WITHIN = 10_000;

const copyOf = (name: string, copy: number) => `${basename(name, extname(name))}-${copy}${extname(name)}`;
const names = [
  ...films,
  ...people.map((name) => `${name}.mkv`),
  ...stills.flatMap((name) => Array.from({ length: COPIES }, (_, i) => copyOf(name, i + 1))),
];

function place(footage: string): void {
  for (const name of films) cpSync(join(samples, name), join(footage, name));
  for (const name of people) cpSync(join(signers, `${name}.mkv`), join(footage, `${name}.mkv`));
  for (const name of stills) {
    const bytes = readFileSync(join(samples, name));
    for (let copy = 1; copy <= COPIES; copy++)
      writeFileSync(join(footage, copyOf(name, copy)), Buffer.concat([bytes, Buffer.of(copy)]));
  }
}

test('three parts answer 200 questions as one engine does, and say what is missing when one is away', {
  skip: skipWithoutPostgres || skipWithout('media/faces', yunetWeights),
}, async (t) => {
  const world = await newWorld(t, place);
  const home = newHome();
  await facesModels(join(home.folder, 'home', 'models'));
  const whole = await world.join('front,worker', home);
  await whole.modelReady();
  await analyse(world, whole);
  const holds = await Promise.all(
    [1, 2, 3].map(async (part) => [`${part}/3`, `127.0.0.1:${await freePort()}`] as const),
  );
  const parts: Node[] = [];
  for (const hold of holds) parts.push(await world.join('front', undefined, hold));
  for (const node of parts) await node.modelReady();
  for (const node of [whole, ...parts]) await load(world, node);
  await t.test('200 questions', () => compare(world, whole, parts));
  await t.test('one is away and comes back', async () => {
    const [, second] = parts;
    const { home: itsHome } = second!;
    second!.process.child.kill('SIGKILL');
    await second!.process.ended;
    await away(world, whole, parts[0]!);
    const back = await world.join('front', itsHome, holds[1]!);
    await back.modelReady();
    const asked = questions(world)[0]!;
    const expected = await answer(whole, asked);
    const isWhole = async () => {
      const found = await answer(parts[0]!, asked);
      return found.toast_warning === undefined && assert.deepEqual(found, expected) === undefined;
    };
    await until(isWhole, { within: SLOW_MS });
  });
});

async function analyse({ footage }: World, whole: Node): Promise<void> {
  const { cacheDir: cache_dir } = whole;
  const faces = people.map((name) => join(footage, `${name}.mkv`));
  const { thumbnails } = await whole.ok<{ thumbnails: { thumbnail: string }[] }>('/thumbnails', {
    ...{ cache_dir, requests: [{ media_path: join(footage, 'book.mkv'), time_seconds: 0 }] },
  });
  const { task_id } = await whole.ok<{ task_id: string }>('/analyze', {
    cache_dir,
    visual_media_paths: names.map((name) => join(footage, name)),
    face_clustering_jobs: [{ cluster_job_name, face_media_paths: faces, face_min_samples: 2 }],
    sample_faces: [{ name: 'Anna', face_images: thumbnails.map(({ thumbnail }) => thumbnail) }],
  });
  const events = await whole.follow(task_id);
  assert.equal(events.at(-1)?.error, undefined, JSON.stringify(events.at(-1)));
}

/** When it has everything that was found. */
async function load(_: World, { cacheDir: cache_dir, ok }: Node): Promise<void> {
  const hasAll = async () => {
    const { total } = await ok<{ total: number }>('/library/list', { cache_dir });
    const { jobs } = await ok<{ jobs: { names: object }[] }>(
      `/faces/clusters?cache_dir=${encodeURIComponent(cache_dir)}`,
    );
    return total === names.length && Object.keys(jobs[0]?.names ?? {}).length > 0;
  };
  await until(hasAll, { within: SLOW_MS });
  const { media } = await ok<{ media: number }>('/analysis-data/load', { cache_dir });
  assert.ok(media === names.length, `${media}`);
}

interface Asked {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** By words, pictures and moments, with filters, people, exclusions, few of each file, and certainty. */
function questions({ footage }: World): Asked[] {
  const image_path = (at: number) => join(samples, stills[at % stills.length]!);
  const some = [films[0]!, 'forest-1.jpg', 'hills-3.jpg', 'beach-2.webp'].map((name) => join(footage, name));
  const limits = [
    {},
    { max_results: 7 },
    { max_results: 40, max_per_media: 1 },
    { max_results: 25, max_per_media: 2, explain: true },
    { metadata_filter_request: { scope: {}, filters: [{ facet_id: 'file.extension', values: ['jpg'] }] } },
    { people_filter: [{ cluster_job_name, person_name: 'Anna' }], max_results: 50 },
    { media_paths: some, search_all: false },
    { segments_to_frame_indices: { [some[0]!]: [[1, 4]] }, media_paths: some, search_all: false },
    { explain: true, min_band: 'likely' },
  ];
  const asked: Asked[] = [];
  for (const [at, query] of words.entries()) {
    for (const limit of limits) asked.push({ path: '/search/text', body: { query, ...limit } });
    const exclude = [words[(at + 3) % words.length]!];
    asked.push({ path: '/search/text', body: { query, exclude, max_results: 60, explain: at % 2 === 0 } });
    for (const limit of limits.slice(1, 7))
      asked.push({ path: '/search/image', body: { image_path: image_path(at), ...limit } });
    const both = { image_path: image_path(at), query, text_weight: 0.8 };
    asked.push({ path: '/search/image', body: { ...both, exclude, max_results: 30 } });
    const moment = { media_path: join(footage, films[at % 2]!), time_seconds: at % 3 };
    asked.push({ path: '/search/frame', body: { ...moment, max_results: 30 } });
    asked.push({ path: '/search/moments', body: { query, exclude, limit: 20, explain: true } });
    asked.push({ path: '/search/takes', body: { media_path: moment.media_path } });
    asked.push({
      path: '/search/relevance',
      body: { query, exclude, media_path: moment.media_path },
    });
  }
  return asked;
}

async function answer({ cacheDir: cache_dir, call }: Node, { path, body }: Asked): Promise<SearchAnswer> {
  const { status, body: found } = await call<SearchAnswer>(path, { cache_dir, ...body });
  assert.equal(status, 200, `${path} ${JSON.stringify(body)}: ${JSON.stringify(found)}`);
  return found;
}

async function compare(world: World, whole: Node, parts: readonly Node[]): Promise<void> {
  const all = questions(world);
  assert.ok(all.length >= 200, `${all.length}`);
  let matches = 0;
  for (const [at, asked] of all.entries()) {
    const [expected, found] = await Promise.all([whole, parts[at % 3]!].map((node) => answer(node, asked)));
    assert.deepEqual(found, expected, `${asked.path} ${JSON.stringify(asked.body)}`);
    matches += expected!.matches?.length ?? 0;
  }
  assert.ok(matches > 1000, `${matches}`);
}

async function away({ postgres, ...world }: World, whole: Node, first: Node): Promise<void> {
  const [asked] = questions({ postgres, ...world });
  const before = performance.now();
  const { toast_warning, matches } = await answer(first, asked!);
  assert.ok(performance.now() - before < ANSWERED_WITHIN);
  assert.match(toast_warning ?? '', /^\d+ s of pictures could not be searched/);
  assert.ok(matches.length > 0);
  assert.equal((await answer(whole, asked!)).toast_warning, undefined, 'it has everything itself');
  const admin = openAdmin(postgres.url, systemClock);
  try {
    await until(async () => (await admin.status()).missing_parts.join() === '2/3', { within: SLOW_MS });
  } finally {
    await admin.close();
  }
  const isCounted = async () => {
    const metrics = await (await fetch(`${first.address}/metrics`)).text();
    return metrics.includes('\nframehound_cluster_parts_missing 1\n');
  };
  await until(isCounted, { within: SLOW_MS });
}
