import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { digestOf, kept } from '../../../bench/voices/kept.ts';
import { heldModel } from '../../../bench/voices/model.ts';
import { cosine, pldaScorer } from '../../../bench/voices/scorer.ts';
import { splitVoices } from '../../../bench/voices/split.ts';
import { spreadOf, worstTenth } from '../../../bench/voices/statistics.ts';
import { verify } from '../../../bench/voices/verification.ts';

test('the split has 62 held voices that no fitted one is among, whatever the order', () => {
  const voices = Array.from({ length: 251 }, (_, at) => ({ name: `${(at * 7919) % 9973}` }));
  const { held, fit, choose } = splitVoices(voices);
  assert.deepEqual([held.length, fit.length, choose.length], [62, 189, 63]);
  assert.ok(choose.every((voice) => fit.includes(voice)));
  const names = new Set(held.map(({ name }) => name));
  assert.ok(fit.every(({ name }) => !names.has(name)));
  assert.deepEqual(splitVoices([...voices].reverse()), { held, fit, choose });
  const sorted = voices.map(({ name }) => name).sort();
  assert.deepEqual([held[0]!.name, held[1]!.name, held[61]!.name], [sorted[0], sorted[4], sorted[244]]);
  assert.deepEqual(
    fit.slice(-3).map(({ name }) => name),
    sorted.slice(-3),
  );
});

test('a spread is the mean, its deviation, and an interval as wide as the error of a mean', () => {
  const values = Array.from({ length: 100 }, (_, at) => at);
  const { mean, deviation, interval } = spreadOf(values);
  assert.equal(mean, 49.5);
  assert.ok(Math.abs(deviation - 29.011) < 0.001);
  // 1.645 standard errors of 2.9 to each side.
  assert.ok(Math.abs(interval[0] - (49.5 - 4.77)) < 0.5, `${interval[0]}`);
  assert.ok(Math.abs(interval[1] - (49.5 + 4.77)) < 0.5, `${interval[1]}`);
  assert.deepEqual(spreadOf(values), spreadOf(values));
  assert.deepEqual(spreadOf([4]), { mean: 4, deviation: 0, interval: [4, 4] });
  assert.throws(() => spreadOf([]), RangeError);
  assert.equal(worstTenth(values), 94.5);
  assert.equal(worstTenth([1, 5, 3]), 5);
});

const vector = (...values: number[]) => Float32Array.from(values);

test('errors by voice at the pooled score; the same words are not compared', () => {
  const pieces = [
    { voice: 'a', words: '0', vector: vector(1, 0) },
    { voice: 'a', words: '0', vector: vector(-1, 0) },
    { voice: 'a', words: '1', vector: vector(1, 0) },
    { voice: 'b', words: '0', vector: vector(0, 1) },
    { voice: 'b', words: '1', vector: vector(0.6, 0.8) },
    { voice: 'alone', words: '0', vector: vector(0, -1) },
  ];
  const { pairs, byVoice, pooled, spread, worst } = verify(pieces, cosine);
  assert.deepEqual(
    pairs.same.map((x) => Number(x.toFixed(3))),
    [1, -1, 0.8],
  );
  assert.equal(pairs.other.length, 6 + 5);
  assert.deepEqual([...byVoice.keys()], ['a', 'b']);
  // At 0.6 one of the pairs of "a" is missed; of 11 pairs of two voices both at 0.6 are confused.
  assert.ok(Math.abs(pooled.threshold - 0.6) < 1e-6 || Math.abs(pooled.threshold - 0.8) < 1e-6);
  assert.ok(byVoice.get('a')! > byVoice.get('b')!);
  assert.equal(spread.mean, (byVoice.get('a')! + byVoice.get('b')!) / 2);
  assert.equal(worst, byVoice.get('a'));
});

test('PLDA: likely one voice where vectors agree in directions in which voices differ', () => {
  const score = pldaScorer({
    dimensions: 2,
    mean: vector(0, 0),
    transform: vector(1, 0, 0, 1),
    between: Float64Array.of(4, 0),
  });
  assert.ok(score(vector(2, 0), vector(2, 0)) > 0);
  assert.ok(score(vector(2, 0), vector(-2, 0)) < 0);
  // The second direction says nothing of voices.
  assert.ok(Math.abs(score(vector(0, 3), vector(0, 3)) - score(vector(0, 3), vector(0, -3))) < 1e-9);
  // By hand: variance 5, covariance 4, determinant 9.
  const expected = 0.5 * (8 / 5 - (5 * 8 - 2 * 4 * 4) / 9 + 2 * Math.log(5) - Math.log(9));
  assert.ok(Math.abs(score(vector(2, 0), vector(2, 0)) - expected) < 1e-9);
});

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
