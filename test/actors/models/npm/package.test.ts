import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { npmError, readTarball } from '../../../../actors/models/npm/package.ts';
import { npmProgram, withoutOuterNpm } from '../../../../runtime/process/npm.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { bytesOf } from '../server.ts';
import { type Member, tarballOf, tarOf } from './make-tarball.ts';

const folder = temporaryFolder();
const { signal } = new AbortController();

const read = (bytes: Uint8Array, ...paths: string[]) => {
  const file = join(folder, 'a.tgz');
  writeFileSync(file, bytes);
  return readTarball(file, new Set(paths), signal);
};
const graph = bytesOf(300_000);
const long = `assets/${'deep/'.repeat(30)}words.txt`;
const members: readonly Member[] = [
  { path: 'assets', bytes: new Uint8Array(), type: '5' },
  { path: 'package.json', bytes: bytesOf(600, 4) },
  { path: 'assets/empty', bytes: new Uint8Array() },
  { path: long, bytes: bytesOf(512, 5) },
  { path: 'assets/graph.onnx', bytes: graph },
  { path: 'README.md', bytes: bytesOf(100) },
];

test('the wanted files come out whole, whatever their length and that of their path', async () => {
  const found = await read(tarballOf(members).bytes, 'assets/graph.onnx', long, 'assets/empty');
  assert.deepEqual([...found.keys()].sort(), ['assets/empty', long, 'assets/graph.onnx'].sort());
  assert.deepEqual(found.get('assets/graph.onnx'), graph);
  assert.deepEqual(found.get(long), bytesOf(512, 5));
  assert.equal(found.get('assets/empty')?.length, 0);
});

test('an archive without a wanted file names it', async () => {
  await assert.rejects(
    read(tarballOf(members).bytes, 'assets/graph.onnx', 'models/b.bin'),
    /it has no models\/b\.bin/,
  );
});

test('a cut tarball is refused, wherever it is cut', async () => {
  const { bytes } = tarballOf(members);
  for (const share of [0, 0.001, 0.3, 0.9])
    await assert.rejects(
      read(bytes.subarray(0, Math.floor(share * bytes.length)), 'assets/graph.onnx'),
      Error,
    );
  const archive = tarOf(members);
  for (const end of [100, 512, 2000, archive.length - 300_000])
    await assert.rejects(read(gzipSync(archive.subarray(0, end)), 'README.md'), /it is cut short/);
});

test('what is no gzip is refused', async () => {
  await assert.rejects(read(bytesOf(5000), 'a'), /incorrect header check/);
});

test('reading ends when it is cancelled', async () => {
  const file = join(folder, 'a.tgz');
  writeFileSync(file, tarballOf(members).bytes);
  const stop = AbortSignal.abort(new Error('enough'));
  await assert.rejects(readTarball(file, new Set(['README.md']), stop), /enough/);
});

test('of what npm prints the code and the first line that says something are told', () => {
  const refused = `npm error code ECONNREFUSED
npm error syscall connect
npm error errno ECONNREFUSED
npm error FetchError: request to http://127.0.0.1:9/a failed, reason: connect ECONNREFUSED 127.0.0.1:9
npm error     at ClientRequest.<anonymous> (index.js:130:14)
npm error A complete log of this run can be found in: /tmp/a-debug-0.log
`;
  assert.deepEqual(npmError(refused), {
    code: 'ECONNREFUSED',
    text: 'FetchError: request to http://127.0.0.1:9/a failed, reason: connect ECONNREFUSED 127.0.0.1:9',
  });
  const absent = 'npm ERR! code E404\nnpm ERR! 404 Not Found - GET http://r/a\nnpm ERR! 404\n';
  assert.deepEqual(npmError(absent), { code: 'E404', text: 'Not Found - GET http://r/a' });
  assert.deepEqual(npmError('Segmentation fault\n'), { code: '', text: '' });
});

test('the JavaScript of npm runs under the Node that is asked for, and a command that is none by its name', (t) => {
  const folder = realpathSync(temporaryFolder(t));
  const script = join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js');
  mkdirSync(join(script, '..'), { recursive: true });
  writeFileSync(script, '');
  const env = { Path: ['/nowhere', folder].join(delimiter) };
  const byName = { command: 'npm', args: [] };
  assert.deepEqual(npmProgram(env, 'linux'), byName);
  assert.deepEqual(npmProgram(env, 'win32'), { command: process.execPath, args: [script] });
  assert.deepEqual(npmProgram({ Path: '/nowhere' }, 'win32'), byName);
  // Started by npm, of which only the process knows where it is.
  const started = { Path: '/nowhere', npm_execpath: join(script, '..', 'npx-cli.js') };
  assert.deepEqual(npmProgram(started, 'win32', 'node'), { command: 'node', args: [script] });
  if (process.platform === 'win32') return;
  symlinkSync(script, join(folder, 'npm'));
  assert.deepEqual(npmProgram(env, 'linux', '/pinned/node'), { command: '/pinned/node', args: [script] });
  // The first one in the path decides, also when it is the command of a version manager.
  mkdirSync(join(folder, 'manager'));
  writeFileSync(join(folder, 'manager', 'npm'), '#!/bin/sh');
  assert.deepEqual(npmProgram({ PATH: [join(folder, 'manager'), folder].join(delimiter) }, 'linux'), byName);
});

test('another npm keeps registry and proxy of the one above, and not where that one installs', () => {
  const kept = { npm_config_registry: 'http://r/', npm_config_https_proxy: 'http://p/', PATH: '/bin' };
  const outer = {
    npm_config_global: 'true',
    npm_config_prefix: '/usr',
    npm_package_name: 'a',
    npm_command: 'exec',
  };
  assert.deepEqual(withoutOuterNpm({ ...kept, ...outer }), kept);
});
