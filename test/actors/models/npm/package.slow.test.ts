// Models that come from packages of the npm registry: with programs in the place of npm, and once with npm
// itself.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { ModelRow, PullOptions, PullProgress } from '../../../../actors/models/contract.ts';
import { convertGraphModel } from '../../../../actors/models/conversion/in-thread.ts';
import { createModelLibrary } from '../../../../actors/models/library.ts';
import { builtInRows } from '../../../../actors/models/rows/list.ts';
import { npmGraph, npmPackage } from '../../../../actors/models/rows/origins.ts';
import { manualClock } from '../../../runtime/manual-clock.ts';
import { until } from '../../../until.ts';
import { smallGraph } from '../conversion/small-graph.ts';
import { bytesOf, eagerClock, never } from '../server.ts';
import { tarballOf } from './make-tarball.ts';
import { standInNpm } from './stand-in-npm.ts';

/** Content that cannot be compressed, like weights. */
const graph = createHash('shake256', { outputLength: 40_000 }).update('graph').digest();
const keys = bytesOf(700, 3);
const { bytes, integrity } = tarballOf([
  { path: 'package.json', bytes: Buffer.from('{"name":"@me/sight","version":"1.2.3"}') },
  { path: 'assets/graph.onnx', bytes: graph },
  { path: 'assets/keys.txt', bytes: keys },
]);
const sha = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
const file = npmPackage({ package: '@me/sight', version: '1.2.3', integrity, size: bytes.length });
const tarball = 'me-sight-1.2.3.tgz';
const row: ModelRow = {
  ...builtInRows.find(({ kind }) => kind === 'text-recognition')!,
  key: 'mine',
  files: [
    file('graph', 'assets/graph.onnx', graph.length, sha(graph)),
    file('keys', 'assets/keys.txt', keys.length, sha(keys)),
  ],
};

let home = '';
let folder = '';
const log = () => join(home, 'log');
const runs = () => (existsSync(log()) ? readFileSync(log(), 'utf8').length : 0);
const library = () => createModelLibrary(join(home, 'models'), { memoryBytes: 8e9, graphics: false });
const rewrite = (change: Partial<ModelRow>) =>
  writeFileSync(join(folder, 'model.json'), JSON.stringify({ ...row, ...change }));

/** An npm that counts how often it runs. */
const npm = (script: string) =>
  standInNpm(join(home, 'bin'), `fs.appendFileSync(${JSON.stringify(log())}, '.');\n${script}`);
const giving = (data: Uint8Array) => {
  const source = join(home, 'given.tgz');
  writeFileSync(source, data);
  return npm(`fs.copyFileSync(${JSON.stringify(source)}, folder + '/${tarball}');`);
};
const failing = (said: string) => npm(`console.error(${JSON.stringify(said)}); process.exit(1);`);
const hanging = () => npm(`fs.writeFileSync(folder + '/begun', 'x'); setInterval(() => {}, 1e6);`);

const pull = (env: NodeJS.ProcessEnv, options: Partial<PullOptions> = {}) =>
  library().pull('mine', {
    env,
    signal: new AbortController().signal,
    clock: eagerClock(),
    stallMs: never,
    tries: 2,
    ...options,
  });
const lying = () => readdirSync(folder).sort();
const clean = ['graph.onnx', 'keys.txt', 'model.json'];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'npm-models-'));
  folder = join(home, 'models', 'mine');
  mkdirSync(folder, { recursive: true });
  rewrite({});
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('one tarball brings every file of a model, which is then verified, and nothing else stays', async () => {
  const { files, license } = await pull(giving(bytes));
  assert.equal(license, row.license);
  assert.deepEqual(
    files.map(({ name, verified, fetched }) => [name, verified, fetched]),
    [
      ['graph.onnx', 'pin', true],
      ['keys.txt', 'pin', true],
    ],
  );
  assert.equal(runs(), 1);
  assert.deepEqual(lying(), clean);
  assert.deepEqual(readFileSync(join(folder, 'graph.onnx')), graph);
  assert.equal((await library().verify('mine', new AbortController().signal)).ok, true);
  const again = await pull(giving(bytes));
  assert.deepEqual([again.files.map(({ fetched }) => fetched), runs()], [[false, false], 1]);
  assert.deepEqual((await library().remove('mine')).removed, ['graph.onnx', 'keys.txt']);
  assert.deepEqual(lying(), ['model.json']);
});

test('only what is missing or damaged is written again', async () => {
  await pull(giving(bytes));
  writeFileSync(join(folder, 'keys.txt'), 'other');
  const { files } = await pull(giving(bytes));
  assert.deepEqual(
    files.map(({ fetched }) => fetched),
    [false, true],
  );
  assert.deepEqual(new Uint8Array(readFileSync(join(folder, 'keys.txt'))), keys);
});

