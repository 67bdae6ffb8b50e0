// A service that is killed (SIGKILL to guardian and engine) while requests of every kind that write are under
// way: after the next start, what was answered is there, once, and what was not is there whole or not at all.
import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { facesModels, yunetWeights } from '../actors/faces/stand-in-embedder.ts';
import { sharedPath, skipWithout } from '../shared.ts';
import { type Home, newHome, SLOW_MS } from '../system/command-line.ts';
import { type GuardedService, startGuarded } from '../system/guarded-service.ts';
import { until } from '../until.ts';

const KILLS = Number(process.env['FRAMEHOUND_TEST_KILLS'] ?? 200);
const SEED = Number(process.env['FRAMEHOUND_TEST_SEED'] ?? 7);

/** Limit of requests of one kind between two kills. */
const MOST_WRITES = 10_000;

const signers = sharedPath('media/faces/signers');
const skip = skipWithout('media/faces', yunetWeights);

type Entry = readonly [key: string, value: string];

/** Records that requests of one kind make, change and remove. */
interface Register {
  readonly name: string;
  readonly keys: readonly string[];
  readonly values: readonly string[];
  /** Resolves when the entry has this value. */
  put(key: string, value: string): Promise<unknown>;
  remove?(key: string): Promise<unknown>;
  read(): Promise<Entry[]>;
  /** Work that tasks do, one after the other. */
  readonly isTask?: true;
}

/** Media and folders of the test; `service` is replaced at each start. */
interface World {
  readonly home: Home;
  readonly cache_dir: string;
  readonly films: readonly string[];
  service: GuardedService;
}

const values = ['v1', 'v2', 'v3'];
const at = (world: World, ...names: string[]) => join(world.home.folder, ...names);
const ok = <T>(world: World, path: string, body?: unknown, method?: string) =>
  world.service.ok<T>(path, body, method);

/** Sends a request that may answer 201. */
async function send(world: World, path: string, body: unknown, method: string): Promise<void> {
  const { status, body: answer } = await world.service.ask(path, body, method);
  assert.ok(status < 300, `${path} ${status}: ${JSON.stringify(answer)}`);
}

interface TaskState {
  readonly state: string;
  readonly results: readonly { readonly error: { readonly code: string } | null }[];
}

/** Forces a file that is quarantined because it was alone in two crashes. */
async function runTask(world: World, path: string, body: object): Promise<void> {
  let isQuarantined = false;
  const { task_id } = await ok<{ task_id: string }>(world, path, { cache_dir: world.cache_dir, ...body });
  const isDone = async () => {
    const task = await ok<TaskState>(world, `/tasks/${task_id}`);
    isQuarantined = task.results.some(({ error }) => error?.code === 'QUARANTINED');
    const isWell = isQuarantined || ['completed', 'running', 'queued'].includes(task.state);
    assert.ok(isWell, `${JSON.stringify(body)}: ${JSON.stringify(task)}`);
    return task.state === 'completed' || task.state === 'failed';
  };
  await until(isDone, { within: SLOW_MS });
  if (isQuarantined) await runTask(world, path, { ...body, force: true });
}

/** Things of the home folder that have an id: their names hold key and value, `k1 v2`. */
function named(
  world: World,
  name: string,
  path: string,
  ids: { list: string; id: string },
  more: object,
): Register {
  const all = async () => (await ok<Record<string, Record<string, string>[]>>(world, path))[ids.list]!;
  const find = async (key: string) => (await all()).find((entry) => entry['name']!.startsWith(`${key} `));
  return {
    name,
    keys: ['k1', 'k2', 'k3'],
    values,
    read: async () => (await all()).map((entry) => entry['name']!.split(' ') as unknown as Entry),
    put: async (key, value) => {
      const stored = await find(key);
      const body = { name: `${key} ${value}` };
      if (!stored) return send(world, path, { ...body, ...more }, 'POST');
      const version = 'version' in stored ? { version: stored['version'] } : {};
      return send(world, `${path}/${stored[ids.id]}`, { ...body, ...version }, 'PUT');
    },
    remove: async (key) => {
      const stored = await find(key);
      if (stored) await send(world, `${path}/${stored[ids.id]}`, undefined, 'DELETE');
    },
  };
}

