// Downloads of models as tasks: from a server of this machine, with a model of the user's.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { PullFacts } from '../../../../../actors/analysis/stages/pull/kind.ts';
import { resolvePull } from '../../../../../actors/analysis/tasks/tasks.ts';
import { type ModelRow, modelErrors } from '../../../../../actors/models/contract.ts';
import { createModelLibrary } from '../../../../../actors/models/library.ts';
import { builtInRows } from '../../../../../actors/models/rows/list.ts';
import { bytesOf, type Step, serveSteps, status, whole } from '../../../models/server.ts';
import { exportEngine } from '../clips/export-engine.ts';
import { page } from '../task-engine.ts';

const graph = bytesOf(400_000);
const words = bytesOf(100_000, 3);
const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const fileOf = (role: string, name: string, bytes: Uint8Array) => {
  return { role, name, url: `me/mine/${name}`, size: bytes.length, sha256: sha(bytes) };
};
const row: ModelRow = {
  ...builtInRows.find(({ key }) => key === 'clip-b32')!,
  key: 'mine',
  files: [fileOf('vision', 'vision.onnx', graph), fileOf('tokenizer', 'tokenizer.json', words)],
};
const good: Step = (request, response, breakAt) =>
  whole(request.url?.endsWith('onnx') ? graph : words)(request, response, breakAt);

async function engineOf(t: TestContext, steps: readonly Step[]) {
  const models = mkdtempSync(join(tmpdir(), 'pull-'));
  mkdirSync(join(models, 'mine'));
  writeFileSync(join(models, 'mine', 'model.json'), JSON.stringify(row));
  const server = await serveSteps(steps);
  const machine = { memoryBytes: 8e9, graphics: false };
  const modelLibrary = createModelLibrary(models, machine, server.url.href);
  const engine = await exportEngine(t, [{ name: 'a.mp4', frames: 4 }], { modelLibrary });
  t.after(async () => {
    await server.close();
    rmSync(models, { recursive: true, force: true });
  });
  const pull = async (...model_keys: string[]) => (await engine.tasks.begin('pull', { model_keys })).task_id;
  const result = async (task_id: string) => (await engine.tasks.get(task_id, page)).results[0]!;
  return { ...engine, folder: join(models, 'mine'), models, server, pull, result };
}

test('a model is downloaded as a task: its bytes are told, its files are recorded, and it can be used', async (t) => {
  const { pull, ended, result, tasks, emitted, folder, models } = await engineOf(t, [good]);
  const task_id = await pull('mine');
  assert.equal(await ended(task_id), 'completed');
  const { outcome, type, path, closing, pull: facts } = await result(task_id);
  assert.deepEqual([outcome, type, path, closing], ['analyzed', 'pull', 'mine', true]);
  assert.deepEqual(facts, {
    model_key: 'mine',
    folder,
    files: [
      { name: 'vision.onnx', size_bytes: 400_000, sha256: sha(graph), fetched: true, verified: 'pin' },
      { name: 'tokenizer.json', size_bytes: 100_000, sha256: sha(words), fetched: true, verified: 'pin' },
    ],
    missing: [],
  });
  const { counts, request, progress } = await tasks.get(task_id, page);
  assert.deepEqual([counts.files, counts.jobs, counts.jobs_done, progress], [0, 1, 1, 100]);
  assert.deepEqual([request.types, request.pull_models, request.cache_dir], [['pull'], ['mine'], models]);
  const told = emitted.filter(({ pull_model_key, total_bytes }) => pull_model_key && total_bytes);
  assert.ok(told.length > 0);
  assert.ok(told.every(({ total_bytes, type: of }) => total_bytes === 500_000 && of === 'pull'));
  const received = told.map(({ received_bytes }) => received_bytes ?? 0);
  assert.deepEqual(
    received,
    received.toSorted((a, b) => a - b),
  );
  assert.ok(received.at(-1)! >= 400_000);
});

test('a download runs beside an export; another one waits, and the same one is shared', async (t) => {
  const { pull, begin, ended, tasks, clips } = await engineOf(t, [() => {}]);
  const held = Promise.withResolvers<void>();
  clips.before = () => held.promise;
  const exporting = await begin('a');
  const task_id = await pull('mine');
  assert.equal(tasks.busy, false);
  const running = (await tasks.list()).filter(({ state }) => state === 'running').map((task) => task.task_id);
  assert.deepEqual(new Set(running), new Set([exporting, task_id]));
  assert.equal(await pull('mine'), task_id);
  const other = await pull('clip-b32', 'mine');
  assert.equal(await pull('mine', 'clip-b32'), other, 'in whatever order');
  const { state, waits_for } = await tasks.get(other, page);
  assert.deepEqual([state, waits_for], ['queued', task_id]);
  assert.deepEqual(await tasks.cancel(other), { stopped: true, task_id: other });
  assert.equal(await ended(other), 'cancelled');
  assert.deepEqual(await tasks.cancel(task_id), { stopped: true, task_id });
  assert.equal(await ended(task_id), 'cancelled');
  held.resolve();
  assert.equal(await ended(exporting), 'completed');
});

