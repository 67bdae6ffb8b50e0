// `models pull faces` against a server: the pair comes, is used, and what is broken of it is named and fixed.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { openInstallation } from '../../../actors/installation.ts';
import type { ModelRow } from '../../../actors/models/contract.ts';
import { chooseFaces } from '../../../actors/models/registry.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';
import { doctor } from '../../../cli/commands/doctor.ts';
import { models } from '../../../cli/commands/models.ts';
import type { Command } from '../../../cli/context.ts';
import { bytesOf, type Step, serveSteps, status, whole } from '../../actors/models/server.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { fakeHome } from '../fake-context.ts';

const graphs = { 'own-detector': bytesOf(4000), 'own-embedder': bytesOf(9000, 2) };
const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A row of the user, more accurate than the program's, whose graph the server has. */
function ownRow(from: string, key: keyof typeof graphs): ModelRow {
  const bytes = graphs[key];
  const url = `me/${key}/resolve/main/graph.onnx`;
  const file = { role: 'graph', name: 'graph.onnx', url, size: bytes.length, sha256: sha(bytes) };
  const row = builtInRows.find((one) => one.key === from)!;
  const best = { accuracy: 5, speed: 5, is_measured: true } as const;
  return { ...row, ...best, key, compatible_os: [...everySystem], files: [file] };
}
const everySystem = ['mac-arm', 'mac-x86', 'windows', 'linux'] as const;

/** `broken`: what the server answers instead of that graph. */
async function machine(t: TestContext, broken: { key: string; step: Step | null }) {
  const server = await serveSteps([
    (request, ...rest) => {
      const key = request.url!.includes('detector') ? 'own-detector' : 'own-embedder';
      const step = broken.key === key && broken.step ? broken.step : whole(graphs[key]);
      step(request, ...rest);
    },
  ]);
  t.after(() => server.close());
  const { home, context } = fakeHome(t, { FRAMEHOUND_MODELS_URL: server.url.href });
  const folder = join(home, 'models');
  for (const row of [ownRow('yunet-2026may', 'own-detector'), ownRow('sface', 'own-embedder')]) {
    mkdirSync(join(folder, row.key), { recursive: true });
    writeFileSync(join(folder, row.key, 'model.json'), JSON.stringify(row));
  }
  const installation = async () => openInstallation(folder, 'cpu');
  const run = async (command: Command, ...args: string[]) => {
    const own = context({ installation, clock: manualClock() });
    const outcome = await command(args, own).catch((error: Error & { code: string }) => error);
    return { outcome, ...own.said() };
  };
  return { server, folder, run };
}

test('the advised detector and embedder come in one command, are verified, listed, in use, and removed', async (t) => {
  const { server, folder, run } = await machine(t, { key: '', step: null });
  const pulled = await run(models, 'pull', 'faces');
  assert.equal(pulled.outcome, 0);
  assert.match(
    pulled.out,
    /^downloaded: graph\.onnx, 4000 bytes, sha256 matches the known one\nown-detector is in .*\nown-detector was not tested: .*\ndownloaded: graph\.onnx, 9000 bytes, .*\nown-embedder is in .*\nown-embedder failed its self-test, but is used: .*\nown-detector failed its self-test, but is used: /,
  );
  assert.equal(server.asked.length, 2);
  const { detector, embedder } = await chooseFaces(folder);
  assert.deepEqual([detector.key, embedder.key], ['own-detector', 'own-embedder']);
  assert.match((await run(doctor)).out, /✓ faces +by own-detector and own-embedder\n/);
  const { out } = await run(models, 'list');
  for (const key of ['own-detector', 'own-embedder'])
    assert.match(out, new RegExp(`\\n {2}${key} +downloaded, in use[ ,]`));

  assert.match((await run(models, 'pull', 'faces')).out, /^already there: .*\n(.*\n){2}already there: /);
  assert.equal((await run(models, 'verify', 'own-detector', 'own-embedder')).outcome, 0);
  writeFileSync(join(folder, 'own-embedder', 'graph.onnx'), bytesOf(9000, 3));
  const damaged = await run(models, 'verify', 'own-embedder');
  assert.deepEqual([damaged.outcome, /wrong sha256/.test(damaged.out)], [1, true]);
  assert.equal((await run(models, 'remove', 'own-embedder')).outcome, 0);
  assert.deepEqual(readdirSync(join(folder, 'own-embedder')), ['model.json']);
  await assert.rejects(chooseFaces(folder), { code: 'NO_FACE_MODEL', message: /^No face embedder is/ });
});

for (const [what, step, code] of [
  ['refused', status(403), 'DOWNLOAD_REFUSED'],
  ['another file', whole(bytesOf(4000, 9)), 'DOWNLOAD_MISMATCH'],
] as const) {
  test(`a detector that is ${what} does not keep the embedder from coming, and the same command fixes it`, async (t) => {
    const broken = { key: 'own-detector', step: step as Step | null };
    const { folder, run } = await machine(t, broken);
    const { outcome } = await run(models, 'pull', 'faces');
    assert.ok(outcome instanceof Error);
    assert.equal(outcome.code, code);
    assert.match(outcome.message, /^own-detector: .*models verify own-detector\n/s);
    assert.match(
      outcome.message,
      /\nOnly own-embedder is downloaded now\. To download the rest: .*models pull own-detector(\nTo get other face models from .*)?$/,
    );
    await assert.rejects(chooseFaces(folder), { code: 'NO_FACE_MODEL', message: /^No face detector is/ });
    assert.match(
      (await run(doctor)).out,
      /– faces +own-embedder tells faces apart, but no model to find them is downloaded\n/,
    );
    broken.step = null;
    assert.equal((await run(models, 'pull', 'faces')).outcome, 0);
    assert.equal((await chooseFaces(folder)).detector.key, 'own-detector');
  });
}
