import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireLeast } from '../../../../actors/index/visual/cells.ts';
import {
  paddedLength,
  quantize,
  readRow16,
  stride16,
  writeRow8,
  writeRow16,
} from '../../../../actors/index/visual/quantize.ts';
import { RowBank } from '../../../../actors/index/visual/segment.ts';
import { randomVector, seeded } from '../footage.ts';

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
    bank.fill(room.row, rows, (bytes) => {
      for (const [i, vector] of vectors.entries()) writeRow8(vector, bytes, i * bank.stride);
    });
    const scores = bank.cells.block(room.row, rows, 1, 0);
    const quantized = new Int16Array(dimensions);
    const most = Math.min(32767, Math.floor((2 ** 31 - 1) / (127 * paddedLength(dimensions))));
    const queryScale = quantize(query, quantized, most);
    vectors.forEach((vector, i) => {
      const row = new Int8Array(dimensions);
      const scale = quantize(vector, row);
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
  bank.fill(row, 1, (bytes) => writeRow8(ones, bytes, 0));
  bank.setQueries([ones.map(() => -1)]);
  assert.ok(Math.abs(bank.cells.one(row, 0, 0) + 4096) < 0.01);
});

test('the exact score lies between its bounds, also where rounding does its worst', () => {
  const random = seeded(8);
  for (const dimensions of [1, 3, 64, 512, 2048]) {
    const bank = new RowBank(dimensions, 1 << 22);
    const { row } = bank.allocate(1);
    const fine = new Uint8Array(stride16(dimensions));
    let widest = 0;
    for (let round = 0; round < 40; round++) {
      // Halfway between two steps of 8 bits, the query along what is lost.
      const worst = Float32Array.from({ length: dimensions }, () => Math.floor(random() * 126) + 0.499);
      if (dimensions > 1) worst[0] = 127;
      const vector = round % 2 === 0 ? worst : randomVector(dimensions, random);
      const query = round % 4 < 2 ? worst.map(() => 1) : randomVector(dimensions, random);
      bank.fill(row, 1, (bytes) => writeRow8(vector, bytes, 0));
      writeRow16(vector, 0, fine, 0);
      bank.setQueries([query]);
      const exact = readRow16(fine, dimensions, 0)!.reduce((sum, value, i) => sum + value * query[i]!, 0);
      const [low, score, high] = ([-1, 0, 1] as const).map((bound) => bank.cells.one(row, 0, bound));
      assert.ok(low! < exact && exact < high!, `${dimensions} dimensions: ${low} ${exact} ${high}`);
      widest = Math.max(widest, Math.abs(exact - score!) / (high! - score!));
    }
    assert.ok(dimensions === 1 || widest > 0.6, `${dimensions} dimensions: ${widest} of the bound is used`);
  }
});

test('four queries at once give the scores that each gives by itself, and the largest of two is kept', () => {
  const random = seeded(6);
  for (const [dimensions, count] of [
    [33, 1],
    [64, 6],
    [512, 9],
  ] as const) {
    const bank = new RowBank(dimensions, 1 << 20);
    const { row } = bank.allocate(count);
    for (let i = 0; i < count; i++)
      bank.fill(row + i, 1, (bytes) => writeRow8(randomVector(dimensions, random), bytes, 0));
    bank.setQueries(Array.from({ length: 7 }, () => randomVector(dimensions, random)));
    const questions = [
      { query: 0, lanes: 5 },
      { query: 5, lanes: 2 },
    ];
    const pass = {
      firstCell: 0,
      tiles: new Uint16Array(32).fill(3, 0, 1),
      questions,
      least: new Int32Array(2),
    };
    for (const question of questions.keys()) requireLeast(pass, question, Number.NEGATIVE_INFINITY);
    bank.cells.begin(pass);
    const found = new Map<string, number>();
    bank.cells.scan(0, (question, at, score) => found.set(`${question} ${at}`, score));
    for (let at = 0; at < count; at++) {
      for (const [question, { query, lanes }] of questions.entries()) {
        const each = Array.from({ length: lanes }, (_, lane) => bank.cells.one(row + at, query + lane, 1));
        assert.equal(
          found.get(`${question} ${at}`),
          Math.max(...each),
          `${dimensions} dimensions, row ${at}`,
        );
      }
    }
  }
});

test('the first look leaves no row out, also where rounding takes most of the query', () => {
  for (const dimensions of [2, 33, 64, 512]) {
    const bank = new RowBank(dimensions, 1 << 20);
    const { row } = bank.allocate(1);
    bank.fill(row, 1, (bytes) => writeRow8(new Float32Array(dimensions).fill(dimensions ** -0.5), bytes, 0));
    // At 7 bits only the first value is left of it.
    const query = new Float32Array(dimensions).fill(0.49 / 63);
    query[0] = 1;
    const exact = query.reduce((sum, value) => sum + value * dimensions ** -0.5, 0);
    for (let together = 1; together <= 5; together++) {
      bank.setQueries(Array.from({ length: together }, () => query));
      const questions = Array.from({ length: together }, (_, first) => ({ query: first, lanes: 1 }));
      const tiles = new Uint16Array(32).fill((1 << together) - 1, 0, 1);
      const pass = { firstCell: 0, tiles, questions, least: new Int32Array(together) };
      const foundAbove = (least: number) => {
        const found: number[] = [];
        for (const question of questions.keys()) requireLeast(pass, question, least);
        bank.cells.begin(pass);
        bank.cells.scan(0, (question, at) => at === row && found.push(question));
        return found;
      };
      assert.deepEqual(foundAbove(0.999 * exact), [...questions.keys()], `${dimensions} dimensions`);
      assert.deepEqual(foundAbove(1.1 * exact), [], `${dimensions} dimensions`);
    }
  }
});

test('rows fill segment after segment, and what is given back is used again', () => {
  const bank = new RowBank(32, 1 << 16);
  const { segmentRows } = bank;
  assert.equal(segmentRows, 1024);
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
