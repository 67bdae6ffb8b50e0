import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose, rate, usual, type Voice } from '../../../bench/diarization/compose.ts';
import { equalised } from '../../../bench/diarization/equalise.ts';

/** Humming with a breath every two seconds. */
const voice = (name: string, hertz: number): Voice => ({
  name,
  pieces: [0, 1, 2].map((piece) =>
    Float32Array.from({ length: 12 * rate }, (_, at) => {
      const breath = at % (2 * rate) > 1.6 * rate;
      const hum = Math.sin((2 * Math.PI * hertz * at) / rate) + Math.sin((6.3 * Math.PI * hertz * at) / rate);
      return breath ? 0 : 0.1 * (1 + piece) * hum;
    }),
  ),
});
const voices = [voice('low', 110), voice('middle', 190), voice('high', 290)];

function speaking(turns: readonly { start: number; end: number }[], seconds: number) {
  let one = 0;
  let two = 0;
  for (let time = 0.005; time < seconds; time += 0.01) {
    const count = turns.filter(({ start, end }) => start <= time && time < end).length;
    if (count > 0) one += 0.01;
    if (count > 1) two += 0.01;
  }
  return { one, two };
}

test('the same seed gives the same conversation, another one another', () => {
  const plan = { ...usual, seconds: 15 };
  const first = compose(voices, { ...plan, seed: 3 });
  assert.deepEqual(compose(voices, { ...plan, seed: 3 }), first);
  assert.notDeepEqual(compose(voices, { ...plan, seed: 4 }).turns, first.turns);
});

test('every voice speaks, as loud as the others, and never twice in a row', () => {
  const { samples, turns } = compose(voices, { ...usual, seconds: 60, seed: 1 });
  assert.deepEqual(new Set(turns.map(({ speaker }) => speaker)), new Set(['low', 'middle', 'high']));
  for (const { start, end } of turns) {
    assert.ok(start >= 0 && end <= samples.length / rate && end > start);
    const said = samples.subarray(start * rate + 800, end * rate - 800);
    const level = Math.sqrt(said.reduce((sum, x) => sum + x * x, 0) / said.length);
    assert.ok(level > 0.02 && level < 0.12, `a level of ${level}`);
  }
});

test('without overlap nobody is interrupted; with a tenth, about a tenth is shared', () => {
  const apart = compose(voices, { ...usual, seconds: 60, seed: 5 });
  assert.equal(speaking(apart.turns, apart.samples.length / rate).two, 0);
  const plan = { ...usual, seconds: 60, seed: 5, overlap: 0.1 };
  const together = compose(voices, plan);
  const { one, two } = speaking(together.turns, together.samples.length / rate);
  assert.ok(two / one > 0.05 && two / one < 0.15, `a share of ${two / one}`);
});

test('equalised voices have the same loudness in every band', () => {
  const hiss = (name: string, tilt: number): Voice => {
    let state = 7;
    let before = 0;
    const next = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 31 - 1;
    };
    const samples = Float32Array.from({ length: 4 * rate }, () => {
      before = tilt * before + next() * 0.1;
      return before;
    });
    return { name, pieces: [samples] };
  };
  const change = ({ pieces }: Voice) => {
    const [samples] = pieces;
    const steps = samples!.slice(1).map((x, at) => x - samples![at]!);
    const power = (of: Float32Array) => of.reduce((sum, x) => sum + x * x, 0);
    return power(steps) / power(samples!);
  };
  const before = [hiss('bright', 0), hiss('dark', 0.7)];
  assert.ok(change(before[0]!) / change(before[1]!) > 2);
  const [bright, dark] = equalised(before).map(change);
  assert.ok(Math.abs(bright! / dark! - 1) < 0.1, `${bright} and ${dark}`);
});
