// The database goes away at each step of the commit of a job.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import type { Analysis } from '../../../actors/analysis/contract.ts';
import { stageKinds } from '../../../actors/analysis/stages/kinds.ts';
import { sampled } from '../../shared.ts';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { until } from '../../until.ts';
import { clusterNodes, type Nodes, type Replica } from './replicas.ts';

const nothing = Object.assign({ force: false }, ...stageKinds.map((kind) => kind.nothing));
const paths = ['/footage/a.mp4'];

/** Before a statement reaches the server, or when it is done and nobody has heard of it. */
type Moment = 'before' | 'after';

test('a job counts once, wherever its commit is cut', { skip: skipWithoutPostgres }, async (t) => {
  const nodes = await clusterNodes(t);
  const line = await cutLine(t, nodes.url);
  const front = await nodes.join('/footage');
  const node = await nodes.join('/footage', undefined, line.url);
  for (const one of [front, node]) one.begin();
  const worker = node.work(analysing);
  const statements = await line.counted(() => done(nodes, front));
  assert.ok(statements > 8, `${statements} statements`);
  const cuts = Array.from({ length: statements }, (_, at) => at).flatMap((at) =>
    (['before', 'after'] as const).map((moment) => ({ at, moment })),
  );
  // The last one is the commit itself.
  for (const cut of new Set([...sampled(cuts.slice(0, -2), 8), ...cuts.slice(-2)])) {
    line.cutAt(cut.at, cut.moment);
    await done(nodes, front);
    // The front may know of the commit before its worker would hear of it.
    await until(() => line.isCut);
  }
  await worker.stop();
  // Whoever takes its own job for that of another drops what it found.
  assert.deepEqual(
    nodes.said.filter((line) => /another worker/.test(line)),
    [],
  );
});

/** A task of one job, which comes to what it should. */
async function done(nodes: Nodes, { tasks, cacheDir: cache_dir }: Replica): Promise<void> {
  const { task_id } = await tasks.start({ ...nothing, cache_dir, paths });
  const ended = await until(async () => {
    const detail = await tasks.get(task_id, { offset: 0, limit: 10 });
    return detail.ended !== null && detail;
  });
  assert.deepEqual([ended.state, ended.counts.analyzed, ended.total_results], ['completed', 1, 1]);
  const changes = await nodes.database.query(
    "select 1 from framehound.change where body->>'kind' = 'results' and body->>'task_id' = $1",
    [task_id],
  );
  assert.equal(changes.length, 1);
}

const analysing: Analysis['run'] = async ({ request }, { onEvent }) => {
  for (const path of request.paths) {
    const of = { path, type: 'video', hash_str: path, outcome: 'analyzed', reason: null } as const;
    onEvent({ type: 'result', result: { ...of, facts: { frames: 1 }, duration_seconds: 0, error: null } });
  }
  return { cancelled: false, counts: {} as never, progress: { stages: {} } as never };
};

/** How the transaction that commits a job begins. */
const beginning = 'framehound.library where id = $1 for update';

/** A way to the database that is cut at a statement of the next commit. */
async function cutLine(t: TestContext, url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let cut: { readonly at: number; readonly moment: Moment } | null = null;
  let most = 0;
  const proxy = createServer((client) => {
    const database = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      database.destroy();
    };
    let statement = -1;
    let isSilent = false;
    client.on('data', (bytes) => {
      if (bytes.includes(beginning)) statement = 0;
      else if (statement >= 0) statement++;
      const isHere = cut !== null && statement === cut.at;
      if (isHere && cut!.moment === 'before') {
        cut = null;
        return end();
      }
      isSilent ||= isHere;
      most = Math.max(most, statement);
      // What comes after it on this connection is another transaction.
      if (bytes.includes('commit') || bytes.includes('rollback')) statement = -1;
      database.write(bytes);
    });
    database.on('data', (bytes) => {
      if (!isSilent) return void client.write(bytes);
      cut = null;
      end();
    });
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', end);
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return {
    url: url.replace(`:${port}`, `:${(proxy.address() as AddressInfo).port}`),
    /** Statements of the longest commit meanwhile, itself included. */
    counted: async (work: () => Promise<void>) => {
      await work();
      return most + 1;
    },
    cutAt: (at: number, moment: Moment) => {
      cut = { at, moment };
    },
    get isCut() {
      return cut === null;
    },
  };
}
