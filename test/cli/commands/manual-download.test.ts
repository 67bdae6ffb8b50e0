// A machine without network: `models pull` says which files to bring, and who follows it word by word has the
// model.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { openInstallation } from '../../../actors/installation.ts';
import { modelErrors } from '../../../actors/models/contract.ts';
import { builtInRows } from '../../../actors/models/rows/list.ts';
import { manualDownloadText, models, unusedProxyOf } from '../../../cli/commands/models.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { fakeHome } from '../fake-context.ts';

/** Pauses between tries pass at once; the long timers, which watch for silence, never fire. */
const eager: Clock = {
  now: () => 0,
  after: (ms, run) => {
    if (ms < 30_000) queueMicrotask(run);
    return () => {};
  },
};

const graph = Buffer.from('a small graph');
const words = Buffer.from('{}');
const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const file = (role: string, name: string, bytes: Buffer | null) => ({
  role,
  name,
  url: `me/mine/resolve/main/onnx/${name}`,
  size: bytes?.length ?? null,
  sha256: bytes && sha(bytes),
});
const row = {
  ...builtInRows.find(({ key }) => key === 'clip-b32')!,
  key: 'mine',
  files: [
    file('vision', 'vision.onnx', graph),
    file('text', 'text.onnx', graph),
    file('tokenizer', 'words.json', null),
  ],
};

test('the recipe of a pull that reaches nobody brings a model that is verified and used', async (t) => {
  const { home, context } = fakeHome(t, { FRAMEHOUND_MODELS_URL: 'http://127.0.0.1:9' });
  const folder = join(home, 'models', 'mine');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.json'), JSON.stringify(row));
  const installation = async () => openInstallation(join(home, 'models'), 'cpu');
  const run = async (...args: string[]) => {
    const own = context({ installation, clock: eager });
    const code = await models(args, own);
    return { code, ...own.said() };
  };

  const own = context({ installation, clock: eager });
  const failed = await models(['pull', 'mine'], own).catch((error: Error) => error);
  assert.ok(failed instanceof Error);
  assert.ok(modelErrors.DOWNLOAD_FAILED.is(failed));
  assert.match(own.said().err, /1\/3 vision\.onnx, 0\.0 MB: connecting to 127\.0\.0\.1:9\n.*retrying, /);

  const recipe = failed.message.split('\n');
  const [into] = recipe.slice(recipe.indexOf('copy them, under these names, to') + 1);
  const contents = new Map([
    ['http://127.0.0.1:9/me/mine/resolve/main/onnx/vision.onnx', graph],
    ['http://127.0.0.1:9/me/mine/resolve/main/onnx/text.onnx', graph],
    ['http://127.0.0.1:9/me/mine/resolve/main/onnx/words.json', words],
  ]);
  for (const [i, line] of recipe.entries()) {
    const bytes = contents.get(line.trim());
    if (bytes === undefined) continue;
    const [, name, size] = /^ {4}as (\S+?)(?:, (\d+) bytes)?$/.exec(recipe[i + 1]!)!;
    const pin = /sha256 ([0-9a-f]{64})$/.exec(recipe[i + 2]!)?.[1];
    assert.deepEqual([size, pin], bytes === graph ? [`${graph.length}`, sha(graph)] : [undefined, undefined]);
    writeFileSync(join(into!.trim(), name!), bytes);
    contents.delete(line.trim());
  }
  assert.equal(contents.size, 0, 'every file is named');

  const verified = await run(...recipe.at(-1)!.trim().split(' framehound ')[1]!.split(' ').slice(1));
  assert.equal(verified.code, 0, verified.out);
  assert.match(verified.out, /vision\.onnx: ok\n.*words\.json: nothing to compare with \(sha256 /s);
  assert.equal((await run('use', 'mine')).code, 0);
  assert.equal(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')).model, 'mine');

  writeFileSync(join(folder, 'text.onnx'), 'another graph');
  const wrong = await run('verify', 'mine');
  assert.deepEqual([wrong.code, /text\.onnx: wrong sha256/.test(wrong.out)], [1, true], wrong.out);
});

test('a proxy that the environment names is told of, without its password, unless it is used', () => {
  const proxy = { HTTPS_PROXY: 'http://ada:secret@proxy.example:3128' };
  assert.equal(unusedProxyOf(proxy), 'http://…@proxy.example:3128');
  assert.equal(unusedProxyOf({ ...proxy, NODE_USE_ENV_PROXY: '1' }), null);
  assert.equal(unusedProxyOf({}), null);
  const missing = { folder: '/m/small', files: [] };
  const situation = { invocation: 'framehound', modelsUrl: 'https://models.example' };
  assert.match(
    manualDownloadText('small', missing, { ...situation, unusedProxy: unusedProxyOf(proxy) }),
    /^The environment sets a proxy.*\n {2}NODE_USE_ENV_PROXY=1 framehound models pull small\n/,
  );
});

test('another server is named only for files that it may have', () => {
  const situation = { invocation: 'framehound', unusedProxy: null, modelsUrl: 'https://models.example/' };
  const recipe = (url: string) => {
    const files = [{ name: 'a.onnx', url, npm: null, size: 5, sha256: null, integrity: null }];
    return manualDownloadText('small', { folder: '/m/small', files }, situation);
  };
  assert.match(recipe('https://models.example/me/a.onnx'), /FRAMEHOUND_MODELS_URL/);
  assert.match(recipe('https://github.com/me/a/releases/download/v1/a.onnx'), /FRAMEHOUND_MODELS_URL/);
  assert.doesNotMatch(recipe('https://files.example/me/a.onnx'), /FRAMEHOUND_MODELS_URL/);
});

test('a package is named with the command that packs it, and is unpacked by another pull', () => {
  const tarball = { name: 'me-a-1.2.3.tgz', npm: '@me/a@1.2.3', size: 5, integrity: 'sha512-abc==' };
  const missing = { folder: '/m/small', files: [{ ...tarball, url: null, sha256: null }] };
  const situation = {
    invocation: 'framehound',
    unusedProxy: 'http://proxy',
    modelsUrl: 'https://models.example/',
  };
  assert.equal(
    manualDownloadText('small', missing, situation),
    `Or fetch the files yourself. On a machine with network access, download:
  npm pack @me/a@1.2.3
    as me-a-1.2.3.tgz, 5 bytes
    sha512-abc==
copy them, under these names, to
  /m/small
then unpack and check them:
  framehound models pull small
`,
  );
});