function roots(world: World): Register {
  const folder = (key: string, value: string) => at(world, 'roots', key, value);
  const all = async () => (await ok<{ roots: { name: string; folder: string }[] }>(world, '/roots')).roots;
  return {
    name: 'roots',
    keys: ['r1', 'r2'],
    values,
    read: async () => (await all()).map((root) => [root.name, basename(root.folder)]),
    put: async (key, value) => {
      mkdirSync(folder(key, value), { recursive: true });
      const isThere = (await all()).some(({ name }) => name === key);
      if (isThere) await send(world, `/roots/${key}`, { folder: folder(key, value) }, 'PUT');
      else await send(world, '/roots', { name: key, folder: folder(key, value) }, 'POST');
    },
    remove: async (key) => {
      if ((await all()).some(({ name }) => name === key))
        await send(world, `/roots/${key}`, undefined, 'DELETE');
    },
  };
}

function webhooks(world: World): Register {
  interface Hook {
    readonly webhook_id: string;
    readonly url: string;
  }
  const all = async () => (await ok<{ webhooks: Hook[] }>(world, '/webhooks')).webhooks;
  const url = (key: string) => `http://127.0.0.1:9/${key}`;
  const find = async (key: string) => (await all()).find((hook) => hook.url === url(key));
  return {
    name: 'webhooks',
    keys: ['w1', 'w2'],
    values: ['there'],
    read: async () => (await all()).map((hook) => [basename(hook.url), 'there']),
    put: async (key) => {
      const events = ['search.hit'];
      if (!(await find(key))) await send(world, '/webhooks', { url: url(key), events }, 'POST');
    },
    remove: async (key) => {
      const stored = await find(key);
      if (stored) await send(world, `/webhooks/${stored.webhook_id}`, undefined, 'DELETE');
    },
  };
}

function watchFolders(world: World): Register {
  interface Folder {
    readonly id: string;
    readonly folder_path: string;
    readonly excluded_extensions: readonly string[];
  }
  const all = async () => (await ok<{ watch_folders: Folder[] }>(world, '/watch-folders')).watch_folders;
  const find = async (key: string) => (await all()).find((folder) => basename(folder.folder_path) === key);
  return {
    name: 'watch folders',
    keys: ['f1', 'f2'],
    values,
    read: async () =>
      (await all()).map((folder) => [basename(folder.folder_path), folder.excluded_extensions[0]!.slice(1)]),
    put: async (key, value) => {
      const folder_path = at(world, 'watched', key);
      mkdirSync(folder_path, { recursive: true });
      const stored = await find(key);
      const body = { excluded_extensions: [value] };
      if (stored) await send(world, `/watch-folders/${stored.id}`, body, 'PUT');
      else await send(world, '/watch-folders', { ...body, folder_path, cache_dir: world.cache_dir }, 'POST');
    },
    remove: async (key) => {
      const stored = await find(key);
      if (stored) await send(world, `/watch-folders/${stored.id}`, undefined, 'DELETE');
    },
  };
}

/** Speakers of a transcript. */
async function speakers(world: World): Promise<Register> {
  const { cache_dir, films } = world;
  const media_paths = [films[0]!];
  interface Spoken {
    readonly hash_str: string;
    readonly speakers: Readonly<Record<string, { readonly display_name?: string; readonly name?: string }>>;
  }
  const spoken = async () => {
    const path = '/transcriptions';
    const answer = await ok<{ transcription_data: Record<string, Spoken> }>(world, path, {
      cache_dir,
      media_paths,
    });
    return Object.values(answer.transcription_data)[0]!;
  };
  const { hash_str, speakers: voices } = await spoken();
  const put = (speaker: string, name: string) =>
    send(world, '/transcriptions/speakers', { cache_dir, hash_str, assignments: [{ speaker, name }] }, 'PUT');
  return {
    name: 'names of speakers',
    keys: Object.keys(voices),
    values,
    put,
    read: async () =>
      Object.entries((await spoken()).speakers).flatMap(([id, { display_name, name = display_name }]) =>
        name === undefined ? [] : [[id, name] as const],
      ),
  };
}

interface Cluster {
  readonly cluster_id: string;
  readonly name: string;
}

async function clusters({ service, cache_dir }: World, cluster_job_name: string): Promise<Cluster[]> {
  const body = { cache_dir, cluster_job_name, limit_per_cluster: 1 };
  return (await service.ok<{ clusters: Cluster[] }>('/faces/clusters/samples', body)).clusters;
}

