import assert from 'node:assert/strict';
import test from 'node:test';
import { inPldaSpace, readPlda } from '../../../actors/diarizer/plda.ts';
import { EngineError } from '../../../runtime/errors.ts';

/** The file of a model of two dimensions. */
const bytesOf = (mean: number[], transform: number[], between: number[]) => {
  const values = [...mean, ...transform, ...between];
  const bytes = new Uint8Array(4 * values.length + 1);
  const view = new DataView(bytes.buffer, 1);
  values.forEach((value, at) => {
    view.setFloat32(4 * at, value, true);
  });
  return bytes.subarray(1);
};

const file = '/models/mine/plda.bin';
const failed = (message: RegExp) => (error: unknown) =>
  error instanceof EngineError &&
  error.code === 'MODEL_LOAD_FAILED' &&
  error.message.startsWith(`${file}: `) &&
  message.test(error.message);

test('a file is read wherever it lies in memory, without directions in which speakers do not differ', () => {
  const whole = readPlda(bytesOf([1, 2], [3, 4, 5, 6], [7, 8]), 2, file);
  assert.deepEqual([...whole.mean], [1, 2]);
  assert.deepEqual([...whole.transform], [3, 4, 5, 6]);
  assert.deepEqual([...whole.between], [7, 8]);
  const one = readPlda(bytesOf([1, 2], [3, 4, 5, 6], [0, 8]), 2, file);
  assert.deepEqual([...one.transform], [5, 6]);
  assert.deepEqual([...one.between], [8]);
});

test('a file of another size, or with values that say nothing, is named', () => {
  const good = bytesOf([0, 0], [1, 0, 0, 1], [1, 1]);
  assert.throws(() => readPlda(good, 3, file), failed(/has 32 bytes; .* of 3 dimensions has 60/));
  assert.throws(() => readPlda(good.subarray(4), 2, file), failed(/has 28 bytes/));
  assert.throws(() => readPlda(new Uint8Array(), 2, file), failed(/has 0 bytes/));
  const odd = bytesOf([0, Number.NaN], [1, 0, 0, 1], [1, 1]);
  assert.throws(() => readPlda(odd, 2, file), failed(/no finite number/));
  assert.throws(() => readPlda(bytesOf([0, 0], [1, 0, 0, 1], [0, -1]), 2, file), failed(/no direction/));
});

test('embeddings are moved, turned and scaled to the length that the model expects', () => {
  const model = readPlda(bytesOf([1, 0], [0, 2, 1, 0], [3, 1]), 2, file);
  const length = Math.sqrt(3 + 1 + 2);
  const moved = inPldaSpace(Float32Array.from([2, 0, 1, 5, 2, 0.5, 1, 0]), model);
  const expected = [0, length, length, 0, length / Math.SQRT2, length / Math.SQRT2, 0, 0];
  for (const [at, value] of moved.entries())
    assert.ok(Math.abs(value - expected[at]!) < 1e-6, `${at}: ${value}`);
});
