import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertFiles } from '../../../../actors/models/conversion/convert.ts';
import { convertDlibResnet } from '../../../../actors/models/conversion/in-thread.ts';

interface Weight {
  readonly name: string;
  readonly shape: readonly number[];
}

const manifestOf = (weights: readonly Weight[]) =>
  Buffer.from(
    JSON.stringify([{ paths: ['small.bin'], weights: weights.map((one) => ({ ...one, dtype: 'float32' })) }]),
  );
const bytesOf = (weights: readonly Weight[]) =>
  new Uint8Array(4 * weights.reduce((sum, { shape }) => sum + shape.reduce((all, side) => all * side, 1), 0));
const convert = (weights: readonly Weight[], bytes = bytesOf(weights)) =>
  convertDlibResnet(manifestOf(weights), bytes);

const filters = { name: 'conv32_down/conv/filters', shape: [7, 7, 3, 32] };

test('weights that are missing, of another shape, cut or too many are refused by name', () => {
  assert.throws(() => convert([]), /^Error: there are no weights conv32_down\/conv\/filters$/);
  assert.throws(() => convert([filters]), /there are no weights conv32_down\/conv\/bias/);
  assert.throws(
    () => convert([{ ...filters, shape: [7, 7, 3, 16] }]),
    /conv32_down\/conv\/filters: expected \?×\?×3×32 weights, found 7×7×3×16/,
  );
  assert.throws(
    () => convert([filters, { name: 'conv32_down/conv/bias', shape: [32, 1] }]),
    /conv32_down\/conv\/bias: expected 32 weights, found 32×1/,
  );
  assert.throws(() => convert([filters], bytesOf([filters]).subarray(4)), /the weights end after/);
  assert.throws(() => convert([], bytesOf([filters])), /bytes of weights belong to nothing/);
  assert.throws(
    () => convertDlibResnet(Buffer.from('{}'), new Uint8Array(0)),
    /it is no manifest of weights/,
  );
  assert.throws(() => convertDlibResnet(Buffer.from('no'), new Uint8Array(0)), /not valid JSON|JSON/);
});

test('its thread names the file that it refuses', async () => {
  const { signal } = new AbortController();
  const files = [manifestOf([]), new Uint8Array(0)];
  await assert.rejects(convertFiles('@me/a@1.2.3: a.json', 'dlib-resnet', files, signal), {
    code: 'CONVERSION_FAILED',
    message: '@me/a@1.2.3: a.json cannot be converted: there are no weights conv32_down/conv/filters',
  });
});
