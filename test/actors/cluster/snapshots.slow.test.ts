// A node that starts from nothing, or comes back too late, takes a snapshot; and the log is cut behind those
// that there are.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { ClusterExchange } from '../../../actors/cluster/exchange.ts';
import { firstReplica, followedBy } from '../../../actors/cluster/first-replica.ts';
import { isDue } from '../../../actors/cluster/snapshots.ts';
import { exportLibrary } from '../../../actors/library/transfer/export.ts';
import { takeLibrary } from '../../../actors/library/transfer/import.ts';
import { mergeLibrary } from '../../../actors/library/transfer/merge.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createLog } from '../../../runtime/log.ts';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { footage } from '../index/footage.ts';
import { store } from '../index/handlers.ts';
import { clusterNodes, type Nodes, type Replica } from './replicas.ts';

test('snapshots become rarer as the log grows', () => {
  assert.deepEqual(
    [isDue(999, 0, 1000), isDue(1000, 0, 1000), isDue(1999, 1000, 1000), isDue(2000, 1000, 1000)],
    [false, true, false, true],
  );
  assert.deepEqual([isDue(99_999, 80_000, 1000), isDue(100_000, 80_000, 1000)], [false, true]);
});

test('a log with snapshots', { skip: skipWithoutPostgres }, async (t) => {
  const nodes = await clusterNodes(t);
  const late = await nodes.join('/late');
  const maker = await nodes.join('/footage');
  await found(nodes, 'a1');
  late.begin();
  await late.caughtUp();
  await late.leave();
  maker.begin();
  await t.test('it is cut behind the older of two', () => cut(nodes, maker));
  await t.test('a wiped disk is filled from the newest', () => fill(nodes, maker));
  await t.test('who was away for too long takes one', () => comeBack(nodes, maker, late));
  await t.test('one that is damaged is refused by name', () => damage(nodes, maker));
  await t.test('one that was cut short is made again', () => cutShort(nodes, maker));
  await t.test('a copy that is cancelled is none, and goes on', (part) => cancel(part, nodes, maker));
});

let contents = 0;

/** As many changes as it takes at that size of the log, and a snapshot with them. */
async function grow(nodes: Nodes, maker: Replica): Promise<void> {
  for (let i = 0; i < 4; i++) await found(nodes, `b${contents}`);
  await maker.caughtUp();
  await maker.snapshots.look();
}

/** Pictures of one more file, with another number of frames. */
function found(nodes: Nodes, hash: string): Promise<void> {
  contents++;
  return nodes.found((index, at) => store(index, at, hash, footage(2 + contents, 32, 2, 0.1, contents)));
}

/** Everything that a search reads, except where the footage is. */
async function heldBy({ index, cacheDir: cache_dir }: Replica): Promise<unknown> {
  const { media } = await index.call('held_media', { cache_dir, under: null, offset: 0, limit: 100 });
  const { missing, unreadable } = await index.load({ cache_dir, model_key: 'model', hashes: null });
  assert.deepEqual([missing, unreadable], [[], []]);
  return media
    .map(({ hash_str, path, results }) => JSON.stringify([hash_str, path.split('/').at(-1), results]))
    .toSorted();
}

async function snapshotsOf({ database }: Nodes): Promise<{ id: string; seq: number; damaged: boolean }[]> {
  const rows = await database.query<{ id: string; seq: string; damaged: boolean }>(
    'select id, seq, damaged from framehound.snapshot where digest is not null order by seq',
  );
  return rows.map(({ seq, ...rest }) => ({ ...rest, seq: Number(seq) }));
}

async function logOf({ database }: Nodes): Promise<{ cut: number; first: number }> {
  const [row] = await database.query<{ cut: string; first: string }>(
    'select cut, (select min(seq) from framehound.change) as first from framehound.library',
  );
  return { cut: Number(row!.cut), first: Number(row!.first) };
}

