// A sequence of changes of people that is the same in every process: faces stored and forgotten, clustered,
// named, corrected and deleted. Each change is one that is seen whole or not at all.
import { createHash } from 'node:crypto';
import { EngineError } from '../../../../runtime/errors.ts';
import { seeded } from '../footage.ts';
import type { Harness } from '../handlers.ts';
import { type Cast, cluster, compactFaces, modelKey, people, storeFaces } from './faces.ts';

const hashes = ['aa', 'bb', 'cc', 'dd'];
const jobs = ['job', 'other'];

/** Ids of new faces: the same ones however often a change is begun. */
export class Ids {
  #change = 0;
  #count = 0;

  begin(change: number): void {
    this.#change = change;
    this.#count = 0;
  }

  readonly next = (): string => {
    const hex = createHash('sha256')
      .update(`${this.#change} ${this.#count++}`)
      .digest('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
      '-',
    );
  };
}

type Random = () => number;
const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

function castOf(random: Random): Cast {
  const frames = 1 + Math.floor(random() * 4);
  return Array.from({ length: frames }, () => [1, 2, 3, 4].filter(() => random() < 0.6));
}

async function store(index: Harness, cache_dir: string, random: Random): Promise<void> {
  const model_key = random() < 0.2 ? 'other+model' : modelKey;
  await storeFaces(index, cache_dir, pick(random, hashes), castOf(random), { model_key });
}

async function recluster(index: Harness, cache_dir: string, random: Random): Promise<void> {
  const eps = pick(random, [0.2, 0.2, 0.2, 1.2]);
  const chosen = hashes.filter(() => random() < 0.6);
  await cluster(index, cache_dir, chosen, { eps, clear_names: random() < 0.1 }, pick(random, jobs));
}

/** Names, merges, moves, takes back or deletes, whatever there is. */
async function correct(index: Harness, cache_dir: string, random: Random): Promise<void> {
  const cluster_job_name = pick(random, jobs);
  const job = { cache_dir, cluster_job_name };
  const what = random();
  if (what < 0.1) return void (await index.call('undo_clusters', job));
  if (what < 0.15) return void (await index.call('delete_people', { ...job, cluster_id: null }));
  if ((await index.call('cluster_job', job)).job === null) return;
  const { clusters } = await people(index, cache_dir, cluster_job_name);
  if (clusters.length === 0) return;
  const [one, two] = [pick(random, clusters), pick(random, clusters)];
  const { cluster_id } = one;
  if (what < 0.25) return void (await index.call('delete_people', { ...job, cluster_id }));
  if (what < 0.6) {
    const assignments = [{ cluster_id, name: pick(random, ['Ada', 'Ben', 'Cleo', '']) }];
    return void (await index.call('name_clusters', { ...job, assignments }));
  }
  const entry_ids = one.entry_ids.slice(0, 2);
  const move = { from_cluster_id: cluster_id, to_cluster_id: two.cluster_id, entry_ids };
  const merge = { cluster_ids: [cluster_id, two.cluster_id] };
  const asked = what < 0.8 ? { merges: [merge], moves: [] } : { merges: [], moves: [move] };
  await index.call('modify_clusters', { ...job, ...asked });
}

async function make(index: Harness, cache_dir: string, change: number): Promise<void> {
  const random = seeded(change * 7919 + 13);
  const what = random();
  if (change < 4) await storeFaces(index, cache_dir, hashes[change]!, castOf(random));
  else if (what < 0.25) await store(index, cache_dir, random);
  else if (what < 0.5) await recluster(index, cache_dir, random);
  else if (what < 0.9) await correct(index, cache_dir, random);
  else if (what < 0.95) await compactFaces(index, cache_dir);
  else await index.call('remove_media', { cache_dir, hashes: [pick(random, hashes)] });
}

/** One change; one that is refused, as there is nothing to change, changes nothing. */
export async function makeChange(index: Harness, cache_dir: string, ids: Ids, change: number): Promise<void> {
  ids.begin(change);
  try {
    await make(index, cache_dir, change);
  } catch (error) {
    if (!(error instanceof EngineError) || error.status >= 500) throw error;
  }
}

/** All that can be seen of people in a folder, as text. */
export async function seen(index: Harness, cache_dir: string): Promise<string> {
  const found = await index.call('cluster_jobs', { cache_dir });
  const shown = [];
  for (const { name, clustered_ms: _, ...job } of found.jobs) {
    const { clusters, noise } = await people(index, cache_dir, name);
    shown.push({ name, job, clusters, noise });
  }
  const models = [modelKey, 'other+model'];
  const faces = [];
  for (const model_key of models) {
    faces.push((await index.call('faces_stored', { cache_dir, model_key, hashes })).faces);
  }
  return JSON.stringify({ shown, unreadable: found.unreadable, faces });
}