async function people(world: World): Promise<Register> {
  const { cache_dir } = world;
  const put = (cluster_id: string, name: string | null) =>
    send(
      world,
      '/faces/clusters/names',
      { cache_dir, cluster_job_name: 'named', assignments: [{ cluster_id, name }] },
      'PUT',
    );
  return {
    name: 'names of people',
    keys: (await clusters(world, 'named')).map(({ cluster_id }) => cluster_id),
    values,
    put,
    remove: (key) => put(key, null),
    read: async () =>
      (await clusters(world, 'named')).flatMap(({ cluster_id, name }) =>
        name === '' ? [] : [[cluster_id, name] as const],
      ),
  };
}

/** A merge of two people, and its undoing. */
async function corrections(world: World): Promise<Register> {
  const body = { cache_dir: world.cache_dir, cluster_job_name: 'corrected' };
  const before = await clusters(world, 'corrected');
  const cluster_ids = before.slice(0, 2).map(({ cluster_id }) => cluster_id);
  const isMerged = async () => (await clusters(world, 'corrected')).length < before.length;
  return {
    name: 'corrections of people',
    keys: ['merge'],
    values: ['done'],
    put: async () => {
      if (!(await isMerged()))
        await send(world, '/faces/clusters/modify', { ...body, merges: [{ cluster_ids }] }, 'POST');
    },
    remove: async () => {
      if (await isMerged()) await send(world, '/faces/clusters/undo', body, 'POST');
    },
    read: async () => ((await isMerged()) ? [['merge', 'done']] : []),
  };
}

interface Listed {
  readonly media_path: string;
  readonly results: unknown;
}

async function library({ service, cache_dir }: World): Promise<Listed[]> {
  return (await service.ok<{ media: Listed[] }>('/library/list', { cache_dir })).media;
}

/** Analyses, and what forgets them. */
function analyses(world: World): Register {
  const films = world.films.slice(1, 4);
  const path = (key: string) => films.find((film) => basename(film) === key)!;
  return {
    name: 'analyses',
    keys: films.map((film) => basename(film)),
    values: ['analysed'],
    isTask: true,
    put: (key) => runTask(world, '/analyze', { visual_media_paths: [path(key)] }),
    remove: async (key) => {
      const isThere = (await library(world)).some(({ media_path }) => media_path === path(key));
      const body = { cache_dir: world.cache_dir, media_paths: [path(key)] };
      if (isThere) await send(world, '/library/forget', body, 'POST');
    },
    // A file whose analysis was cut short is known, but nothing is stored of it.
    read: async () => {
      const { cache_dir } = world;
      await ok(world, '/analysis-data/load', { cache_dir });
      const media_paths = films;
      const { media_properties } = await ok<{
        media_properties: Record<string, { video_cached: boolean }>;
      }>(world, '/media/metadata', { cache_dir, media_paths });
      return films.flatMap((film) =>
        media_properties[film]!.video_cached ? [[basename(film), 'analysed'] as const] : [],
      );
    },
  };
}

/** One file that is renamed on the disk, and then in the library. */
function moves(world: World): Register {
  const film = world.films[4]!;
  const places = values.map((value) => join(dirname(film), value, basename(film)));
  const listed = async () =>
    (await library(world))
      .map(({ media_path }) => media_path)
      .filter((path) => basename(path) === basename(film));
  return {
    name: 'moves',
    keys: ['file'],
    values,
    put: async (_, value) => {
      const [from = ''] = await listed();
      const to = join(dirname(film), value, basename(film));
      for (const place of places) mkdirSync(dirname(place), { recursive: true });
      for (const place of [film, ...places]) {
        if (place !== to && readdirSync(dirname(place)).includes(basename(film))) renameSync(place, to);
      }
      if (from !== to) await send(world, '/library/move', { cache_dir: world.cache_dir, from, to }, 'POST');
    },
    read: async () =>
      (await listed()).flatMap((path) => (path === film ? [] : [['file', basename(dirname(path))] as const])),
  };
}

function summaries(world: World): Register {
  const { cache_dir, films } = world;
  interface Summary {
    readonly summary_ref: string;
    readonly analysis_name: string;
  }
  const all = async () =>
    (await ok<{ summaries: Summary[] }>(world, '/summaries/list', { cache_dir, media_paths: [films[0]] }))
      .summaries;
  return {
    name: 'summaries',
    keys: ['s1', 's2'],
    values: ['written'],
    isTask: true,
    put: (analysis_name) =>
      runTask(world, '/analyze', {
        summary_requests: [{ path: films[0], analysis_name, collection: 'Kills', replace_existing: true }],
      }),
    remove: async (key) => {
      const stored = (await all()).find(({ analysis_name }) => analysis_name === key);
      if (stored)
        await send(world, '/summaries/delete', { cache_dir, summary_refs: [stored.summary_ref] }, 'POST');
    },
    read: async () => (await all()).map(({ analysis_name }) => [analysis_name, 'written']),
  };
}

