// Which systems are refused, and what somebody there can do; each in one line.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { nodePackages, unsupported } from '../../../runtime/process/system.mjs';
import { nativePackages, root } from '../../native-packages.ts';

test('the system of these tests is supported, and its own C library is looked at', () => {
  assert.equal(unsupported(), undefined);
});

test('every system that lacks a part is refused by what it lacks, with what to use instead', () => {
  const refused = [
    [{ platform: 'linux', arch: 'x64', glibc: null }, /no glibc.+Ubuntu 22\.04.+container/],
    [{ platform: 'linux', arch: 'arm64', glibc: '2.31' }, /glibc 2\.31: .+2\.34 or newer.+container/],
    [{ platform: 'linux', arch: 'x64', glibc: '1.99' }, /glibc 1\.99/],
    [{ platform: 'linux', arch: 'arm', glibc: '2.36' }, /linux-arm is not supported: use Linux on x64/],
    [{ platform: 'darwin', arch: 'x64' }, /Intel processor.+ONNX Runtime.+Apple silicon/],
    [{ platform: 'win32', arch: 'arm64' }, /Windows on arm64.+WSL2/],
    [{ platform: 'freebsd', arch: 'x64' }, /freebsd-x64 is not supported/],
  ] as const;
  for (const [system, what] of refused) {
    const said = unsupported(system);
    assert.match(said!, what);
    assert.doesNotMatch(said!, /\n/);
  }
});

test('what is supported has a pinned Node in the lock file, with its checksum', () => {
  const folder = new URL('../../../runtime/node/', import.meta.url);
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', folder), 'utf8')) as {
    packages: Record<string, { integrity?: string; version: string; os: string; cpu: string }>;
  };
  for (const [system, name] of Object.entries(nodePackages)) {
    const glibc = system.startsWith('linux') ? '2.34' : null;
    const [platform, arch] = system.split('-') as [string, string];
    assert.equal(unsupported({ platform, arch, glibc }), undefined, system);
    const locked = packages[`node_modules/${name}`];
    assert.match(locked!.integrity!, /^sha512-/, name);
    assert.match(locked!.version, /^22\./);
    assert.deepEqual([locked!.os, locked!.cpu], [platform, arch]);
  }
  assert.equal(Object.keys(packages).length, 1 + Object.keys(nodePackages).length);
  assert.ok(existsSync(new URL('package.json', folder)));
});

test('the lock files have the native packages of every system, but for those that are installed by name', () => {
  const missing = Object.keys(nodePackages).flatMap((system) =>
    nativePackages(system).filter(({ integrity }) => integrity === null),
  );
  // They were not on the registry that the lock file was written with (launch.mjs, `installServer`).
  const byName = ['linux-arm64', 'darwin-arm64', 'win32-x64'].map((system) => `@uwsjs/${system}-22`);
  assert.deepEqual(
    missing.map(({ name }) => name),
    byName,
  );
  const { version } = JSON.parse(
    readFileSync(join(root, 'node_modules', '@uwsjs', 'core', 'package.json'), 'utf8'),
  ) as { version: string };
  for (const one of missing) assert.equal(one.version, version);
  for (const system of Object.keys(nodePackages)) {
    const binaries = join(
      root,
      'node_modules',
      'onnxruntime-node',
      'bin',
      'napi-v6',
      system.replace('-', '/'),
    );
    assert.ok(existsSync(join(binaries, 'onnxruntime_binding.node')), system);
  }
});