test('offline the tarball is named with the command that makes it, and does in its place', async () => {
  const offline = failing(
    'npm error code ENOTFOUND\nnpm error network request to http://r/ failed, reason: no r',
  );
  const progress: PullProgress[] = [];
  await assert.rejects(pull(offline, { progress: (one) => progress.push(one) }), {
    code: 'DOWNLOAD_FAILED',
    message: '@me/sight@1.2.3: npm says: request to http://r/ failed, reason: no r',
  });
  assert.deepEqual([runs(), lying()], [2, ['model.json']]);
  const waiting = progress.find(({ phase }) => phase === 'waiting');
  assert.equal(waiting?.reason, 'npm says: request to http://r/ failed, reason: no r');
  assert.equal(waiting?.server, 'npm (@me/sight@1.2.3)');
  assert.deepEqual(await library().missing('mine'), {
    folder,
    files: [
      { name: tarball, url: null, npm: '@me/sight@1.2.3', size: bytes.length, sha256: null, integrity },
    ],
  });
  writeFileSync(join(folder, tarball), bytes);
  await pull(offline);
  assert.deepEqual([runs(), lying()], [2, clean]);
});

test('a tarball by hand that is cut or of another version is told of, and what was stored stays', async () => {
  await pull(giving(bytes));
  rmSync(join(folder, 'keys.txt'));
  const offline = failing('npm error code ENOTFOUND\nnpm error no r');
  for (const [wrong, told] of [
    [bytes.subarray(0, 300), /me-sight-1\.2\.3\.tgz is not this package: 300 bytes instead of/],
    [bytesOf(bytes.length), /is not this package: sha512-.* instead of sha512-/],
  ] as const) {
    writeFileSync(join(folder, tarball), wrong);
    await assert.rejects(pull(offline), { code: 'DOWNLOAD_FAILED', message: told });
    assert.deepEqual(lying(), ['graph.onnx', tarball, 'model.json'].sort());
  }
  await pull(giving(bytes));
  assert.deepEqual(lying(), clean);
});

test('another tarball from the registry is refused and not kept', async () => {
  for (const wrong of [bytes.subarray(0, 300), bytesOf(bytes.length)])
    await assert.rejects(pull(giving(wrong)), {
      code: 'DOWNLOAD_MISMATCH',
      message:
        /^@me\/sight@1\.2\.3: the tarball from the registry is not the expected one: .*it was discarded$/,
    });
  assert.deepEqual([runs(), lying()], [2, ['model.json']]);
});

test('a package without the file, or with another one, is told by package, version and file', async () => {
  const [first, second] = row.files as [ModelRow['files'][0], ModelRow['files'][0]];
  rewrite({ files: [{ ...first, npm: { ...first.npm!, paths: ['assets/other.onnx'] } }] });
  await assert.rejects(pull(giving(bytes)), {
    code: 'DOWNLOAD_MISMATCH',
    message: '@me/sight@1.2.3: the tarball cannot be read: it has no assets/other.onnx',
  });
  rewrite({ files: [first, { ...second, sha256: sha(graph) }] });
  await assert.rejects(pull(giving(bytes)), {
    code: 'DOWNLOAD_MISMATCH',
    message: /keys\.txt has 700 bytes and sha256/,
  });
  assert.equal(existsSync(join(folder, 'graph.onnx')), true);
});

test('a graph model of a package is converted once, kept as the pinned graph, and refused where it is not known', async () => {
  const { json, weights } = smallGraph();
  const packed = (model: object) => {
    const parts = [
      { path: 'models/small.bin', bytes: weights },
      { path: 'models/small.json', bytes: Buffer.from(JSON.stringify(model)) },
    ];
    const made = tarballOf(parts);
    const source = {
      package: '@me/sight',
      version: '1.2.3',
      integrity: made.integrity,
      size: made.bytes.length,
    };
    return { data: made.bytes, graphModel: npmGraph(source) };
  };
  const onnx = convertGraphModel(Buffer.from(JSON.stringify(json)), weights);
  const pins = [onnx.length, sha(onnx)] as const;
  const paths = ['models/small.json', 'models/small.bin'];
  const right = packed(json);
  rewrite({ files: [right.graphModel('graph', 'small.onnx', paths, ...pins)] });
  await pull(giving(right.data));
  assert.deepEqual(lying(), ['model.json', 'small.onnx']);
  assert.deepEqual(readFileSync(join(folder, 'small.onnx')), Buffer.from(onnx));
  rmSync(join(folder, 'small.onnx'));

  const { node } = json.modelTopology;
  const unknown = packed({
    ...json,
    modelTopology: { node: node.map((one) => ({ ...one, op: one.op.replace('LeakyRelu', 'Elu') })) },
  });
  rewrite({ files: [unknown.graphModel('graph', 'small.onnx', paths, ...pins)] });
  await assert.rejects(pull(giving(unknown.data)), {
    code: 'CONVERSION_FAILED',
    message: '@me/sight@1.2.3: models/small.json cannot be converted: active: the operator Elu is not known',
  });
});

