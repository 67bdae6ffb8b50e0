import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import type { Installation } from '../../../actors/installation.ts';
import type { ListedModel, ModelLibrary } from '../../../actors/models/contract.ts';
import { models } from '../../../cli/commands/models.ts';
import { type Context, exit, usageErrors } from '../../../cli/context.ts';
import { manualClock } from '../../../runtime/clock.ts';

const row = {
  key: 'small',
  kind: 'visual',
  size_gb: 0.05,
  license: 'MIT',
  languages: ['en', 'de'],
  accuracy: 1,
};
const listed = {
  row,
  builtIn: false,
  downloaded: false,
  supported: true,
  advised: true,
} as unknown as ListedModel;
const problem = { file: '/m/odd/model.json', field: '/key', message: 'is missing' };

const home = mkdtempSync(join(tmpdir(), 'framehound-models-'));
after(() => rmSync(home, { recursive: true }));

/** The command over a library of the test; there is no engine. */
async function run(library: Partial<ModelLibrary>, ...args: string[]) {
  let [out, err] = ['', ''];
  const context = {
    values: { models_url: 'https://models.example', model: 'other', home },
    config: { sources: { model: 'default' } },
    out: (text: string) => {
      out += text;
    },
    screen: {
      write: (text: string) => {
        err += text;
      },
      columns: 100,
      isTerminal: false,
    },
    signal: new AbortController().signal,
    clock: manualClock(),
    installation: async () => ({ models: library }) as Installation,
    startEngine: () => Promise.reject(new Error('models need no engine')),
  } as unknown as Context;
  const code = await models(args, context);
  return { code, out, err };
}

test('list prints what models are for, their languages, the advised and the used one, and what is wrong', async () => {
  const list = async () => ({ models: [listed], problems: [] });
  const { code, out, err } = await run({ list });
  assert.deepEqual([code, err], [exit.ok, '']);
  assert.match(
    out,
    /^visual: looks at pictures\n {2}small +not downloaded, advised +50 MB {2}en, de +MIT\n$/,
  );
  const used = { ...listed, row: { ...row, key: 'other' }, downloaded: true, advised: false } as ListedModel;
  const both = async () => ({ models: [listed, used], problems: [] });
  assert.match((await run({ list: both })).out, /\n {2}other +downloaded, in use /);
  const told = JSON.parse((await run({ list: both }, 'list', '--json')).out);
  assert.deepEqual(
    told.map(({ purpose, in_use, advised }: Record<string, unknown>) => [purpose, in_use, advised]),
    [
      ['looks at pictures', false, true],
      ['looks at pictures', true, false],
    ],
  );
  const broken = await run({ list: async () => ({ models: [], problems: [problem] }) }, 'list', '--json');
  assert.deepEqual(broken, { code: exit.error, out: '[]\n', err: '✗ /m/odd/model.json /key: is missing\n' });
});

test('pull fetches from the address of the settings and prints each file', async () => {
  const asked: unknown[] = [];
  const file = { name: 'a.onnx', path: '/m/small/a.onnx', size: 5, sha256: 'ab', verified: 'pin' } as const;
  const pull: ModelLibrary['pull'] = async (key, { baseUrl }) => {
    asked.push([key, baseUrl]);
    return { key, folder: '/m/small', files: [{ ...file, fetched: true }] };
  };
  const { code, out } = await run({ pull }, 'pull', 'small');
  assert.equal(code, exit.ok);
  assert.match(out, /^pulled: a\.onnx, 5 bytes, sha256 as pinned\n/);
  assert.deepEqual(asked, [['small', 'https://models.example']]);
});

test('verify fails when a file is not as it should be, and says how to repair it', async () => {
  const file = { name: 'a.onnx', state: 'missing', size: null, sha256: null, expectedSha256: 'ab' } as const;
  const verify: ModelLibrary['verify'] = async (key) => ({ key, ok: false, files: [file] });
  const { code, out } = await run({ verify }, 'verify', 'small');
  assert.equal(code, exit.error);
  assert.match(out, /^a\.onnx: missing\nsmall: not as it should be; .*framehound models pull small\n$/);
});

test('use writes the setting, and says that a service that runs goes on with the model it has', async () => {
  const there = { ...listed, downloaded: true } as ListedModel;
  const { code, out } = await run({ list: async () => ({ models: [there], problems: [] }) }, 'use', 'small');
  assert.equal(code, exit.ok);
  assert.deepEqual(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')), { model: 'small' });
  assert.match(
    out,
    /analyse again what it is to find\. A service that runs .*next start, or at POST \/models\/load\n$/,
  );
});

test('remove names the files of the user that stay', async () => {
  const remove: ModelLibrary['remove'] = async (key) => ({ key, removed: ['a.onnx'], kept: ['b.json'] });
  const { out } = await run({ remove }, 'remove', 'small');
  assert.equal(out, 'small: 1 files removed, kept because they are your own: b.json\n');
});

test('an unknown action and an action without a key are errors of usage', async () => {
  await assert.rejects(run({}, 'fetch'), usageErrors.USAGE.is);
  await assert.rejects(run({}, 'pull'), usageErrors.USAGE.is);
});
