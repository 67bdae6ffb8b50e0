import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { quantize8, writeRow8 } from '../../../../actors/index/visual/quantize.ts';
import { blockRows, RowBank } from '../../../../actors/index/visual/segment.ts';
import { randomVector, seeded } from '../footage.ts';

const source = (name: string) =>
  readFileSync(new URL(`../../../../actors/index/visual/${name}`, import.meta.url));

test('kernel.wasm is kernel.wat assembled', async () => {
  const require = createRequire(import.meta.url);
  const wabt = await (require('wabt') as typeof import('wabt'))();
  const parsed = wabt.parseWat('kernel.wat', source('kernel.wat').toString(), { simd: true });
  parsed.resolveNames();
  parsed.validate();
  assert.deepEqual(Buffer.from(parsed.toBinary({}).buffer), source('kernel.wasm'));
});

test('a scan gives the integer dot product times both scales, for any length and number of rows', () => {
  const random = seeded(5);
  for (const [dimensions, rows] of [
    [1, 3],
    [16, 5],
    [33, 7],
    [512, 9],
    [768, 2],
    [1000, 4],
  ] as const) {
    const bank = new RowBank(dimensions, 1 << 20);
    const room = bank.allocate(rows);
    const vectors = Array.from({ length: rows }, () => randomVector(dimensions, random));
    const query = randomVector(dimensions, random);
    bank.setQueries([randomVector(dimensions, random), query]);
    const bytes = bank.bytes(room.row, rows);
    vectors.forEach((vector, i) => {
      writeRow8(vector, bytes, i * bank.stride);
    });
    const scores = bank.scan(room.row, rows, 1);
    const quantized = new Int8Array(dimensions);
    const queryScale = quantize8(query, quantized);
    vectors.forEach((vector, i) => {
      const row = new Int8Array(dimensions);
      const scale = quantize8(vector, row);
      const dot = row.reduce((sum, value, k) => sum + value * quantized[k]!, 0);
      const exact = Math.fround(Math.fround(queryScale) * Math.fround(Math.fround(scale) * dot));
      assert.ok(Math.abs(scores[i]! - exact) < 1e-6, `${dimensions} dimensions, row ${i}`);
    });
  }
});

test('the largest values do not overflow', () => {
  const bank = new RowBank(4096, 1 << 22);
  const { row } = bank.allocate(1);
  const ones = new Float32Array(4096).fill(1);
  writeRow8(ones, bank.bytes(row, 1), 0);
  bank.setQueries([ones.map(() => -1)]);
  assert.ok(Math.abs(bank.scan(row, 1, 0)[0]! + 4096) < 0.01);
});

test('rows fill segment after segment, and what is given back is used again', () => {
  const bank = new RowBank(32, 1 << 16);
  const { segmentRows } = bank;
  assert.ok(segmentRows > 10 && segmentRows < blockRows);
  assert.deepEqual(bank.allocate(segmentRows - 2), { row: 0, count: segmentRows - 2 });
  assert.deepEqual(bank.allocate(5), { row: segmentRows - 2, count: 2 });
  assert.deepEqual(bank.allocate(3), { row: segmentRows, count: 3 });
  assert.equal(bank.rows, segmentRows + 3);
  // Neighbours are one, but not across the end of a segment.
  for (const row of [segmentRows, segmentRows - 1, 4, 6, 5]) bank.release(row, 1);
  assert.equal(bank.rows, segmentRows - 2);
  const again = [9, 9, 2, 9].map((count) => bank.allocate(count));
  assert.deepEqual(again, [
    { row: segmentRows, count: 1 },
    { row: segmentRows - 1, count: 1 },
    { row: 5, count: 2 },
    { row: 4, count: 1 },
  ]);
  assert.deepEqual(bank.allocate(2), { row: segmentRows + 3, count: 2 });
});
