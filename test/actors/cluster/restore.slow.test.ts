// A database and a shared folder that come back from a backup, or lose something: every replica has what the
// database has afterwards, and nothing else.
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { footage } from '../index/footage.ts';
import { store } from '../index/handlers.ts';
import { clusterNodes, type Nodes, type Replica } from './replicas.ts';

test('a library that comes back from a backup', { skip: skipWithoutPostgres }, async (t) => {
  const nodes = await clusterNodes(t);
  await t.test('every node has what the database has, whether it ran or not', (part) => restore(part, nodes));
  await t.test('a database that fell back is followed from there', (part) => fallBack(part, nodes));
  await t.test('an analysis folder that goes while its engine runs is made anew', () => removed(nodes));
  await t.test('a gap of the log is filled by a snapshot, and named where there is none', () => gap(nodes));
});

let contents = 0;

function found(nodes: Nodes, hash: string): Promise<void> {
  contents++;
  return nodes.found((index, at) => store(index, at, hash, footage(2 + contents, 32, 2, 0.1, contents)));
}

async function foundAll(nodes: Nodes, ...hashes: string[]): Promise<void> {
  for (const hash of hashes) await found(nodes, hash);
}

async function heldBy({ index, cacheDir: cache_dir }: Replica): Promise<string[]> {
  const { media } = await index.call('held_media', { cache_dir, under: null, offset: 0, limit: 100 });
  const { missing, unreadable } = await index.load({ cache_dir, model_key: 'model', hashes: null });
  assert.deepEqual([missing, unreadable], [[], []]);
  return media.map(({ hash_str }) => hash_str).toSorted();
}

/** Starts again in the same home folder. */
async function again(nodes: Nodes, { home }: Replica): Promise<Replica> {
  const back = await nodes.join('/footage', home);
  back.begin();
  await back.caughtUp();
  return back;
}

/** What the service does when it is asked for a new process. */
async function restarted(nodes: Nodes, node: Replica): Promise<Replica> {
  await node.cutOff;
  await node.leave();
  return again(nodes, node);
}

async function joined(nodes: Nodes): Promise<Replica> {
  const node = await nodes.join('/footage');
  node.begin();
  await node.caughtUp();
  return node;
}

async function restore(t: TestContext, nodes: Nodes): Promise<void> {
  const [running, stopped] = [await joined(nodes), await joined(nodes)];
  await foundAll(nodes, 'a1', 'a2');
  for (const node of [running, stopped]) await node.caughtUp();
  const backup = backUp(t, nodes);
  await foundAll(nodes, 'b1', 'b2', 'b3');
  for (const node of [running, stopped]) await node.caughtUp();
  await stopped.leave();
  backup.restore();
  await foundAll(nodes, 'c1', 'c2', 'c3', 'c4');
  const fresh = await joined(nodes);
  assert.deepEqual(await heldBy(fresh), ['a1', 'a2', 'c1', 'c2', 'c3', 'c4']);
  for (const node of [await restarted(nodes, running), await again(nodes, stopped)]) {
    assert.deepEqual(await heldBy(node), await heldBy(fresh));
    await node.leave();
  }
  await fresh.leave();
}

function backUp(t: TestContext, { postgres, shared }: Nodes) {
  const folder = temporaryFolder(t);
  const [dump, files] = [join(folder, 'dump'), join(folder, 'shared')];
  postgres.dump(dump);
  cpSync(shared, files, { recursive: true });
  return {
    restore: () => {
      postgres.restore(dump);
      rmSync(shared, { recursive: true });
      cpSync(files, shared, { recursive: true });
    },
  };
}

/** Without another change behind. */
async function fallBack(t: TestContext, nodes: Nodes): Promise<void> {
  const node = await joined(nodes);
  const before = await heldBy(node);
  const backup = backUp(t, nodes);
  await foundAll(nodes, 'd1');
  await node.caughtUp();
  backup.restore();
  const means = { library: nodes.library, roots: ['footage'] };
  const taken = await nodes.database.takeJob({ ...means, ...node.follower.position });
  assert.equal(taken, null);
  await node.snapshots.look();
  assert.deepEqual(await nodes.database.query('select 1 from framehound.snapshot'), []);
  const back = await restarted(nodes, node);
  assert.deepEqual(await heldBy(back), before);
  await back.leave();
}

async function removed(nodes: Nodes): Promise<void> {
  const node = await joined(nodes);
  const before = await heldBy(node);
  rmSync(node.cacheDir, { recursive: true });
  const back = await restarted(nodes, node);
  assert.deepEqual(await heldBy(back), before);
  await back.leave();
}

async function gap(nodes: Nodes): Promise<void> {
  const { database, library, said } = nodes;
  const [maker, away, late] = [await joined(nodes), await joined(nodes), await joined(nodes)];
  for (const node of [away, late]) await node.leave();
  await foundAll(nodes, 'e1', 'e2');
  await maker.caughtUp();
  const lose = (seq: number) =>
    database.query('delete from framehound.change where library = $1 and seq = $2', [library, seq]);
  const { seq } = maker.follower.position;
  await lose(seq - 1);
  const lacking = await again(nodes, away);
  assert.equal(lacking.follower.missed, 1);
  assert.ok(said.some((line) => line.startsWith(`error the log lacks changes ${seq - 1} to ${seq - 1}`)));
  const whole = await heldBy(maker);
  assert.deepEqual(
    await heldBy(lacking),
    whole.filter((hash) => hash !== 'e1'),
  );
  await lacking.leave();
  await database.query('update framehound.node set missed = 0');
  await maker.snapshots.look();
  const filled = await again(nodes, late);
  assert.deepEqual(await heldBy(filled), whole);
}
