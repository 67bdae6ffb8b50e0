// Two files that have one hash and differ are two contents, whoever analyses them.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Analysis } from '../../../actors/analysis/contract.ts';
import { stageKinds } from '../../../actors/analysis/stages/kinds.ts';
import { lookingIn } from '../../../actors/cluster/replica-reads.ts';
import { numbered } from '../../../actors/index/store/names.ts';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { until } from '../../until.ts';
import { mediaRecord } from '../index/footage.ts';
import { countsOf, indexActor, someFootage, store } from '../index/handlers.ts';
import { clusterNodes, type Replica } from './replicas.ts';

const hash = 'abc-123';
const nothing = Object.assign({ force: false }, ...stageKinds.map((kind) => kind.nothing));
/** Frames by path: they differ. */
const films = { '/footage/a.mp4': 3, '/footage/b.mp4': 5 };

/** A worker that has begun on its file before the other one has ended. */
function analysing({ index, ref, cacheDir }: Replica, meet: () => Promise<void>): Analysis['run'] {
  return async ({ request: { cache_dir, paths } }, { onEvent }) => {
    const [path = ''] = paths;
    const looked = lookingIn(ref, cacheDir, ref);
    const { media } = await looked.ask('alike', { cache_dir, hash_str: hash });
    const own = media.find((one) => one.path === path)?.identity.hash_str ?? numbered(hash, media.length + 1);
    await meet();
    const frames = films[path as keyof typeof films];
    await store(index, cache_dir, own, someFootage(frames, frames), { path });
    const of = { path, type: 'video', hash_str: own, outcome: 'analyzed', reason: null } as const;
    onEvent({ type: 'result', result: { ...of, facts: { frames }, duration_seconds: 0, error: null } });
    return { cancelled: false, counts: {} as never, progress: { stages: {} } as never };
  };
}

test('of two workers that have one hash at once, the later one looks again', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const nodes = await clusterNodes(t);
  const replicas = [await nodes.join('/footage'), await nodes.join('/footage')];
  let begun = 0;
  const meet = async () => {
    begun++;
    await until(() => begun >= 2);
  };
  for (const replica of replicas) {
    replica.begin();
    replica.work(analysing(replica, meet));
  }
  const [front] = replicas;
  const { cacheDir: cache_dir, tasks, index } = front!;
  const { task_id } = await tasks.start({ ...nothing, cache_dir, paths: Object.keys(films) });
  const page = { offset: 0, limit: 10 };
  await until(async () => (await tasks.get(task_id, page)).state === 'completed');
  const { counts } = await tasks.get(task_id, page);
  assert.deepEqual([counts.analyzed, counts.failed, begun], [2, 0, 3], 'one of them was done twice');
  for (const replica of replicas) await replica.caughtUp();
  const { media } = await index.call('held_media', { cache_dir, under: null, offset: 0, limit: 10 });
  const found = media.map((one) => [one.path, one.hash_str, countsOf(one, 'video')[0]]);
  const hashes = found.map(([, own]) => own);
  assert.deepEqual(hashes.toSorted(), [hash, numbered(hash, 2)]);
  assert.deepEqual(
    found.map(([path, , frames]) => [path, frames]),
    Object.entries(films),
  );
});

test('two files of one job are compared as well', async (t) => {
  const base = temporaryFolder(t);
  const index = await indexActor(t);
  const [here, there] = [`${base}/job`, `${base}/replica`];
  await index.call('remember', { cache_dir: there, media: mediaRecord(hash, '/footage/a.mp4') });
  const compared = mediaRecord(hash, '/footage/a.mp4');
  const digest = { ...compared, identity: { ...compared.identity, content_digest: 'known' } };
  await index.call('remember', { cache_dir: here, media: digest });
  await index.call('remember', { cache_dir: here, media: mediaRecord(numbered(hash, 2), '/footage/b.mp4') });
  const ref = { name: 'index', phase: 'ready', ask: index.call } as never;
  const { media } = await lookingIn(ref, there, ref).ask('alike', { cache_dir: here, hash_str: hash });
  assert.deepEqual(
    media.map(({ identity }) => [identity.hash_str, identity.content_digest]),
    [
      [hash, 'known'],
      [numbered(hash, 2), undefined],
    ],
    'what the job has found counts before what was known',
  );
});