/**
 * Files in a folder. All have the same length (a container has an id of its own, so their bytes differ) or,
 * where `end` is given, that end: what a sidecar says changes with the names of speakers.
 */
function exported(
  world: World,
  name: string,
  write: (folder: string, key: string) => Promise<unknown>,
  end: RegExp | null = null,
): Register {
  const folder = at(world, 'exports', name);
  mkdirSync(folder, { recursive: true });
  let next = 0;
  let answered = 0;
  let whole: number | undefined;
  return {
    name,
    keys: ['next'],
    values: ['whole'],
    put: async () => {
      await write(folder, `${name}-${next++}`);
      answered++;
    },
    read: async () => {
      // The next export that finds a part without a writer removes it.
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && !entry.name.endsWith('.part'),
      );
      assert.ok(
        files.length >= answered || name === 'sidecars',
        `${answered} of ${name} were answered, ${files.length} are there`,
      );
      for (const { parentPath, name: file } of files) {
        const path = join(parentPath, file);
        if (end) assert.match(readFileSync(path, 'utf8'), end, file);
        whole ??= statSync(path).size;
        if (!end) assert.equal(statSync(path).size, whole, file);
      }
      return [['next', 'whole']];
    },
  };
}

function exports(world: World): Register[] {
  const [media_path = ''] = world.films;
  const { cache_dir } = world;
  const segments = Array.from({ length: 200 }, (_, i) => [i, `Line ${i}`, i + 1, 'Anna']);
  const item = { media_path, source_start_seconds: 0, source_end_seconds: 1, track: 'video' };
  return [
    exported(world, 'clips', (output_dir, output_name) =>
      ok(world, '/export/clips', {
        output_dir,
        mode: 'copy',
        clips: [{ media_path, start_seconds: 0, end_seconds: 1, output_name }],
      }),
    ),
    exported(world, 'transcripts', (output_dir, display_name) =>
      ok(world, '/export/transcript', { segments, format: 'srt', display_name, output_dir }),
    ),
    exported(world, 'timelines', (folder, key) =>
      ok(world, '/export/premiere-xml', { items: [item], output_path: join(folder, `${key}.xml`) }),
    ),
    exported(
      world,
      'sidecars',
      (output_dir) =>
        ok(world, '/export/sidecars', { cache_dir, media_paths: [media_path], formats: ['xmp'], output_dir }),
      /<\/x:xmpmeta>\s*(<\?xpacket end="w"\?>)?\s*$/,
    ),
  ];
}

async function createWorld(): Promise<World> {
  const home = newHome();
  await facesModels(join(home.folder, 'home', 'models'));
  mkdirSync(join(home.folder, 'films'));
  const films = readdirSync(signers)
    .slice(0, 8)
    .map((name) => join(home.folder, 'films', name));
  for (const film of films) copyFileSync(join(signers, basename(film)), film);
  const said = 'WEBVTT\n\n00:00.000 --> 00:00.500\n<v Ann>One.\n\n00:00.600 --> 00:01.000\n<v Bob>Two.\n';
  writeFileSync(`${films[0]!.replace(/\.\w+$/, '')}.vtt`, said);
  return { home, cache_dir: join(home.folder, 'analysis'), films, service: await startGuarded(home) };
}

async function prepare(world: World): Promise<Register[]> {
  const { films } = world;
  await world.service.modelReady();
  const clustering = (cluster_job_name: string) => ({
    cluster_job_name,
    // Forgetting a film removes its faces.
    face_media_paths: [films[0], ...films.slice(5)],
    face_min_samples: 2,
  });
  await runTask(world, '/analyze', {
    visual_media_paths: films,
    transcription_jobs: [{ path: films[0], detect_speakers: false }],
    face_clustering_jobs: [clustering('named'), clustering('corrected')],
  });
  await ok(world, '/analysis-data/load', { cache_dir: world.cache_dir });
  return [
    named(world, 'lists', '/lists', { list: 'lists', id: 'list_id' }, { items: [] }),
    named(
      world,
      'saved searches',
      '/searches/saved',
      { list: 'searches', id: 'search_id' },
      { request: { cache_dir: world.cache_dir, query: 'red' } },
    ),
    roots(world),
    webhooks(world),
    watchFolders(world),
    await speakers(world),
    await people(world),
    await corrections(world),
    analyses(world),
    moves(world),
    summaries(world),
    ...exports(world),
  ];
}

