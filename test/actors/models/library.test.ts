import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { ModelRow } from '../../../actors/models/contract.ts';
import { createModelLibrary } from '../../../actors/models/library.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { claim } from '../../../runtime/files/lock.ts';
import { thisProcess } from '../../../runtime/process/identity.ts';
import { bytesOf, eagerClock, never, serveSteps, type TestServer, whole } from './server.ts';

const graph = bytesOf(5000);
const words = bytesOf(300, 3);
const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const row: ModelRow = {
  ...builtInRows.find(({ key }) => key === 'clip-b32')!,
  key: 'mine',
  files: [
    {
      role: 'vision',
      name: 'vision.onnx',
      url: 'me/mine/resolve/main/vision.onnx',
      size: 5000,
      sha256: sha(graph),
    },
    {
      role: 'tokenizer',
      name: 'tokenizer.json',
      url: 'me/mine/resolve/main/tokenizer.json',
      size: null,
      sha256: null,
    },
  ],
};

let folder = '';
const library = () => createModelLibrary(folder, { memoryBytes: 8e9, graphics: false });
let server: TestServer;
const signal = new AbortController().signal;
const pull = (key: string) =>
  library().pull(key, {
    baseUrl: `${server.url.href}hub`,
    signal,
    clock: eagerClock(),
    stallMs: never,
    tries: 1,
  });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'library-'));
  await mkdir(join(folder, 'mine'));
  await writeFile(join(folder, 'mine', 'model.json'), JSON.stringify(row));
  const announced = { 'x-linked-etag': `"${sha(words)}"` };
  server = await serveSteps([
    (request, response, breakAt) =>
      (request.url?.endsWith('onnx') ? whole(graph) : whole(words, '"w"', announced))(
        request,
        response,
        breakAt,
      ),
  ]);
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const mine = async () => (await library().list()).models.find(({ row: { key } }) => key === 'mine')!;

test('a model is listed as missing, pulled, listed as downloaded, verified and removed', async () => {
  assert.deepEqual((await mine()).missing, ['vision.onnx', 'tokenizer.json']);
  const pulled = await pull('mine');
  assert.deepEqual(
    pulled.files.map(({ name, verified, fetched }) => [name, verified, fetched]),
    [
      ['vision.onnx', 'pin', true],
      ['tokenizer.json', 'server', true],
    ],
  );
  assert.equal((await mine()).downloaded, true);
  assert.equal((await library().verify('mine', signal)).ok, true);
  assert.deepEqual((await library().remove('mine')).removed, ['vision.onnx', 'tokenizer.json']);
  assert.deepEqual(await readdir(join(folder, 'mine')), ['model.json']);
});

test('a model server may live under a path', async () => {
  await pull('mine');
  assert.equal(server.asked[0]?.path, '/hub/me/mine/resolve/main/vision.onnx');
});