async function cut(nodes: Nodes, maker: Replica): Promise<void> {
  await maker.caughtUp();
  await maker.snapshots.look();
  assert.deepEqual(await logOf(nodes), { cut: 0, first: 1 }, 'of one snapshot nothing is cut');
  await maker.snapshots.look();
  assert.equal((await snapshotsOf(nodes)).length, 1, 'none is due');
  await found(nodes, 'a2');
  await maker.caughtUp();
  // One that is silent for minutes still needs what it has not applied.
  await nodes.database.query(
    `insert into framehound.node (id, incarnation, name, version, roles, clock_seconds, applied, seen)
      values (gen_random_uuid(), gen_random_uuid(), 'slow', '1', '{front}', 0, 0,
        clock_timestamp() - interval '10 minutes')`,
  );
  await maker.snapshots.look();
  assert.deepEqual(await logOf(nodes), { cut: 0, first: 1 });
  await nodes.database.query("update framehound.node set seen = clock_timestamp() - interval '2 hours'");
  await found(nodes, 'a3');
  await maker.caughtUp();
  await maker.snapshots.look();
  assert.deepEqual(
    (await snapshotsOf(nodes)).map(({ seq }) => seq),
    [2, 3],
    'two are kept',
  );
  assert.equal(readdirSync(join(nodes.shared, 'snapshots')).length, 2);
  assert.deepEqual(await logOf(nodes), { cut: 2, first: 3 });
  assert.equal(readdirSync(join(nodes.shared, 'results')).length, 1, 'results of cut changes go');
}

