// What is changed on one node is changed on all, also on one that was away, and in one order.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import test from 'node:test';
import { addChange, type ChangeBody, lastChange } from '../../../actors/cluster/log.ts';
import { lookingIn } from '../../../actors/cluster/replica-reads.ts';
import { storeErrors } from '../../../actors/index/store/contract.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { until } from '../../until.ts';
import { footage, mediaRecord } from '../index/footage.ts';
import { store } from '../index/handlers.ts';
import { spoken, turn } from '../index/voices/spoken.ts';
import { clusterNodes, type Nodes, type Replica } from './replicas.ts';

test('the nodes of a cluster', { skip: skipWithoutPostgres }, async (t) => {
  const nodes = await clusterNodes(t);
  await t.test('media that are forgotten or moved are so everywhere', () => forgetAndMove(nodes));
  await t.test('what is refused is so everywhere, and changes nothing', () => refuse(nodes));
  await t.test('edges that a worker finds in what is analysed are so everywhere', () => setEdges(nodes));
  await t.test('a file that a worker has is not forgotten', () => keepWorked(nodes));
  await t.test('who is older than the log follows it no further, and answers', () => stayBehind(nodes));
});

async function heldBy({ index, cacheDir: cache_dir }: Replica): Promise<string[]> {
  const page = { cache_dir, under: null, offset: 0, limit: 10 };
  const { media } = await index.call('held_media', page);
  return media.map(({ path, hash_str }) => `${hash_str} ${path}`);
}

async function forgetAndMove(nodes: Nodes): Promise<void> {
  for (const hash of ['aa', 'bb'])
    await nodes.found((index, at) => store(index, at, hash, footage(4, 32, 2, 0.1, 1)));
  const [here, away] = [await nodes.join('/footage'), await nodes.join('/mnt/nas')];
  here.begin();
  await here.caughtUp();
  const { cacheDir: cache_dir } = here;
  const forgotten = await here.writes.ask('remove_media', { cache_dir, hashes: ['aa'] });
  assert.deepEqual(forgotten, { clusterings: [] });
  const moves = [{ from: '/footage/bb.mp4', to: '/footage/new/bb.mp4', volume: null }];
  assert.deepEqual(await here.writes.ask('move_paths', { cache_dir, moves }), { stayed: [] });
  assert.deepEqual(await heldBy(here), ['bb /footage/new/bb.mp4'], 'whoever wrote reads it at once');
  away.begin();
  await away.caughtUp();
  assert.deepEqual(await heldBy(away), ['bb /mnt/nas/new/bb.mp4']);
}

async function refuse(nodes: Nodes): Promise<void> {
  await nodes.found((index, at) =>
    spoken(index, at, 'cc', [turn(0, 0, 2)], { SPEAKER_00: 1 }, { path: '/footage/cc.mp4' }),
  );
  const [here, there] = [await nodes.join('/footage'), await nodes.join('/footage')];
  for (const node of [here, there]) node.begin();
  await here.caughtUp();
  const name = ({ cacheDir: cache_dir, writes }: Replica, speaker: string, name: string) =>
    writes.ask('name_speakers', { cache_dir, hash_str: 'cc', assignments: [{ speaker, name }] });
  await assert.rejects(name(here, 'SPEAKER_07', 'Ada'), { code: 'UNKNOWN_SPEAKER', status: 400 });
  const both = await Promise.all([name(here, 'SPEAKER_00', 'Ada'), name(there, 'SPEAKER_00', 'Grace')]);
  assert.deepEqual(both, [{ names: { SPEAKER_00: 'Ada' } }, { names: { SPEAKER_00: 'Grace' } }]);
  await Promise.all([here, there].map((node) => node.caughtUp()));
  const namesOf = async ({ index, cacheDir: cache_dir }: Replica) =>
    (await index.call('transcripts', { cache_dir, hashes: ['cc'] })).transcripts[0]?.names;
  const [one, other] = await Promise.all([here, there].map(namesOf));
  assert.ok(['Ada', 'Grace'].includes(one?.['SPEAKER_00'] ?? ''));
  assert.deepEqual(other, one, 'of two at once the later one counts, on every node');
}

