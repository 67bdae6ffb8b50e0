import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { peopleErrors } from '../../../../actors/index/people/contract.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { disk, type StoreDisk } from '../../../../actors/index/store/disk.ts';
import { Environment } from '../../../../actors/index/store/environment.ts';
import {
  clusteringKey,
  clusteringStateKey,
  databaseFile,
  encodeModelKey,
  faceFactsKey,
  faceModelKey,
  facePlacesKey,
} from '../../../../actors/index/store/names.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { type Harness, indexActor } from '../handlers.ts';
import { cluster, compactFaces, modelKey, people, rollsIn, storeFaces } from './faces.ts';

const model = encodeModelKey(modelKey);

/** Two clusterings of two media, closed. */
async function library(t: TestContext): Promise<string> {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'aa', [
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
  await storeFaces(index, cache_dir, 'bb', [[1], [1], [2]]);
  await cluster(index, cache_dir, ['aa', 'bb']);
  await cluster(index, cache_dir, ['bb'], {}, 'other');
  await index.close();
  return cache_dir;
}

async function flipRecord(cache_dir: string, key: string): Promise<void> {
  const environment = Environment.open(databaseFile(cache_dir), 'write');
  environment.transact((writes) => {
    const bytes = Uint8Array.from(writes.get(key)!);
    bytes[bytes.length >> 1]! ^= 1;
    writes.put(key, bytes);
  });
  await environment.close();
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

const rollIn = (cache_dir: string) => rollsIn(cache_dir)[0]!;

const stored = async (index: Harness, cache_dir: string) =>
  (await index.call('faces_stored', { cache_dir, model_key: modelKey, hashes: ['aa', 'bb'] })).faces;

test('a flipped bit in a record of faces costs that content until it is analysed again', async (t) => {
  for (const keyOf of [faceFactsKey, facePlacesKey]) {
    const cache_dir = await library(t);
    await flipRecord(cache_dir, keyOf(model, 'aa'));
    const index = await indexActor(t);
    assert.deepEqual(await stored(index, cache_dir), [null, 3]);
    const { begun, report } = await cluster(index, cache_dir, []);
    assert.deepEqual([begun.unreadable, begun.before, report.faces], [['aa'], null, 3]);
    await storeFaces(index, cache_dir, 'aa', [
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    assert.deepEqual(await stored(index, cache_dir), [6, 3]);
    assert.equal((await cluster(index, cache_dir, [])).report.faces, 9);
    await index.close();
  }
});

test('a flipped bit in the record of the models costs nothing', async (t) => {
  const cache_dir = await library(t);
  await flipRecord(cache_dir, faceModelKey(modelKey));
  const index = await indexActor(t);
  await storeFaces(index, cache_dir, 'cc', [[1], [2]]);
  assert.deepEqual(await stored(index, cache_dir), [6, 3]);
  assert.equal((await cluster(index, cache_dir, ['cc'])).report.faces, 11);
  assert.equal((await people(index, cache_dir)).clusters.flatMap(({ shown }) => shown).length, 11);
});

test('a flipped bit in a picture costs that picture and is told with its media', async (t) => {
  const cache_dir = await library(t);
  const roll = readFileSync(rollIn(cache_dir)).indexOf('display aa 1');
  flip(rollIn(cache_dir), roll);
  const index = await indexActor(t);
  const { clusters } = await people(index, cache_dir);
  assert.equal(clusters.flatMap(({ shown }) => shown).length, 8);
  assert.deepEqual(
    index.lines.map(({ fields }) => fields?.['hash']),
    ['aa'],
  );
});

test('a clustering that is damaged is told by name, the others are whole, and media given again make it anew', async (t) => {
  for (const keyOf of [clusteringKey, clusteringStateKey]) {
    const cache_dir = await library(t);
    await flipRecord(cache_dir, keyOf('job'));
    const index = await indexActor(t);
    const { jobs, unreadable } = await index.call('cluster_jobs', { cache_dir });
    assert.deepEqual([jobs.map(({ name }) => name), unreadable], [['other'], ['job']]);
    await assert.rejects(people(index, cache_dir), storeErrors.STORE_DAMAGED.is);
    await assert.rejects(cluster(index, cache_dir, []), storeErrors.STORE_DAMAGED.is);
    assert.equal((await cluster(index, cache_dir, ['aa', 'bb'])).report.clusters, 2);
    assert.deepEqual((await index.call('cluster_jobs', { cache_dir })).unreadable, []);
    await flipRecord(cache_dir, keyOf('job'));
    const request = { cache_dir, cluster_job_name: 'job', cluster_id: null };
    assert.equal((await index.call('delete_people', request)).jobs, 1);
    assert.equal((await index.call('cluster_jobs', { cache_dir })).jobs.length, 1);
    await index.close();
  }
});

test('columns that are cut or changed are damage that names the file, and the next clustering replaces them', async (t) => {
  for (const harm of ['cut', 'flip', 'remove'] as const) {
    const cache_dir = await library(t);
    const reading = new Store(cache_dir);
    const { file } = reading.people.stored.get('job')!;
    await reading.close();
    const path = join(cache_dir, 'people', file);
    if (harm === 'cut') truncateSync(path, 100);
    else if (harm === 'remove') rmSync(path);
    else flip(path, 60);
    const index = await indexActor(t);
    await assert.rejects(people(index, cache_dir), (error) => {
      return storeErrors.STORE_DAMAGED.is(error) && error.message.includes(file);
    });
    assert.equal((await people(index, cache_dir, 'other')).clusters.length, 1);
    assert.equal((await cluster(index, cache_dir, [])).report.faces, 9);
    assert.equal((await people(index, cache_dir)).clusters.length, 2);
    await index.close();
  }
});

test('a crash at any write of a clustering leaves the one before or the new one', async (t) => {
  const whole = await library(t);
  for (let limit = 0; limit < 6; limit++) {
    const cache_dir = temporaryFolder(t);
    cpSync(whole, cache_dir, { recursive: true });
    let left = limit;
    const on: StoreDisk = {
      write: (fd, bytes, position) => {
        if (left-- <= 0) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        return disk.write(fd, bytes, position);
      },
      flush: (fd) => {
        if (left-- <= 0) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        disk.flush(fd);
      },
    };
    const index = await indexActor(t, { on });
    const clustered = await cluster(index, cache_dir, [], { eps: 1.9 }).catch(() => null);
    const expected = clustered === null ? 2 : 1;
    assert.equal((await people(index, cache_dir)).clusters.length, expected);
    await index.close();
    const again = await indexActor(t);
    assert.equal((await cluster(again, cache_dir, [], { eps: 1.9 })).report.clusters, 1);
    const files = readdirSync(join(cache_dir, 'people')).filter((name) => name.endsWith('.columns'));
    assert.equal(files.length, 2);
    await again.close();
  }
});

test('a clustering is refused when its faces or its corrections changed since it was begun', async (t) => {
  const cache_dir = await library(t);
  const index = await indexActor(t);
  const request = {
    cache_dir,
    cluster_job_name: 'job',
    model_key: modelKey,
    hashes: [],
    eps: 0.2,
    min_samples: 2,
  };
  const changes: (() => Promise<unknown>)[] = [
    () =>
      storeFaces(index, cache_dir, 'aa', [
        [1, 2],
        [1, 2],
        [1, 2],
      ]),
    () => cluster(index, cache_dir, []),
    () => index.call('delete_people', { cache_dir, cluster_job_name: 'job', cluster_id: null }),
  ];
  for (const change of changes) {
    const { clustering, entries } = await index.call('begin_clustering', request);
    await change();
    const found = { labels: new Int32Array(entries), neighbours: new Int32Array(entries) };
    const committed = index.call('commit_clustering', { clustering, ...found, eps: 0.2, clear_names: false });
    await assert.rejects(committed, peopleErrors.CLUSTERING_CHANGED.is);
    await index.call('end_clustering', { clustering });
  }
});

test('what does not change a clustering does not refuse it: other media, names, compactions', async (t) => {
  const cache_dir = await library(t);
  const index = await indexActor(t, { leastDeadFaces: 1 });
  const request = {
    cache_dir,
    cluster_job_name: 'job',
    model_key: modelKey,
    hashes: [],
    eps: 0.2,
    min_samples: 2,
  };
  const { clustering, entries, before } = await index.call('begin_clustering', request);
  for (let round = 0; round < 3; round++)
    await storeFaces(index, cache_dir, 'cc', [
      [5, 6, 7],
      [5, 6, 7],
    ]);
  const assignments = [{ cluster_id: 'c1', name: 'Ada' }];
  await index.call('name_clusters', { cache_dir, cluster_job_name: 'job', assignments });
  await compactFaces(index, cache_dir);
  const { vectors } = await index.call('clustering_vectors', { clustering, from: 0, most: entries });
  assert.ok(vectors.some((value) => value !== 0));
  const { labels, neighbours } = before!;
  const found = { labels, neighbours, eps: 0.2, clear_names: false };
  const { names } = await index.call('commit_clustering', { clustering, ...found });
  assert.deepEqual(names.toSorted(), ['', 'Ada']);
});