/** Numbers from 0 to 1, the same ones for the same seed. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Content that a register should have: entries that were answered, and the request that was not. */
interface Belief {
  readonly register: Register;
  entries: Map<string, string>;
  pending: { readonly key: string; readonly value: string | null } | null;
  written: number;
}

async function write(belief: Belief, pick: <T>(of: readonly T[]) => T): Promise<void> {
  const { register, entries } = belief;
  const key = pick(register.keys);
  const isRemoved = register.remove !== undefined && entries.has(key) && pick([true, false, false]);
  const value = isRemoved ? null : pick(register.values);
  belief.pending = { key, value };
  if (value === null) {
    await register.remove!(key);
    entries.delete(key);
  } else {
    await register.put(key, value);
    entries.set(key, value);
  }
  belief.pending = null;
  belief.written++;
}

/** Answers what is wrong, and believes what there is from now on. */
async function compare(belief: Belief): Promise<string[]> {
  const { register, entries, pending } = belief;
  const read = await register.read();
  const stored = new Map(read);
  const wrong: string[] = [];
  if (stored.size < read.length) wrong.push(`doubled: ${read.map(([key]) => key)}`);
  for (const key of new Set([...entries.keys(), ...stored.keys()])) {
    const [before, now] = [entries.get(key), stored.get(key)];
    if (before === now || (pending?.key === key && (pending.value ?? undefined) === now)) continue;
    wrong.push(`${key}: ${before ?? 'nothing'} was answered, ${now ?? 'nothing'} is there`);
  }
  belief.entries = stored;
  belief.pending = null;
  return wrong.map((what) => `${register.name}: ${what}`);
}

/** Writes until the connection breaks. Every other error fails the test. */
async function writeOn(beliefs: readonly Belief[], pick: <T>(of: readonly T[]) => T, isOver: () => boolean) {
  for (let written = 0; written < MOST_WRITES && !isOver(); written++) {
    try {
      await write(pick(beliefs), pick);
    } catch (error) {
      if (isOver() && /ECONN|socket hang up|EPIPE/.test(String(error))) return;
      throw error;
    }
  }
}

/** Kills when some more requests of one kind, chosen at random, have been answered. */
async function killOnce(world: World, beliefs: readonly Belief[], next: () => number): Promise<void> {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)]!;
  const target = pick(beliefs);
  const enough = target.written + pick([0, 1, 2]);
  let isOver = false;
  const tasks = beliefs.filter(({ register }) => register.isTask);
  const writers = [tasks, ...beliefs.filter(({ register }) => !register.isTask).map((belief) => [belief])];
  const work = Promise.all(writers.map((some) => writeOn(some, pick, () => isOver)));
  await Promise.race([work, until(() => target.written >= enough, { within: SLOW_MS })]);
  isOver = true;
  process.kill(world.service.engine, 'SIGKILL');
  await world.service.stop('SIGKILL');
  await work;
}

test('requests of every kind that write are whole or not there after a kill', {
  skip,
}, async (t: TestContext) => {
  const world = await createWorld();
  t.after(() => world.service.end());
  const beliefs: Belief[] = [];
  for (const register of await prepare(world))
    beliefs.push({ register, entries: new Map(await register.read()), pending: null, written: 0 });
  const next = random(SEED);
  const wrong: string[] = [];
  let unanswered = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await killOnce(world, beliefs, next);
    unanswered += beliefs.filter(({ pending }) => pending !== null).length;
    world.service = await startGuarded(world.home);
    await world.service.modelReady();
    const { tasks } = await ok<{ tasks: { task_id: string; state: string }[] }>(world, '/tasks');
    for (const { task_id, state } of tasks)
      if (state === 'running' || state === 'stopping')
        wrong.push(`kill ${kill}: task ${task_id} is ${state}`);
    for (const belief of beliefs)
      wrong.push(...(await compare(belief)).map((what) => `kill ${kill}: ${what}`));
  }
  assert.deepEqual(wrong, []);
  const home = at(world, 'home');
  const isPart = (name: string | Buffer) => /\.part$/.test(String(name));
  // A service looks for them a while after its start.
  await until(() => !readdirSync(home, { recursive: true }).some(isPart), { within: SLOW_MS });
  const written = beliefs.map(({ register, written: count }) => `${register.name} ${count}`);
  t.diagnostic(`${KILLS} kills, ${unanswered} requests without an answer; written: ${written.join(', ')}`);
});
