// Nodes as their database knows them: which roots they can read, and which home folder is a copy.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { Analysis } from '../../../actors/analysis/contract.ts';
import { stageKinds } from '../../../actors/analysis/stages/kinds.ts';
import { statusOf } from '../../../actors/cluster/admin.ts';
import { expectAlone, RunningNode } from '../../../actors/cluster/node.ts';
import { rootsText } from '../../../actors/index/store/roots-file.ts';
import { rootsIn } from '../../../actors/library/roots.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createLog } from '../../../runtime/log.ts';
import { clusterDatabase, skipWithoutPostgres } from '../../system/postgres.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { until } from '../../until.ts';
import { clusterNodes } from './replicas.ts';

const never = new AbortController().signal;
const id = '22222222-2222-4222-8222-222222222222';
type Parts = ConstructorParameters<typeof RunningNode>[0];

async function nodesOf(t: TestContext) {
  const { database, ends } = await clusterDatabase(t);
  const said: string[] = [];
  const log = createLog('node', (line) => said.push(`${line.level} ${JSON.stringify(line)}`));
  const begun = (own: Pick<Parts, 'id' | 'home'> & Partial<Parts>) => {
    const parts = { database, roles: ['worker'], clock: systemClock, log } as const;
    const facts = { applied: () => 0, working: () => [], roots: async () => [] };
    const node = new RunningNode({ ...parts, ...facts, ...own });
    node.begin();
    ends.push(() => node.stop());
    return node;
  };
  return { database, said, begun };
}

test('a copy of the home folder of a running node is refused, and the node works on', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const { database, begun } = await nodesOf(t);
  const original = begun({ id, home: '/home/one' });
  await until(async () => (await statusOf(database)).nodes.length === 1);
  const at = (home: string) => expectAlone({ database, id, home, clock: systemClock }, never);
  await at('/home/one');
  await assert.rejects(at('/home/copy'), {
    code: 'NODE_COPIED',
    message: /^\/home\/copy is a copy of \/home\/one of .* remove \/home\/copy\/cluster\/node\.json$/,
  });
  const late = begun({ id, home: '/home/copy' });
  await until(() => late.isDraining);
  assert.match(late.troubles[0]!, /is a copy of \/home\/one/);
  assert.deepEqual([original.isDraining, original.troubles], [false, []]);
  begun({ id: id.replaceAll('2', '3'), home: '/home/two' });
  await until(async () => (await statusOf(database)).nodes.length === 2);
  assert.deepEqual(
    (await statusOf(database)).nodes.map(({ home }) => home),
    ['/home/one', '/home/two'],
    'nodes of one machine are told apart',
  );
  await Promise.all([original.stop(), late.stop()]);
  await database.query("update framehound.node set seen = clock_timestamp() - interval '11 seconds'");
  await at('/home/moved');
});

test('roots that a worker cannot read are named where people look', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const { database, said, begun } = await nodesOf(t);
  const folder = temporaryFolder(t);
  const file = join(folder, 'roots.json');
  const [footage, empty] = [join(folder, 'footage'), join(folder, 'empty')];
  for (const one of [footage, empty]) mkdirSync(one);
  writeFileSync(join(footage, 'a.mp4'), '');
  const roots = Object.entries({ footage, empty, away: join(folder, 'away') });
  writeFileSync(
    file,
    rootsText(roots.map(([name, at]) => ({ name, folder: at, origin: at, volume: null, removed: false }))),
  );
  const ofMachine = () => rootsIn(file);
  const other = begun({ id: id.replaceAll('2', '3'), home: '/home/two', roles: ['front'], roots: ofMachine });
  const lacking = begun({ id, home: '/home/one' });
  const worker = begun({ id: id.replaceAll('2', '4'), home: '/home/three', roots: ofMachine });
  const lacks = async () => (await statusOf(database)).nodes.map((node) => node.unreadable_roots);
  await until(async () => (await lacks()).flat().length === 5);
  assert.deepEqual((await lacks()).toSorted(), [[], ['away', 'empty'], ['away', 'empty', 'footage']]);
  await until(() => lacking.troubles.length === 3 && worker.troubles.length === 2);
  assert.deepEqual(other.troubles, []);
  assert.match(worker.troubles[0]!, /^it takes no files of the root away: .*does not exist/);
  assert.match(
    worker.troubles[1]!,
    /^it takes no files of the root empty: .*is empty: its volume may not be mounted/,
  );
  assert.match(lacking.troubles[2]!, /root footage: .* framehound roots add footage FOLDER$/);
  assert.equal(said.filter((line) => line.startsWith('warn')).length, 5, 'each is said once');
});

test('a worker takes no file of a root that it cannot read', { skip: skipWithoutPostgres }, async (t) => {
  const nodes = await clusterNodes(t);
  const [lacking, able] = [await nodes.join('/footage'), await nodes.join('/footage')];
  const taken: string[] = [];
  const as =
    (name: string): Analysis['run'] =>
    async ({ request: { paths } }, { onEvent }) => {
      taken.push(...paths.map(() => name));
      for (const path of paths) {
        const of = { path, type: 'video', hash_str: null, outcome: 'analyzed', reason: null } as const;
        onEvent({
          type: 'result',
          result: { ...of, facts: { frames: 1 }, duration_seconds: 0, error: null },
        });
      }
      return { cancelled: false, counts: {} as never, progress: { stages: {} } as never };
    };
  for (const node of [lacking, able]) node.begin();
  let looks = 0;
  const unreadable = async () => {
    looks++;
    return [{ name: 'footage', folder: '/footage', away: 'is empty' }];
  };
  lacking.work(as('lacking'), systemClock, unreadable);
  const { tasks, cacheDir: cache_dir } = lacking;
  const paths = Array.from({ length: 16 }, (_, at) => `/footage/${at}.mp4`);
  const nothing = Object.assign({ force: false }, ...stageKinds.map((kind) => kind.nothing));
  const { task_id } = await tasks.start({ ...nothing, cache_dir, paths });
  const since = looks;
  await until(() => looks >= since + 2);
  assert.deepEqual(taken, []);
  able.work(as('able'));
  const read = () => tasks.get(task_id, { offset: 0, limit: 1 });
  await until(async () => (await read()).state === 'completed');
  assert.deepEqual([(await read()).counts.analyzed, new Set(taken)], [16, new Set(['able'])]);
});
