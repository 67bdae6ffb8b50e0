import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pullInBackground } from '../../../actors/models/background-pull.ts';
import type { PullProgress } from '../../../actors/models/contract.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { until } from '../../until.ts';
import { bytesOf, type Step, serveSteps, status, whole } from './server.ts';

const graph = bytesOf(5000);
const sha256 = createHash('sha256').update(graph).digest('hex');

async function machine(t: TestContext, step: Step) {
  const modelsDir = temporaryFolder(t);
  const server = await serveSteps([step]);
  t.after(() => server.close());
  const folder = join(modelsDir, 'mine');
  mkdirSync(folder);
  const files = [{ role: 'graph', name: 'a.onnx', url: 'me/a.onnx', size: 5000, sha256 }];
  const row = { ...builtInRows.find(({ key }) => key === 'pp-ocr-v4')!, key: 'mine', files };
  writeFileSync(join(folder, 'model.json'), JSON.stringify(row));
  const told: PullProgress[] = [];
  const order = { modelsDir, server: server.url.href, keys: ['mine'] };
  return { folder, server, told, pulling: () => pullInBackground(order, (one) => told.push(one)) };
}

test('a download in another process is told of as it goes, and its failure too', async (t) => {
  const { folder, told, pulling } = await machine(t, whole(graph));
  assert.equal(await pulling().ended, null);
  assert.deepEqual(readdirSync(folder).sort(), ['a.onnx', 'model.json', 'received.json']);
  assert.ok(told.some(({ phase, received }) => phase === 'receiving' && received === 5000));
  const refused = await machine(t, status(404));
  const failure = await refused.pulling().ended;
  assert.equal(failure?.code, 'DOWNLOAD_REFUSED');
  assert.match(failure.message, /me\/a\.onnx: the server returned 404/);
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
