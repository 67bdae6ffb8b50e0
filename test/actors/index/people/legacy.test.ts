import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type PersonRef, peopleErrors } from '../../../../actors/index/people/contract.ts';
import type { LegacyClustering, LegacyFace } from '../../../../actors/index/people/legacy.ts';
import { Environment } from '../../../../actors/index/store/environment.ts';
import { clusteringKey, clusteringStateKey, databaseFile } from '../../../../actors/index/store/names.ts';
import { Clustering, ClusteringState } from '../../../../actors/index/store/records.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { seal } from '../../../../actors/index/store/table.ts';
import { loadInSteps } from '../../../../actors/search/load-in-steps.ts';
import { mediaRecord } from '../footage.ts';
import { folder, indexActor, someFootage, store } from '../handlers.ts';
import { cluster, jpeg, modelKey, people, storeFaces } from './faces.ts';

const cluster_job_name = 'old';

const faceOf = (hash: string, frame: number, person: number): LegacyFace => ({
  id: `00000000-0000-4000-8000-${String(frame * 10 + person).padStart(12, '0')}`,
  hash,
  frame,
  jpeg: Buffer.from(jpeg(`display ${hash} ${frame} ${person}`)).toString('base64'),
});

/** A folder as an earlier version left it. */
async function legacyFolder(t: TestContext): Promise<string> {
  const cache_dir = folder(t);
  const writer = new Store(cache_dir);
  writer.media.remember(mediaRecord('aa'));
  writer.media.remember(mediaRecord('bb'));
  await writer.close();
  const old: LegacyClustering = {
    model_key: modelKey,
    eps: 0.5,
    min_samples: 3,
    clustered_ms: 1,
    names: { c2: 'Ben' },
    clusters: [
      { id: 'c1', faces: [faceOf('aa', 0, 1), faceOf('aa', 1, 1), faceOf('bb', 5, 1)] },
      { id: 'c2', faces: [faceOf('aa', 0, 2)] },
    ],
    noise: [faceOf('aa', 3, 3)],
  };
  const environment = Environment.open(databaseFile(cache_dir), 'write');
  const [key, stateKey] = [clusteringKey(cluster_job_name), clusteringStateKey(cluster_job_name)];
  environment.transact((writes) => {
    const head = { name: cluster_job_name, format: 1, revision: 7, file: '' };
    writes.put(key, seal(Clustering, key, head));
    writes.put(stateKey, seal(ClusteringState, stateKey, { state_json: JSON.stringify(old) }));
  });
  await environment.close();
  return cache_dir;
}

test('a clustering of format 1 is listed, shown and named', async (t) => {
  const cache_dir = await legacyFolder(t);
  const index = await indexActor(t);
  const assignments = [{ cluster_id: 'c1', name: 'Ada' }];
  const named = await index.call('name_clusters', { cache_dir, cluster_job_name, assignments });
  assert.deepEqual(named.changes, { c1: 'Ada' });
  const { clusters, noise, job } = await people(index, cache_dir, cluster_job_name);
  assert.deepEqual(
    clusters.map(({ cluster_id, name, size, shown }) => [cluster_id, name, size, shown]),
    [
      ['c1', 'Ada', 3, ['aa 0 1', 'aa 1 1', 'bb 5 1']],
      ['c2', 'Ben', 1, ['aa 0 2']],
    ],
  );
  assert.deepEqual(noise.shown, ['aa 3 3']);
  const { face_storage_version, total_entries, media_hashes, can_undo } = job;
  assert.deepEqual(
    [face_storage_version, total_entries, media_hashes, can_undo],
    [1, 5, ['aa', 'bb'], false],
  );
  const seen = await index.call('appearances', { cache_dir, cluster_job_name, clusters: ['c1'] });
  assert.deepEqual(
    seen.people[0]!.media.map(({ media_path, ranges }) => [media_path, ranges]),
    [
      ['/footage/aa.mp4', [[0, 2]]],
      ['/footage/bb.mp4', [[5, 6]]],
    ],
  );
});