async function fill(nodes: Nodes, maker: Replica): Promise<void> {
  await found(nodes, 'a4');
  await maker.caughtUp();
  const wiped = await nodes.join('/elsewhere');
  assert.equal(wiped.follower.applied, 3);
  wiped.begin();
  await wiped.caughtUp();
  assert.deepEqual(await heldBy(wiped), await heldBy(maker));
  const { cacheDir: cache_dir } = wiped;
  const { media } = await wiped.index.call('held_media', { cache_dir, under: null, offset: 0, limit: 1 });
  assert.match(media[0]!.path, /^\/elsewhere\//, 'paths are those of the machine');
  await wiped.leave();
  rmSync(wiped.cacheDir, { recursive: true });
  const again = await nodes.join('/elsewhere', wiped.home);
  again.begin();
  await again.caughtUp();
  assert.deepEqual(await heldBy(again), await heldBy(maker));
}

async function comeBack(nodes: Nodes, maker: Replica, late: Replica): Promise<void> {
  const back = await nodes.join('/late', late.home);
  assert.equal(back.follower.applied, 3, 'it had one change, and two were cut');
  back.begin();
  await back.caughtUp();
  assert.deepEqual(await heldBy(back), await heldBy(maker));
  // While it runs, as a machine that sleeps.
  await back.follower.stop();
  await found(nodes, 'a5');
  const asleep = await nodes.join('/asleep');
  await grow(nodes, maker);
  await grow(nodes, maker);
  assert.ok((await logOf(nodes)).cut > asleep.follower.applied);
  asleep.begin();
  await asleep.cutOff;
  assert.ok(nodes.said.some((line) => line.includes('the log was cut while this machine was away')));
  await asleep.leave();
  const awake = await nodes.join('/asleep', asleep.home);
  awake.begin();
  await awake.caughtUp();
  assert.deepEqual(await heldBy(awake), await heldBy(maker));
  const kept = readdirSync(join(awake.cacheDir, 'vectors'), { recursive: true, withFileTypes: true });
  assert.equal(kept.filter((entry) => entry.isFile()).length, contents, 'nothing is left of before');
}

async function damage(nodes: Nodes, maker: Replica): Promise<void> {
  const [older, newest] = (await snapshotsOf(nodes)).map(({ id }) => id);
  flip(nodes, newest!);
  const node = await nodes.join('/footage');
  node.begin();
  await node.caughtUp();
  assert.deepEqual(await heldBy(node), await heldBy(maker));
  const told = nodes.said.filter((line) => line.startsWith('error a snapshot of the library is damaged'));
  assert.equal(told.length, 1);
  assert.ok(told[0]!.includes(newest!) && told[0]!.includes('missing or damaged'));
  flip(nodes, older!);
  await assert.rejects(nodes.join('/footage'), {
    code: 'SNAPSHOT_DAMAGED',
    message: new RegExp(`damaged: snapshots/${older}`),
  });
  assert.deepEqual(
    (await snapshotsOf(nodes)).map(({ damaged }) => damaged),
    [true, true],
  );
  await maker.snapshots.look();
  const healed = await nodes.join('/footage');
  healed.begin();
  await healed.caughtUp();
  assert.deepEqual(await heldBy(healed), await heldBy(maker), 'another one is made at once');
  assert.equal(readdirSync(join(nodes.shared, 'snapshots')).length, 1, 'those that are damaged go');
}

/** One bit of a bundle of vectors. */
function flip({ shared }: Nodes, id: string): void {
  const folder = join(shared, 'snapshots', id, 'vectors');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const path = join(files[0]!.parentPath, files[0]!.name);
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(path, bytes);
}

/** As a node that was killed leaves it. */
async function cutShort(nodes: Nodes, maker: Replica): Promise<void> {
  for (const hash of ['c1', 'c2', 'c3', 'c4', 'c5']) await found(nodes, hash);
  await maker.caughtUp();
  const { database, library, shared } = nodes;
  const id = '11111111-1111-4111-8111-111111111111';
  await database.query(
    'insert into framehound.snapshot (id, library, node) values ($1, $2, gen_random_uuid())',
    [id, library],
  );
  const left = join(shared, 'snapshots', id);
  mkdirSync(join(left, 'vectors'), { recursive: true });
  writeFileSync(join(left, 'library.json.part'), '{}');
  const before = await snapshotsOf(nodes);
  await maker.snapshots.look();
  assert.deepEqual(await snapshotsOf(nodes), before, 'somebody makes one');
  const node = await nodes.join('/footage');
  assert.equal(node.follower.applied, before.at(-1)!.seq, 'and it does not count yet');
  await node.leave();
  await database.query(
    "update framehound.snapshot set seen = clock_timestamp() - interval '2 minutes' where id = $1",
    [id],
  );
  await maker.snapshots.look();
  assert.equal((await snapshotsOf(nodes)).length, before.length + 1);
  assert.ok(!existsSync(left));
}

async function cancel(t: TestContext, nodes: Nodes, maker: Replica): Promise<void> {
  const { database, library, shared } = nodes;
  const home = temporaryFolder(t);
  const cacheDir = join(home, 'analysis');
  const exchange = new ClusterExchange({
    ...{ shared, home, roots: join(home, 'roots.json') },
    ...{ exportLibrary, takeLibrary, mergeLibrary },
  });
  const stop = new AbortController();
  let files = 0;
  const take: ClusterExchange['take'] = (sealed, into, signal, progress) =>
    exchange.take(sealed, into, signal, (done, total) => {
      progress?.(done, total);
      if (++files === 3) stop.abort();
    });
  const expectSealed: ClusterExchange['expectSealed'] = (sealed) => exchange.expectSealed(sealed);
  const log = createLog('cluster', () => {});
  const parts = { database, library, nodeId: library, cacheDir, clock: systemClock, log };
  await assert.rejects(
    firstReplica({ ...parts, exchange: { take, expectSealed } }, null, stop.signal),
    (error) => error === stop.signal.reason,
  );
  assert.equal(files, 3, 'nothing is copied any more');
  assert.equal(await followedBy(cacheDir), null);
  const again = await nodes.join('/footage', home);
  again.begin();
  await again.caughtUp();
  assert.deepEqual(await heldBy(again), await heldBy(maker));
}
