// Whatever is done to clusterings in a real folder, in whichever order: searches and facets say what they
// hold then.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { PeopleFilter, PersonRef } from '../../../../actors/index/people/contract.ts';
import { loadInSteps } from '../../../../actors/search/loaded-data.ts';
import { sampled } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { seeded } from '../footage.ts';
import { type Harness, indexActor, someFootage, store } from '../handlers.ts';
import { type Cast, cluster, modelKey, people, storeFaces } from './faces.ts';

const seconds = 8;
const jobs = ['one', 'two'];
const names = ['Ann', 'Ben', 'Cem'];

/** A face of a cluster, as its picture and its id say. */
interface Seen {
  readonly job: string;
  readonly cluster_id: string;
  readonly name: string;
  readonly entry: string;
  readonly hash: string;
  readonly frame: number;
}

class World {
  index!: Harness;
  readonly t: TestContext;
  readonly cache_dir: string;
  hashes = ['aa', 'bb', 'cc'];
  readonly #random: () => number;

  constructor(t: TestContext, seed: number) {
    this.t = t;
    this.cache_dir = temporaryFolder(t);
    this.#random = seeded(seed);
  }

  below(n: number): number {
    return Math.min(n - 1, Math.floor(this.#random() * n));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  async open(): Promise<void> {
    this.index = await indexActor(this.t);
    await this.load();
  }

  async load(): Promise<void> {
    const { index, cache_dir } = this;
    await index.load({ cache_dir, model_key: 'model', hashes: null });
    await loadInSteps(
      (load) => index.call('load_people', { cache_dir, load }),
      () => {},
    );
  }

  async make(): Promise<void> {
    this.index = await indexActor(this.t);
    for (const [seed, hash] of this.hashes.entries()) {
      await store(this.index, this.cache_dir, hash, someFootage(seconds, seed + 1));
      await this.look(hash);
    }
    for (const job of jobs) await this.cluster(job);
    await this.load();
  }

  /** Up to four of five people in each frame, in any order. */
  async look(hash: string): Promise<void> {
    const cast: Cast = Array.from({ length: seconds }, () =>
      [0, 1, 2, 3, 4].filter(() => this.#random() < 0.45).sort(() => this.#random() - 0.5),
    );
    await storeFaces(this.index, this.cache_dir, hash, cast);
  }

  async cluster(job: string): Promise<void> {
    // The second one takes any two faces for one person more easily.
    const eps = job === 'one' ? 0.2 : 0.6 + this.#random() * 0.4;
    await cluster(this.index, this.cache_dir, this.hashes, { eps, model_key: modelKey }, job);
  }

  async list(): Promise<Seen[]> {
    const { index, cache_dir } = this;
    const there = await index.call('cluster_jobs', { cache_dir });
    const all: Seen[] = [];
    for (const { name: job } of there.jobs) {
      const { clusters } = await people(index, cache_dir, job);
      for (const { cluster_id, name, shown, entry_ids, size } of clusters) {
        assert.equal(shown.length, size, 'every face has a picture');
        for (const [i, text] of shown.entries()) {
          const [hash, frame] = text.split(' ');
          all.push({ job, cluster_id, name, entry: entry_ids[i]!, hash: hash!, frame: Number(frame) });
        }
      }
    }
    return all;
  }

  /** One of the things that people do; what cannot be done at the moment is not. */
  async change(): Promise<string> {
    const { index, cache_dir } = this;
    const all = await this.list();
    assert.ok(all.length > 0);
    const { job: cluster_job_name, cluster_id: from } = this.pick(all);
    const own = all.filter(({ job }) => job === cluster_job_name);
    const to = this.pick(own).cluster_id;
    const request = { cache_dir, cluster_job_name };
    const moved = own.find(({ cluster_id }) => cluster_id === from)!.entry;
    const changes: Record<string, () => Promise<unknown>> = {
      name: () =>
        index.call('name_clusters', {
          ...request,
          assignments: [{ cluster_id: from, name: this.pick(['', ...names]) }],
        }),
      merge: async () =>
        from !== to &&
        index.call('modify_clusters', { ...request, merges: [{ cluster_ids: [from, to] }], moves: [] }),
      move: async () =>
        from !== to &&
        index.call('modify_clusters', {
          ...request,
          merges: [],
          moves: [{ from_cluster_id: from, to_cluster_id: to, entry_ids: [moved] }],
        }),
      undo: async () => {
        const { job } = await index.call('cluster_job', request);
        return job!.can_undo && index.call('undo_clusters', request);
      },
      recluster: () => this.cluster(cluster_job_name),
      'delete a person': () => index.call('delete_people', { ...request, cluster_id: from }),
      'analyse again': async () => {
        await this.look(this.pick(this.hashes));
        for (const job of new Set(all.map((one) => one.job))) await this.cluster(job);
      },
      restart: async () => {
        await index.close();
        await this.open();
      },
      load: () => this.load(),
    };
    const what = this.pick(Object.keys(changes));
    await changes[what]!();
    return `${what} ${cluster_job_name} ${from} ${to}`;
  }

  async found({ mode, people: asked }: PeopleFilter): Promise<string[]> {
    const frames: string[] = [];
    for (const hash of this.hashes)
      for (let frame = 0; frame < seconds; frame++) {
        const ranges = { [hash]: [[frame, frame + 1] as [number, number]] };
        const { matches } = await this.index.call('search', {
          ...{ cache_dir: this.cache_dir, model_key: 'model', text: someFootage(1, 9), picture: null },
          ...{ text_weight: 1, exclude: null, scope: { hashes: [hash], ranges, filters: [] } },
          ...{ max_results: 9, people: { mode, people: asked } },
        });
        if (matches.length > 0) frames.push(`${hash} ${frame}`);
      }
    return frames;
  }
}

/** Whether each has something of their own, by trying everything. */
function canChoose(choices: readonly (readonly string[])[], taken: readonly string[] = []): boolean {
  const [first, ...rest] = choices;
  if (first === undefined) return true;
  return first.some((one) => !taken.includes(one) && canChoose(rest, [...taken, one]));
}

function facesOf(all: readonly Seen[], { cluster_job_name: job, person_name, cluster_id }: PersonRef) {
  return all.filter(
    (one) =>
      one.job === job &&
      (person_name === undefined ? one.cluster_id === cluster_id : one.name === person_name),
  );
}

/** The frames that pass, each looked at by itself. */
function passing(world: World, all: readonly Seen[], { mode, people: asked }: PeopleFilter): string[] {
  const who = asked.map((ref) => {
    const { name, job, cluster_id } = facesOf(all, ref)[0]!;
    return name || `${job} ${cluster_id}`;
  });
  const isTwice = mode === 'and' && new Set(who).size < who.length;
  return world.hashes.flatMap((hash) =>
    Array.from({ length: seconds }, (_, frame) => frame)
      .filter((frame) => {
        const here = all.filter((one) => one.hash === hash && one.frame === frame);
        const faces = asked.map((ref) => facesOf(here, ref).map(({ entry }) => entry));
        return mode === 'or' ? faces.some(({ length }) => length > 0) : !isTwice && canChoose(faces);
      })
      .map((frame) => `${hash} ${frame}`),
  );
}

/** How many filters let some frames pass. */
async function compare(world: World, done: string): Promise<number> {
  const all = await world.list();
  let some = 0;
  for (let round = 0; round < 4 && all.length > 0; round++) {
    const asked = Array.from({ length: 1 + world.below(3) }, (): PersonRef => {
      const { job, cluster_id, name } = world.pick(all);
      return {
        cluster_job_name: job,
        ...(name !== '' && round % 2 ? { person_name: name } : { cluster_id }),
      };
    });
    const filter: PeopleFilter = { mode: world.pick(['and', 'and', 'or']), people: asked };
    const said = `${JSON.stringify(filter)} after ${done}`;
    const wanted = passing(world, all, filter);
    assert.deepEqual(await world.found(filter), wanted, said);
    if (wanted.length > 0) some++;
  }
  const scope = { mode: 'paths' as const, hashes: world.hashes };
  const { facets } = await world.index.call('facets', { cache_dir: world.cache_dir, scope, filters: [] });
  for (const job of new Set(all.map((one) => one.job))) {
    const { options } = facets.find(({ id }) => id === `people.${job}`)!;
    const counts = names.flatMap((name) => {
      const media = new Set(
        all.filter((one) => one.job === job && one.name === name).map(({ hash }) => hash),
      );
      return media.size > 0 ? [[name, media.size]] : [];
    });
    const told = options.map(({ value, count }) => [value, count]);
    assert.deepEqual(told.sort(), counts.sort(), `${job} after ${done}`);
  }
  return some;
}

for (const seed of sampled([1, 2], 2)) {
  test(`searches and facets follow whatever is done to clusterings, series ${seed}`, async (t) => {
    const world = new World(t, seed);
    await world.make();
    let some = await compare(world, 'the beginning');
    for (let step = 0; step < 25; step++) some += await compare(world, await world.change());
    assert.ok(some > 25, `only ${some} filters let anything pass`);
    await world.index.call('remove_media', { cache_dir: world.cache_dir, hashes: ['bb'] });
    world.hashes = ['aa', 'cc'];
    await compare(world, 'forgetting a film');
  });
}
