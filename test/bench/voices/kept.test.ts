import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { digestOf, kept } from '../../../bench/voices/kept.ts';
import { heldModel } from '../../../bench/voices/model.ts';

test('a value is made once for a key, again for another one, and again when it has to be fresh', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-'));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  t.after(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    rmSync(folder, { recursive: true, force: true });
  });
  let made = 0;
  const ask = (key: unknown, fresh = false) =>
    kept('some talks', key, () => ({ count: ++made, samples: Float32Array.of(1, 2) }), fresh);
  assert.equal((await ask({ seed: 1 })).count, 1);
  assert.deepEqual(await ask({ seed: 1 }), { count: 1, samples: Float32Array.of(1, 2) });
  assert.equal((await ask({ seed: 2 })).count, 2);
  assert.equal((await ask({ seed: 1 }, true)).count, 3);
  assert.equal((await ask({ seed: 1 })).count, 3);
  await assert.rejects(
    kept('some talks', { seed: 9 }, () => Promise.reject(new Error('no sound'))),
    /no sound/,
  );
  assert.equal((await ask({ seed: 9 })).count, 4);
});

test('a digest changes with any file of a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'digest-'));
  try {
    mkdirSync(join(folder, 'inner'));
    writeFileSync(join(folder, 'a'), 'one');
    writeFileSync(join(folder, 'inner', 'b'), 'two');
    const first = digestOf(folder);
    assert.equal(digestOf(folder), first);
    writeFileSync(join(folder, 'inner', 'b'), 'three');
    assert.notEqual(digestOf(folder), first);
    assert.notEqual(digestOf(join(folder, 'a')), digestOf(join(folder, 'inner', 'b')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('held voices are left out, with a message, where no model is named that has not heard them', (t) => {
  const names = ['FRAMEHOUND_BENCH_SPEAKER', 'FRAMEHOUND_BENCH_PLDA'] as const;
  const before = names.map((name) => process.env[name]);
  t.after(() => {
    for (const [at, name] of names.entries()) {
      if (before[at] === undefined) delete process.env[name];
      else process.env[name] = before[at];
    }
  });
  for (const name of names) delete process.env[name];
  const said: string[] = [];
  const ask = () => heldModel((text) => said.push(text));
  assert.equal(ask(), null);
  assert.match(said.join(), /FRAMEHOUND_BENCH_SPEAKER/);
  process.env['FRAMEHOUND_BENCH_SPEAKER'] = '/models/unheard.onnx';
  assert.deepEqual(ask(), { path: '/models/unheard.onnx', plda: null });
  process.env['FRAMEHOUND_BENCH_PLDA'] = '/models/unheard.bin';
  assert.deepEqual(ask(), { path: '/models/unheard.onnx', plda: '/models/unheard.bin' });
  assert.equal(said.length, 1);
});
