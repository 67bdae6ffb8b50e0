import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readTarball } from '../../../../actors/models/npm/package.ts';
import { bytesOf } from '../server.ts';
import { type Member, tarballOf, tarOf } from './make-tarball.ts';

const folder = mkdtempSync(join(tmpdir(), 'tarball-'));
after(() => rmSync(folder, { recursive: true }));
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