test('a clustering of format 1 is refused for everything else, and others are written beside it', async (t) => {
  const cache_dir = await legacyFolder(t);
  const index = await indexActor(t);
  const request = { cache_dir, cluster_job_name };
  const merges = [{ cluster_ids: ['c1', 'c2'] }];
  const begin = { ...request, model_key: modelKey, eps: 0.2, min_samples: 2 };
  const refused = [
    index.call('modify_clusters', { ...request, merges, moves: [] }),
    index.call('undo_clusters', request),
    index.call('delete_people', { ...request, cluster_id: 'c1' }),
    index.call('delete_people', { ...request, cluster_id: null }),
    index.call('begin_clustering', { ...begin, hashes: [] }),
    index.call('begin_clustering', { ...begin, hashes: ['aa'] }),
  ];
  for (const one of refused) await assert.rejects(one, peopleErrors.LEGACY_STORAGE.is);
  await storeFaces(index, cache_dir, 'aa', [[1], [1]]);
  await cluster(index, cache_dir, ['aa'], {}, 'new');
  const { jobs } = await index.call('cluster_jobs', { cache_dir });
  assert.deepEqual(
    jobs.map(({ name, face_storage_version }) => [name, face_storage_version]),
    [
      ['new', 2],
      ['old', 1],
    ],
  );
});

test('a clustering of format 1 filters searches and media by its people, whatever they are named since', async (t) => {
  const cache_dir = await legacyFolder(t);
  const index = await indexActor(t);
  for (const [seed, hash] of ['aa', 'bb'].entries())
    await store(index, cache_dir, hash, someFootage(8, seed));
  await index.load({ cache_dir, model_key: 'model', hashes: null });
  const report = await loadInSteps(
    (load) => index.call('load_people', { cache_dir, load }),
    () => {},
  );
  assert.deepEqual([report.jobs, report.people, report.named, report.unreadable], [1, 2, 1, []]);
  const found = async (hash: string, ...people: PersonRef[]) => {
    const frames: number[] = [];
    for (let frame = 0; frame < 8; frame++) {
      const ranges = { [hash]: [[frame, frame + 1] as [number, number]] };
      const { matches } = await index.call('search', {
        ...{
          cache_dir,
          model_key: 'model',
          text: someFootage(1, 9),
          picture: null,
          text_weight: 1,
          exclude: null,
        },
        ...{
          scope: { hashes: [hash], ranges, filters: [] },
          max_results: 9,
          people: { mode: 'and', people },
        },
      });
      if (matches.length > 0) frames.push(frame);
    }
    return frames;
  };
  assert.deepEqual(await found('aa', { cluster_id: 'c1' }), [0, 1]);
  assert.deepEqual(await found('bb', { cluster_id: 'c1' }), [5]);
  assert.deepEqual(await found('aa', { cluster_id: 'c1' }, { person_name: 'Ben' }), [0]);
  const assignments = [{ cluster_id: 'c1', name: 'Ada' }];
  await index.call('name_clusters', { cache_dir, cluster_job_name, assignments });
  assert.deepEqual(await found('bb', { cluster_job_name, person_name: 'Ada' }), [5]);
  const scope = { mode: 'paths' as const, hashes: ['aa', 'bb'] };
  const { facets, unreadable_people } = await index.call('facets', { cache_dir, scope, filters: [] });
  const counts = (id: string) =>
    facets.find((one) => one.id === id)!.options.map((one) => [one.value, one.count]);
  assert.deepEqual(counts('people.old'), [
    ['Ada', 2],
    ['Ben', 1],
  ]);
  assert.deepEqual(counts('people.face_count'), [
    ['one', 1],
    ['two', 1],
  ]);
  assert.deepEqual(unreadable_people, []);
});

test('a clustering of format 1 loses the faces of media that are forgotten', async (t) => {
  const cache_dir = await legacyFolder(t);
  const index = await indexActor(t);
  await index.call('remove_media', { cache_dir, hashes: ['aa'] });
  const { clusters, noise } = await people(index, cache_dir, cluster_job_name);
  assert.deepEqual(
    [...clusters, noise].map(({ shown }) => shown),
    [['bb 5 1'], []],
  );
  const { clusterings } = await index.call('remove_media', { cache_dir, hashes: ['bb'] });
  assert.deepEqual(clusterings, [cluster_job_name]);
});
