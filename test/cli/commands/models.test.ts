import assert from 'node:assert/strict';
import test from 'node:test';
import type { Installation } from '../../../actors/installation.ts';
import type { ListedModel, ModelLibrary } from '../../../actors/models/contract.ts';
import { models } from '../../../cli/commands/models.ts';
import { type Context, exit, usageErrors } from '../../../cli/context.ts';
import { manualClock } from '../../../runtime/clock.ts';

const row = { key: 'small', kind: 'visual', size_gb: 0.05, license: 'MIT' };
const listed = { row, builtIn: false, downloaded: false, supported: true } as unknown as ListedModel;
const problem = { file: '/m/odd/model.json', field: '/key', message: 'is missing' };

/** The command over a library of the test; there is no engine. */
async function run(library: Partial<ModelLibrary>, ...args: string[]) {
  let [out, err] = ['', ''];
  const context = {
    values: { models_url: 'https://models.example' },
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

test('list prints each model with its state, and what is wrong with a folder', async () => {
  const list = async () => ({ models: [listed], problems: [] });
  const { code, out, err } = await run({ list });
  assert.deepEqual([code, err], [exit.ok, '']);
  assert.match(out, /^small +visual +not downloaded +50 MB {2}MIT\n$/);
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

test('remove names the files of the user that stay', async () => {
  const remove: ModelLibrary['remove'] = async (key) => ({ key, removed: ['a.onnx'], kept: ['b.json'] });
  const { out } = await run({ remove }, 'remove', 'small');
  assert.equal(out, 'small: 1 files removed, kept because they are your own: b.json\n');
});

test('an unknown action and an action without a key are errors of usage', async () => {
  await assert.rejects(run({}, 'fetch'), usageErrors.USAGE.is);
  await assert.rejects(run({}, 'pull'), usageErrors.USAGE.is);
});