/** And a write whose answer nobody waits for any more ends. */
async function setEdges(nodes: Nodes): Promise<void> {
  await nodes.found((index, at) => store(index, at, 'ab', footage(4, 32, 2, 0.1, 1)));
  const [here, there] = [await nodes.join('/footage'), await nodes.join('/footage')];
  for (const node of [here, there]) node.begin();
  await here.caughtUp();
  const whole = { ...here.ref, ask: here.whole.call } as typeof here.ref;
  const edges = { seconds: [1.48], frames: [37] };
  const request = { cache_dir: join(here.home, 'job'), hash_str: 'ab', edges };
  const set = await lookingIn(here.ref, here.cacheDir, whole).ask('set_edges', request);
  assert.deepEqual(set, { vectors: 4 });
  await there.caughtUp();
  for (const { index, cacheDir: cache_dir } of [here, there]) {
    const { lists } = await index.call('scenes', { cache_dir, model_key: null, hashes: ['ab'] });
    assert.deepEqual([[...lists[0]!.scenes], [...lists[0]!.shots!.frames]], [[0, 2, 2, 4], [37]]);
  }
}

async function keepWorked(nodes: Nodes): Promise<void> {
  await nodes.found((index, at) =>
    index.call('remember', { cache_dir: at, media: mediaRecord('dd', '/footage/dd.mp4') }),
  );
  const here = await nodes.join('/footage');
  here.begin();
  await here.caughtUp();
  const { cacheDir: cache_dir } = here;
  const task = randomUUID();
  await nodes.database.query(
    `insert into framehound.task (id, library, state, source, request, first, counts)
      values ($1, $2, 'running', 'request', '{}', '{}', '{}')`,
    [task, nodes.library],
  );
  await nodes.database.query(
    'insert into framehound.job (id, task, paths, priority) values ($1, $2, $3, 0)',
    [randomUUID(), task, JSON.stringify(['root:footage/dd.mp4'])],
  );
  const forget = (signal?: AbortSignal) =>
    here.writes.ask('remove_media', { cache_dir, hashes: ['dd'] }, { signal });
  await assert.rejects(forget(), (error: unknown) => storeErrors.MEDIA_IN_WORK.is(error));
  await nodes.database.query('update framehound.job set ended = true');
  await here.follower.stop();
  const stop = new AbortController();
  const waiting = forget(stop.signal);
  stop.abort();
  await assert.rejects(waiting, (error: unknown) => engineErrors.CANCELLED.is(error));
}

async function stayBehind(nodes: Nodes): Promise<void> {
  const raise = (by: number) =>
    nodes.database.query('update framehound.version set number = number + $1', [by]);
  const older = await nodes.join('/footage');
  const { applied } = older.follower;
  await nodes.found((index, at) => store(index, at, 'ee', footage(4, 32, 2, 0.1, 1)));
  await raise(1);
  const last = await lastChange(nodes.database, nodes.library);
  // A program that has not heard of the tables yet.
  const body: ChangeBody = { kind: 'write', id: '', write: [] };
  const { library } = nodes;
  await assert.rejects(addChange(nodes.database, { library, node: library }, body), {
    code: 'CLUSTER_TOO_NEW',
  });
  older.begin();
  const told = await until(() =>
    nodes.said.find((line) => line.includes('update framehound on this machine')),
  );
  assert.match(told, /^error the log of the cluster cannot be followed/);
  assert.equal(older.follower.applied, applied);
  assert.ok(!(await heldBy(older)).some((one) => one.startsWith('ee')));
  await assert.rejects(nodes.join('/footage'), { code: 'CLUSTER_TOO_NEW' });
  const { cacheDir: cache_dir, tasks, writes } = older;
  const moves = [{ from: '/footage/ee.mp4', to: '/footage/f.mp4', volume: null }];
  const asked = [
    () => tasks.start({ cache_dir, visual_media_paths: ['/footage/ee.mp4'] }),
    () => tasks.cancel(),
    () => tasks.get(randomUUID(), { offset: 0, limit: 1 }),
    () => writes.ask('move_paths', { cache_dir, moves }),
  ];
  for (const ask of asked) await assert.rejects(ask, { code: 'CLUSTER_TOO_NEW', status: 503 });
  assert.equal(await lastChange(nodes.database, library), last);
  // As a newer program on this machine.
  await raise(-1);
  await until(async () => (await heldBy(older)).some((one) => one.startsWith('ee')));
  await older.caughtUp();
}
