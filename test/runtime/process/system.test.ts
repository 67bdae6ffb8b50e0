// Which systems are refused, and what somebody there can do; each in one line.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fittingNode, nodePackages, unsupported } from '../../../runtime/process/system.mjs';
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

interface Locked {
  readonly integrity?: string;
  readonly version: string;
  readonly engines?: { readonly node?: string };
}
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

test('what is supported has a pinned Node in the lock file, with its checksum', () => {
  for (const [system, name] of Object.entries(nodePackages)) {
    const glibc = system.startsWith('linux') ? '2.34' : null;
    const [platform, arch] = system.split('-') as [string, string];
    assert.equal(unsupported({ platform, arch, glibc }), undefined, system);
    const locked = packages[`node_modules/${name}`]!;
    assert.match(locked.integrity!, /^sha512-/, name);
    assert.match(locked.version, /^22\./);
  }
  assert.ok(existsSync(fittingNode()!));
});

test('a Node that is too old to start with is told in one sentence', () => {
  assert.match(unsupported({ node: '18.20.4' })!, /^Node 18\.20\.4 is too old .+: install Node 20 or newer/);
});

// npm leaves out an optional package that the Node it runs on does not fit, and these run on Node 22.
test('the lock file asks no other Node of what npm installs than 20', () => {
  const asking = Object.entries(packages).filter(([, { engines }]) =>
    /^[\^>=~ ]*2[1-9]/.test(engines?.node ?? ''),
  );
  assert.deepEqual(
    asking.map(([path]) => path),
    [],
    'remove "engines" of these from package-lock.json',
  );
});

test('the lock file has the native packages of every system, and all but three checksums', () => {
  const missing = Object.keys(nodePackages).flatMap((system) =>
    nativePackages(system).filter(({ integrity }) => integrity === null),
  );
  // They were not on the registry that the lock file was written with.
  const unchecked = ['linux-arm64', 'darwin-arm64', 'win32-x64'].map((system) => `@uwsjs/${system}-22`);
  assert.deepEqual(
    missing.map(({ name }) => name),
    unchecked,
  );
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