test('a cancelled download leaves what came, and goes on from there when the task is resumed', async (t) => {
  const half: Step = (_, response) => {
    response.writeHead(200, { etag: '"v1"', 'content-length': graph.length });
    response.write(graph.subarray(0, 150_000));
  };
  const { pull, ended, again, tasks, folder, server, result } = await engineOf(t, [half, good]);
  const part = join(folder, 'vision.onnx.part');
  const came = Promise.withResolvers<void>();
  const task = pull('mine');
  const end = tasks.subscribe((_, event) => {
    if (event.type !== 'closing') return;
    if (Number(event.closing.detail?.['received_bytes']) >= 150_000) came.resolve();
  });
  const task_id = await task;
  await came.promise;
  end();
  await tasks.cancel(task_id);
  assert.equal(await ended(task_id), 'cancelled');
  assert.equal(statSync(part).size, 150_000);
  assert.ok(!existsSync(join(folder, 'vision.onnx')));
  again(task_id);
  await tasks.resume(task_id);
  assert.equal(await ended(task_id), 'completed');
  assert.deepEqual(
    server.asked.map(({ range }) => range),
    [undefined, 'bytes=150000-', undefined],
  );
  assert.equal((await result(task_id)).outcome, 'analyzed');
});

test('a server that refuses is recorded with what can be brought by hand', async (t) => {
  const { pull, ended, result, folder, server, tasks } = await engineOf(t, [status(404)]);
  const task_id = await pull('mine');
  assert.equal(await ended(task_id), 'failed');
  const { outcome, error, pull: facts } = await result(task_id);
  assert.deepEqual([outcome, error?.code], ['failed', 'DOWNLOAD_REFUSED']);
  const { missing, ...rest } = facts as PullFacts;
  assert.deepEqual(rest, { model_key: 'mine', folder, files: [] });
  assert.deepEqual(missing[0], {
    name: 'vision.onnx',
    url: `${server.url.href}me/mine/vision.onnx`,
    npm: null,
    size_bytes: 400_000,
    sha256: sha(graph),
    integrity: null,
  });
  assert.match((await tasks.get(task_id, page)).error?.message ?? '', /404/);
});

test('a model that cannot be downloaded keeps no other one from it, and a full disk is told', async (t) => {
  const engine = await engineOf(t, [good]);
  const { models } = await createModelLibrary(engine.models, { memoryBytes: 8e9, graphics: false }).list();
  const down = modelErrors.DOWNLOAD_FAILED('nobody answers');
  const full = modelErrors.MODELS_FOLDER_FULL('/models: the disk is full');
  const asked: string[] = [];
  const modelLibrary = {
    list: async () => ({ models, problems: [] }),
    missing: async (key: string) => ({ folder: `/models/${key}`, files: [] }),
    pull: async (key: string) => {
      asked.push(key);
      if (key === 'mine') throw full;
      if (key === 'clip-b16') throw down;
      return { key, folder: `/models/${key}`, license: 'MIT', files: [] };
    },
  };
  const { tasks, ended } = await exportEngine(t, [], { modelLibrary });
  const { task_id } = await tasks.begin('pull', { model_keys: ['mine', 'clip-b16', 'clip-b32', 'mine'] });
  assert.equal(await ended(task_id), 'completed');
  const { results } = await tasks.get(task_id, page);
  assert.deepEqual(
    results.map(({ path, outcome, error }) => [path, outcome, error?.code]),
    [
      ['mine', 'failed', 'MODELS_FOLDER_FULL'],
      ['clip-b16', 'failed', 'DOWNLOAD_FAILED'],
      ['clip-b32', 'analyzed', undefined],
    ],
  );
  // A download has tried again and again by itself.
  assert.deepEqual(asked, ['mine', 'clip-b16', 'clip-b32']);
});

test('what is no model is refused before anything is recorded', async (t) => {
  const { pull, tasks } = await engineOf(t, [status(404)]);
  await assert.rejects(pull('clip-b23'), { code: 'MODEL_UNKNOWN', message: /did you mean clip-b32/ });
  await assert.rejects(pull('starter-visual-3'), { code: 'MODEL_BUILT_IN' });
  await assert.rejects(pull(), { code: 'INVALID_REQUEST', details: { field: 'model_keys' } });
  assert.deepEqual(await tasks.list(), []);
});

test('a word stands for the models of several kinds that suit the machine', async () => {
  const library = createModelLibrary('/nowhere/models', { memoryBytes: 8e9, graphics: false });
  const { cache_dir, pull_models } = await resolvePull({ model_keys: ['faces', 'sface', 'faces'] }, library);
  const { models } = await library.list();
  const kinds = pull_models!.map((key) => models.find(({ row: { key: one } }) => one === key)!.row.kind);
  assert.deepEqual([...new Set(kinds)].toSorted(), ['face-detector', 'face-embedder']);
  assert.equal(new Set(pull_models).size, pull_models!.length);
  assert.equal(cache_dir, '/nowhere/models');
});