test("files on GitHub come from a model server of one's own, by the same paths", async () => {
  const urls = async (key: string, baseUrl: string) =>
    (await library().missing(key, baseUrl)).files.map(({ url }) => url);
  const path = '/k2-fsa/sherpa-onnx/releases/download/speaker-recongition-models/';
  const name = '3dspeaker_speech_campplus_sv_zh_en_16k-common_advanced.onnx';
  assert.deepEqual(await urls('campplus-zh-en', 'http://hub.example/all'), [
    `http://hub.example/all${path}${name}`,
  ]);
  for (const hub of ['https://huggingface.co', 'https://huggingface.co/'])
    assert.deepEqual(await urls('campplus-zh-en', hub), [`https://github.com${path}${name}`]);
  const [yunet] = await urls('yunet-2026may', 'http://hub.example');
  assert.match(yunet!, /^http:\/\/hub\.example\/media\/opencv\/opencv_zoo\//);
  const elsewhere = { ...row.files[0]!, url: 'https://files.example/a.onnx' };
  await writeFile(join(folder, 'mine', 'model.json'), JSON.stringify({ ...row, files: [elsewhere] }));
  assert.deepEqual(await urls('mine', 'http://hub.example'), ['https://files.example/a.onnx']);
});

test('a second pull fetches nothing', async () => {
  await pull('mine');
  const asked = server.asked.length;
  assert.deepEqual(
    (await pull('mine')).files.map(({ fetched }) => fetched),
    [false, false],
  );
  assert.equal(server.asked.length, asked);
});

test('a damaged file is named by verify and replaced by pull, also one without a pin', async () => {
  await pull('mine');
  await writeFile(join(folder, 'mine', 'vision.onnx'), bytesOf(5000, 9));
  await writeFile(join(folder, 'mine', 'tokenizer.json'), '{}');
  const { ok, files } = await library().verify('mine', signal);
  assert.equal(ok, false);
  assert.deepEqual(
    files.map(({ state }) => state),
    ['wrong sha256', 'wrong sha256'],
  );
  await pull('mine');
  assert.equal((await library().verify('mine', signal)).ok, true);
});

test('a file that came without a pin and without a pull has nothing to be compared with', async () => {
  await writeFile(join(folder, 'mine', 'tokenizer.json'), '{}');
  const { files } = await library().verify('mine', signal);
  assert.deepEqual(
    files.map(({ state }) => state),
    ['missing', 'nothing to compare with'],
  );
});

test('a file of the user is kept when the model is removed', async () => {
  const files = [{ ...row.files[0]!, url: null }];
  await writeFile(join(folder, 'mine', 'model.json'), JSON.stringify({ ...row, files }));
  await writeFile(join(folder, 'mine', 'vision.onnx'), graph);
  assert.deepEqual(await library().remove('mine'), { key: 'mine', removed: [], ownFiles: ['vision.onnx'] });
  await rm(join(folder, 'mine', 'vision.onnx'));
  await assert.rejects(pull('mine'), { code: 'MODEL_NOT_DOWNLOADED', message: /has no url/ });
});

test('models of the program can be neither pulled nor removed, unknown ones neither', async () => {
  await assert.rejects(pull('starter-visual-3'), { code: 'MODEL_BUILT_IN' });
  await assert.rejects(library().remove('starter-visual-3'), { code: 'MODEL_BUILT_IN' });
  await assert.rejects(library().verify('nothing', signal), { code: 'MODEL_UNKNOWN' });
});

test('removing takes what an unfinished pull left', async () => {
  await writeFile(join(folder, 'mine', 'vision.onnx.part'), 'x');
  await library().remove('mine');
  assert.deepEqual(await readdir(join(folder, 'mine')), ['model.json']);
});

test('the model of the program is the same each time it is built', async () => {
  const { ok, files } = await library().verify('starter-visual-3', signal);
  assert.equal(ok, true);
  assert.match(files[0]?.sha256 ?? '', /^[0-9a-f]{64}$/);
  assert((files[0]?.size ?? 0) < 5_000_000);
});

test('the shipped speaker models are the pinned ones', async () => {
  const { ok, files } = await library().verify('starter-speaker', signal);
  assert.equal(ok, true);
  assert.deepEqual(
    files.map(({ name, state }) => [name, state]),
    [
      ['starter-speaker.onnx (shipped)', 'ok'],
      ['starter-speaker-plda.bin (shipped)', 'ok'],
      ['overlap.onnx (shipped)', 'ok'],
    ],
  );
});

test('of two pulls of one model at once one is refused, so that they do not write the same file', async () => {
  const both = await Promise.allSettled([pull('mine'), pull('mine')]);
  const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  assert.deepEqual(refused, ['MODEL_IN_DOWNLOAD']);
  assert.deepEqual((await readdir(join(folder, 'mine'))).sort(), [
    'model.json',
    'received.json',
    'tokenizer.json',
    'vision.onnx',
  ]);
  const path = join(folder, 'mine');
  const error = () => new Error('nobody else has it');
  const options = { clock: systemClock, conflict: error, refused: error };
  const own = await claim(join(path, 'pulling.json'), options);
  const { files } = await pull('mine');
  assert.ok(files.every(({ fetched }) => !fetched));
  const { pid, host } = thisProcess();
  await assert.rejects(library().remove('mine'), {
    code: 'MODEL_IN_DOWNLOAD',
    details: { folder: path, pid, host },
  });
  own.release();
});
