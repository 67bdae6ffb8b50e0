import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { missingLibraries, type Places, readDependencies } from '../../../actors/models/cuda-fault.ts';
import { type ElfParts, makeElf } from './make-elf.ts';

/** A folder with these libraries by path, or files of these bytes. */
function folderWith(t: TestContext, files: Readonly<Record<string, ElfParts | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-libraries-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, parts] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), Buffer.isBuffer(parts) ? parts : makeElf(parts));
  }
  return folder;
}

const nowhere: Places = { libraryPath: [], cache: '/no/such/cache', system: [] };

test('what a library wants is read; other files and damaged ones want nothing', (t) => {
  const parts = { needed: ['liba.so.1', 'libb.so'], rpath: '/r', runpath: '$ORIGIN:/opt/cuda/lib64' };
  const whole = makeElf(parts);
  const folder = folderWith(t, {
    whole,
    none: {},
    text: Buffer.from('#!/bin/sh\n'),
    cut: whole.subarray(0, 90),
  });
  const read = (name: string) => readDependencies(join(folder, name));
  assert.deepEqual(read('whole'), {
    needed: ['liba.so.1', 'libb.so'],
    rpath: ['/r'],
    runpath: ['$ORIGIN', '/opt/cuda/lib64'],
  });
  assert.deepEqual(read('none'), { needed: [], rpath: [], runpath: [] });
  assert.equal(read('text'), null);
  assert.equal(read('cut'), null);
  for (let at = 0; at < whole.length; at += 4) {
    const damaged = Buffer.from(whole).fill(0xff, at, Math.min(at + 8, whole.length));
    writeFileSync(join(folder, 'damaged'), damaged);
    assert.doesNotThrow(() => read('damaged'), `byte ${at}`);
    assert.doesNotThrow(() => missingLibraries(join(folder, 'damaged'), nowhere), `byte ${at}`);
  }
});

test('what a library needs is named where nothing has it, also what those that it needs need', (t) => {
  const folder = folderWith(t, {
    'provider.so': { needed: ['libcudnn.so.9', 'libcublas.so.13', 'libcudart.so.13'], runpath: '$ORIGIN' },
    'libcublas.so.13': { needed: ['libcublasLt.so.13', 'libcudart.so.13'] },
    // For a machine of 32 bits.
    'libcudart.so.13': Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1, 1]), Buffer.alloc(60)]),
  });
  const path = join(folder, 'provider.so');
  assert.deepEqual(missingLibraries(path, nowhere), [
    'libcudnn.so.9',
    'libcudart.so.13',
    'libcublasLt.so.13',
  ]);
});

test('the loader looks into its path, the cache and the folders of the system, and RPATH is handed on', (t) => {
  const folder = folderWith(t, {
    'provider.so': {
      needed: ['libpath.so', 'libcached.so', 'libsystem.so', 'libold.so'],
      rpath: '$ORIGIN/own',
    },
    'path/libpath.so': {},
    'system/libsystem.so': { needed: ['libalso.so'] },
    'own/libold.so': {},
    'own/libalso.so': {},
    'cached/libcached.so': {},
  });
  const cache = join(folder, 'ld.so.cache');
  writeFileSync(cache, cacheOf({ 'libcached.so': join(folder, 'cached', 'libcached.so') }));
  const places = { libraryPath: [join(folder, 'path')], cache, system: [join(folder, 'system')] };
  assert.deepEqual(missingLibraries(join(folder, 'provider.so'), places), []);
  const missing = missingLibraries(join(folder, 'provider.so'), nowhere);
  assert.deepEqual(missing, ['libpath.so', 'libcached.so', 'libsystem.so']);
});

/** A cache as ldconfig writes it, behind one of the older form. */
function cacheOf(libraries: Readonly<Record<string, string>>): Buffer {
  const names = Object.entries(libraries);
  const head = Buffer.alloc(48);
  head.write('glibc-ld.so.cache1.1');
  head.writeUInt32LE(names.length, 20);
  const texts = Buffer.from(names.flat().join('\0').concat('\0'));
  const first = 48 + names.length * 24;
  let at = first;
  const entries = names.map(([name, path]) => {
    const entry = Buffer.alloc(24);
    entry.writeUInt32LE(at, 4);
    entry.writeUInt32LE(at + name.length + 1, 8);
    at += name.length + path.length + 2;
    return entry;
  });
  return Buffer.concat([Buffer.from('ld.so-1.7.0\0\0\0\0\0'), head, ...entries, texts]);
}

const binding = fileURLToPath(
  new URL(
    '../../../node_modules/onnxruntime-node/bin/napi-v6/linux/x64/onnxruntime_binding.node',
    import.meta.url,
  ),
);
const linux = { skip: process.platform !== 'linux' || process.arch !== 'x64' };

test('the loader of this machine agrees', linux, (t) => {
  assert.deepEqual(missingLibraries(binding), []);
  const bytes = readFileSync(binding);
  bytes.write('libnowhere.so', bytes.indexOf('libstdc++.so.6\0'));
  bytes.write('/', bytes.indexOf('$ORIGIN/'));
  const folder = folderWith(t, { 'binding.node': bytes });
  const missing = missingLibraries(join(folder, 'binding.node'));
  assert.deepEqual(missing, ['libonnxruntime.so.1', 'libnowhere.so6']);
  // In a process of its own: this one may have loaded onnxruntime, whose libraries are then found by their
  // name.
  const load = 'process.dlopen({ exports: {} }, process.argv[1])';
  const { stderr } = spawnSync(process.execPath, ['-e', load, join(folder, 'binding.node')], {
    encoding: 'utf8',
  });
  assert.match(stderr, new RegExp(`^Error: ${missing[0]}: cannot open shared object file`, 'm'));
});
