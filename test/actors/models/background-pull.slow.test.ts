import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pullInBackground } from '../../../actors/models/background-pull.ts';
import type { PullStand } from '../../../actors/models/contract.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { until } from '../../until.ts';
import { bytesOf, type Step, serveSteps, status, whole } from './server.ts';

const graph = bytesOf(5000);
const sha256 = createHash('sha256').update(graph).digest('hex');

/** Models of the user, each of one file on the server. */
async function machine(t: TestContext, step: Step, keys: readonly string[] = ['mine']) {
  const modelsDir = temporaryFolder(t);
  const server = await serveSteps([step]);
  t.after(() => server.close());
  for (const key of keys) addModel(modelsDir, key, `${key}/a.onnx`);
  const folder = join(modelsDir, keys[0]!);
  const told: PullStand[] = [];
  const order = { modelsDir, server: server.url.href, keys };
  return { modelsDir, folder, server, told, pulling: () => pullInBackground(order, (one) => told.push(one)) };
}

function addModel(modelsDir: string, key: string, url: string) {
  const files = [{ role: 'graph', name: 'a.onnx', url, size: 5000, sha256 }];
  const row = { ...builtInRows.find((one) => one.key === 'pp-ocr-v4')!, key, files };
  mkdirSync(join(modelsDir, key));
  writeFileSync(join(modelsDir, key, 'model.json'), JSON.stringify(row));
}

test('a download in another process is told of as it goes, and its failure too', async (t) => {
  const { folder, told, pulling } = await machine(t, whole(graph));
  assert.deepEqual(await pulling().ended, []);
  assert.deepEqual(readdirSync(folder).sort(), ['a.onnx', 'model.json', 'received.json']);
  assert.ok(told.some(({ phase, received }) => phase === 'receiving' && received === 5000));
  const refused = await machine(t, status(404));
  const [failure] = await refused.pulling().ended;
  assert.deepEqual([failure?.key, failure?.code], ['mine', 'DOWNLOAD_REFUSED']);
  assert.match(failure!.message, /mine\/a\.onnx: the server returned 404/);
});

test('the progress is that of all models, and one that fails does not keep the others from coming', async (t) => {
  const step: Step = (request, ...rest) =>
    (request.url!.includes('wrong') ? whole(bytesOf(5000, 2)) : whole(graph))(request, ...rest);
  const { modelsDir, told, pulling } = await machine(t, step, ['a', 'wrong', 'b']);
  const failures = await pulling().ended;
  assert.deepEqual(
    failures.map(({ key, code }) => [key, code]),
    [['wrong', 'DOWNLOAD_MISMATCH']],
  );
  assert.ok(existsSync(join(modelsDir, 'b', 'a.onnx')));
  assert.ok(told.every(({ total }) => total === 15_000));
  const ofB = told.filter(({ key, phase }) => key === 'b' && phase === 'receiving');
  assert.ok(ofB.every(({ received }) => received > 5000 && received <= 15_000));
});

test('a host that nothing came from is tried for one model alone', async (t) => {
  const { server, pulling } = await machine(t, status(503), ['a', 'b', 'c']);
  const failures = await pulling().ended;
  assert.deepEqual(
    failures.map(({ key, code }) => [key, code]),
    ['a', 'b', 'c'].map((key) => [key, 'DOWNLOAD_FAILED']),
  );
  assert.deepEqual(
    server.asked.map(({ path }) => path),
    Array(3).fill('/a/a.onnx'),
  );
  assert.ok(failures.every(({ message }) => message === failures[0]!.message));
});

test('a server that has answered is tried again after a cut', async (t) => {
  let cuts = 0;
  const step: Step = (request, response, breakAt) => {
    if (request.url!.startsWith('/a/') || cuts >= 4) return whole(graph)(request, response, breakAt);
    cuts++;
    response.destroy();
  };
  const { server, told, pulling } = await machine(t, step, ['a', 'b']);
  assert.deepEqual(await pulling().ended, []);
  assert.deepEqual([server.asked.length, cuts], [6, 4]);
  assert.ok(told.some(({ phase, reason }) => phase === 'waiting' && reason !== null));
});

test('a proxy of the environment is used', async (t) => {
  const { server, pulling } = await machine(t, whole(graph));
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    whole(graph)(request, response, () => {});
  });
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const to = connect(Number(server.url.port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      to.pipe(socket).pipe(to);
    });
    for (const end of [to, socket]) end.on('error', () => {});
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { HTTP_PROXY: before } = process.env;
  process.env['HTTP_PROXY'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  t.after(() => {
    if (before === undefined) delete process.env['HTTP_PROXY'];
    else process.env['HTTP_PROXY'] = before;
    proxy.closeAllConnections();
    proxy.close();
  });
  assert.deepEqual(await pulling().ended, []);
  assert.equal(asked.length, 1);
  assert.ok(asked[0]!.includes(server.url.host), asked[0]);
});

test('a download that is left goes on to its end, and one that is stopped does not', async (t) => {
  const open = Promise.withResolvers<void>();
  const held: Step = (...args) => void open.promise.then(() => whole(graph)(...args));
  const left = await machine(t, held);
  const stopped = await machine(t, held);
  const [going, ending] = [left.pulling(), stopped.pulling()];
  await until(() => left.server.asked.length > 0 && stopped.server.asked.length > 0);
  going.leave();
  ending.stop();
  await until(() => !existsSync(join(stopped.folder, 'pulling.json')));
  open.resolve();
  await until(
    () => existsSync(join(left.folder, 'a.onnx')) && !existsSync(join(left.folder, 'pulling.json')),
  );
  assert.equal(existsSync(join(stopped.folder, 'a.onnx')), false);
});
