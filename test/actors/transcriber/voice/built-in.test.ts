import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpeechNetwork, stateValues, weightCount } from '../../../../actors/transcriber/voice/built-in.ts';
import { frameValues } from '../../../../actors/transcriber/voice/features.ts';
import { randomOf } from '../../../../bench/voice/sounds.ts';

const sigmoid = (value: number) => 1 / (1 + Math.exp(-value));

/** A GRU with a logistic result, written as its formulas are. */
function probabilitiesOf(weights: Float32Array, frames: readonly Float32Array[]): number[] {
  const row = frameValues + stateValues + 2;
  const part = (gate: number, unit: number, input: ArrayLike<number>, from: number, bias: number) => {
    const start = (gate * stateValues + unit) * row;
    let sum = weights[start + frameValues + stateValues + bias]!;
    for (let i = 0; i < input.length; i++) sum += weights[start + from + i]! * input[i]!;
    return sum;
  };
  let state = new Array<number>(stateValues).fill(0);
  return frames.map((frame) => {
    const both = (gate: number, unit: number) =>
      sigmoid(part(gate, unit, frame, 0, 0) + part(gate, unit, state, frameValues, 1));
    state = state.map((before, unit) => {
      const candidate = Math.tanh(
        part(2, unit, frame, 0, 0) + both(0, unit) * part(2, unit, state, frameValues, 1),
      );
      return (1 - both(1, unit)) * candidate + both(1, unit) * before;
    });
    const last = weights.subarray(3 * stateValues * row);
    return sigmoid(state.reduce((sum, value, unit) => sum + value * last[unit]!, last[stateValues]!));
  });
}

test('the network is a gated recurrent unit, and two runs do not know of each other', () => {
  const random = randomOf(5);
  const weights = Float32Array.from({ length: weightCount }, () => random() - 0.5);
  const frames = Array.from({ length: 20 }, () =>
    Float32Array.from({ length: frameValues }, () => random() * 2 - 1),
  );
  const expected = probabilitiesOf(weights, frames);
  assert.ok(Math.max(...expected) - Math.min(...expected) > 0.1);
  const [one, other] = [new SpeechNetwork(weights), new SpeechNetwork(weights)];
  for (const [at, frame] of frames.entries()) {
    assert.ok(Math.abs(one.advance(frame) - expected[at]!) < 1e-12);
    assert.ok(Math.abs(other.advance(frame) - expected[at]!) < 1e-12);
  }
});