test('what no other try changes is tried once: a package that is not there, no right to it, no npm', async () => {
  const absent = failing('npm error code E404\nnpm error 404 Not Found - GET http://r/@me%2fsight');
  await assert.rejects(pull(absent), {
    code: 'DOWNLOAD_REFUSED',
    message: '@me/sight@1.2.3: npm says: Not Found - GET http://r/@me%2fsight',
  });
  await assert.rejects(pull(failing('npm error code EINTEGRITY\nnpm error sha512-a')), {
    code: 'DOWNLOAD_MISMATCH',
  });
  assert.equal(runs(), 2);
  // Under npm itself it would be found by what npm tells its scripts.
  const { npm_execpath: _, ...rest } = process.env;
  await assert.rejects(pull({ ...rest, PATH: join(home, 'nothing') }), {
    code: 'DOWNLOAD_REFUSED',
    message: /npm is not in the PATH/,
  });
});

test('a cancelled pull ends npm and leaves nothing', async () => {
  const stop = new AbortController();
  const pulling = assert.rejects(pull(hanging(), { signal: stop.signal }), { code: 'CANCELLED' });
  await begun();
  stop.abort();
  await pulling;
  assert.deepEqual(lying(), ['model.json']);
});

test('an npm that brings nothing for long is ended, and what an ended process left goes with the next pull', async () => {
  const clock = manualClock();
  const pulling = assert.rejects(pull(hanging(), { clock, stallMs: 30_000, tries: 1 }), {
    code: 'DOWNLOAD_FAILED',
    message: '@me/sight@1.2.3: npm sent nothing for 120 s',
  });
  await begun();
  clock.advance(140_000);
  await pulling;
  mkdirSync(join(folder, 'npm-abc'));
  await pull(giving(bytes));
  assert.deepEqual(lying(), clean);
});

test('an npm that a busy machine keeps from its work for longer than a server may be silent is waited for', async () => {
  const clock = manualClock();
  const go = join(home, 'go');
  const source = join(home, 'given.tgz');
  writeFileSync(source, bytes);
  const slow = npm(`if (!process.argv.includes('--fetch-timeout=30000')) process.exit(1);
    fs.writeFileSync(folder + '/begun', '');
    setInterval(() => { if (!fs.existsSync(${JSON.stringify(go)})) return;
      fs.copyFileSync(${JSON.stringify(source)}, folder + '/${tarball}'); process.exit(0); }, 20);`);
  const pulling = pull(slow, { clock, stallMs: 30_000, tries: 1 });
  await begun();
  clock.advance(90_000);
  writeFileSync(go, '');
  await pulling;
  assert.deepEqual(lying(), clean);
});

test('npm itself notices a registry that accepts a request and stays silent', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ...process.env, npm_config_registry: registry };
  try {
    await assert.rejects(pull(env, { stallMs: 1000, clock: manualClock(), tries: 1 }), {
      code: 'DOWNLOAD_FAILED',
      message: /npm says: .*timeout/i,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

const begun = () =>
  until(() => readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith('begun')));

test('progress is told while the tarball grows', async () => {
  const source = join(home, 'given.tgz');
  writeFileSync(source, bytes);
  const seen = join(home, 'seen');
  const script = `const all = fs.readFileSync(${JSON.stringify(source)});
    fs.writeFileSync(folder + '/growing', all.subarray(0, 5000));
    const timer = setInterval(() => { if (!fs.existsSync(${JSON.stringify(seen)})) return; clearInterval(timer);
      fs.renameSync(folder + '/growing', folder + '/${tarball}'); fs.writeFileSync(folder + '/${tarball}', all); }, 20);`;
  const told: PullProgress[] = [];
  await pull(npm(script), {
    progress: (one) => {
      told.push(one);
      if (one.phase === 'receiving') writeFileSync(seen, 'x');
    },
  });
  const receiving = told.find(({ phase }) => phase === 'receiving');
  assert.deepEqual([receiving?.received, receiving?.total], [5000, bytes.length]);
});

test('npm itself brings the package from the registry of its settings, and its cache keeps nothing of it', async () => {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (url.endsWith('.tgz')) return response.end(bytes);
    const dist = { integrity, tarball: `${origin()}/@me/sight/-/sight-1.2.3.tgz` };
    const version = { name: '@me/sight', version: '1.2.3', dist };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ name: '@me/sight', 'dist-tags': { latest: '1.2.3' }, versions: { '1.2.3': version } }),
    );
  });
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cache = join(home, 'cache');
  const env = { ...process.env, npm_config_registry: origin(), npm_config_cache: cache };
  try {
    await pull(env);
    assert.deepEqual([...new Set(asked)], ['/@me%2fsight', '/@me/sight/-/sight-1.2.3.tgz']);
    assert.deepEqual([lying(), existsSync(cache)], [clean, false]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
