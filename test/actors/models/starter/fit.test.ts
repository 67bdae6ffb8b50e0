import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { evidenceCount, evidenceIndex } from '../../../../actors/models/starter/evidence.ts';
import {
  buildStarterVisual,
  isRooted,
  MOST_SPREADS,
  readFits,
} from '../../../../actors/models/starter/graph/graph.ts';
import {
  centres,
  DIMENSIONS,
  featureIndex,
  named,
  SIMILARITY,
  scales,
} from '../../../../actors/models/starter/layout.ts';
import {
  RAMP_MAX,
  RAMP_MIN,
  type UnitName,
  unitNames,
  units,
} from '../../../../actors/models/starter/units.ts';
import { fitBytes, rooted } from '../../../../bench/starter/fits.ts';
import { drawSet } from './drawings/set.ts';
import { open } from './starter-model.ts';

const file = new URL('../../../../actors/models/starter/fits.bin', import.meta.url);

test('the weights are read as they were written, and a file of another length is told', () => {
  const bytes = readFileSync(file);
  assert.deepEqual(fitBytes(readFits()), new Uint8Array(bytes));
  for (const wrong of [bytes.subarray(0, -4), Buffer.concat([bytes, Buffer.alloc(4)]), Buffer.alloc(0)])
    assert.throws(() => readFits(wrong), { message: `fits.bin has ${wrong.byteLength} bytes` });
});

test('weights are finite, and spreads are not 0', () => {
  const { means, spreads, units: all } = readFits();
  assert.ok(all.size >= 20);
  for (const { bias, rule, weights } of all.values())
    assert.ok([bias, rule, ...weights].every(Number.isFinite));
  assert.ok(means.every(Number.isFinite));
  assert.ok(spreads.every((spread) => spread > 0));
});

test('roots are taken of shares and strengths, not of lightness or of scalars', () => {
  for (const name of ['top sand', 'whole colour red', 'left shade navy', 'centre warm glint'] as const)
    assert.ok(isRooted(name), name);
  for (const name of ['top lightness', 'whole red shift', 'contrast', 'symmetry'] as const)
    assert.ok(!isRooted(name), name);
});

/** Answer of the rule of a unit. */
function ruleOf(name: UnitName, evidence: Float32Array): number {
  const rows = units[name];
  const logs = rows.map(([of, from, to]) => {
    const held = (evidence[evidenceIndex(of)]! - from) / (to - from);
    return Math.log(Math.min(RAMP_MAX, Math.max(RAMP_MIN, held)));
  });
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / Math.sqrt(rows.length));
}

test('the graph says of a fitted unit what the regression says of its measures, and the rule a little', async () => {
  const session = await open(buildStarterVisual());
  const pictures = drawSet(1, 11, ['sea', 'snow', 'night', 'forest']).map(({ pixels }) => pixels);
  const { means, spreads, units: all } = readFits();
  const alone = [...all].filter(([, fit]) => fit.with === 'fit');
  for (const pixels of pictures) {
    const run = await session.run({ pixels: { data: pixels, dims: [1, 224, 224, 3] } });
    const evidence = run['evidence']!.data as Float32Array;
    const vector = run['vector']!.data as Float32Array;
    const off = rooted(evidence).map((value, i) =>
      Math.max(-MOST_SPREADS, Math.min(MOST_SPREADS, (value - means[i]!) / spreads[i]!)),
    );
    assert.equal(off.length, evidenceCount);
    const expected = alone.map(([name, { bias, rule, weights }]) => {
      const odds = off.reduce(
        (sum, value, i) => sum + value * weights[i]!,
        bias + rule * ruleOf(name, evidence),
      );
      const at = featureIndex(`unit ${name}`);
      const found = ruleOf(name, evidence) ** 0.15 * (1 / (1 + Math.exp(-odds)) + 0.02);
      return (found - centres[at]!) * scales[at]!;
    });
    const got = alone.map(([name]) => vector[featureIndex(`unit ${name}`)]!);
    // All named dimensions of a vector are shortened alike.
    const factor = Math.hypot(...got) / Math.hypot(...expected);
    got.forEach((value, i) => {
      assert.ok(Math.abs(value - factor * expected[i]!) < 1e-3, alone[i]![0]);
    });
  }
  await session.release();
});

test('every dimension has one use', () => {
  assert.equal(new Set(named).size, named.length);
  assert.ok(SIMILARITY > 0);
  assert.equal(named.length + SIMILARITY + 1, DIMENSIONS);
});

test('every unit has ramps that go somewhere, and no more than the graph gives it', () => {
  for (const name of unitNames) {
    assert.ok(units[name].length >= 1 && units[name].length <= 8, name);
    for (const [evidence, from, to] of units[name]) assert.notEqual(from, to, `${name}: ${evidence}`);
  }
});
