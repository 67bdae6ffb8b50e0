import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TextLine } from '../../../../actors/text-reader/contract.ts';
import type { Rectangle } from '../../../../actors/text-reader/detection/regions.ts';
import { readLine } from '../../../../actors/text-reader/reading.ts';
import {
  charactersOf,
  cutLine,
  type ReadText,
  readSteps,
} from '../../../../actors/text-reader/recognition/line.ts';
import { drawn } from '../graphs.ts';

const lying: Rectangle = { x: 100, y: 50, ux: 1, uy: 0, width: 80, height: 20 };
const upright: Rectangle = { ...lying, width: 20, height: 80 };

/** Answers one after the other, and keeps what it was asked. */
function reading(...answers: readonly [text: string, score: number][]) {
  const asked: Rectangle[] = [];
  const read = async (line: Rectangle): Promise<ReadText> => {
    const [text, score] = answers[asked.push(line) - 1]!;
    return { text, score };
  };
  return { asked, read };
}

const seen = (text: string, score: number): TextLine => ({ text, score, box: [0, 0, 0.1, 0.1] });

test('a line that two looks read alike keeps its score; the second is closer', async () => {
  const { asked, read } = reading(['Password', 0.95], ['Password', 0.9]);
  assert.deepEqual(await readLine(lying, [], read), { text: 'Password', score: 0.95 });
  assert.deepEqual(asked, [lying, { ...lying, width: 77, height: 17 }]);
});

test('a line that is read otherwise the second time, or not with certainty, is not shown by itself', async () => {
  for (const [text, score, kept] of [
    ['Possword', 0.95, 'Password'],
    ['password', 0.99, 'password'],
    ['', 0, 'Password'],
    ['Password', 0.89, 'Password'],
  ] as const) {
    const { read } = reading(['Password', 0.97], [text, score]);
    assert.deepEqual(await readLine(lying, [], read), { text: kept, score: 0.89 });
  }
});

test('an @ by itself may be any sign that the dictionary lacks', async () => {
  const { read } = reading(['Copyright @ 2013', 0.99]);
  assert.deepEqual(await readLine(lying, [], read), { text: 'Copyright @ 2013', score: 0.89 });
  const address = reading(['me@example.com', 0.99], ['me@example.com', 0.99]);
  assert.equal((await readLine(lying, [], address.read)).score, 0.99);
});

test('spaces that only one look sees are kept', async () => {
  const one = reading(['Tom Jones', 0.95], ['TomJones', 0.99]);
  assert.deepEqual(await readLine(lying, [], one.read), { text: 'Tom Jones', score: 0.95 });
  const other = reading(['TomJones', 0.95], ['Tom Jones', 0.91]);
  assert.deepEqual(await readLine(lying, [], other.read), { text: 'Tom Jones', score: 0.95 });
});

test('what is uncertain, or was certain in the picture before, is read once', async () => {
  const uncertain = reading(['Tom', 0.89]);
  assert.deepEqual(await readLine(lying, [], uncertain.read), { text: 'Tom', score: 0.89 });
  const known = reading(['Tom', 0.95]);
  assert.deepEqual(await readLine(lying, [seen('T om', 0.9)], known.read), { text: 'Tom', score: 0.95 });
  const doubted = reading(['Tom', 0.95], ['Torn', 0.9]);
  assert.deepEqual(await readLine(lying, [seen('Tom', 0.89)], doubted.read), { text: 'Tom', score: 0.89 });
  assert.deepEqual(
    [uncertain, known, doubted].map(({ asked }) => asked.length),
    [1, 1, 2],
  );
});

test('a line that runs up is read so, and checked so', async () => {
  const up = reading(['dn6uillo!', 0.7], ['climbing up', 0.97], ['climbing up', 0.9]);
  assert.deepEqual(await readLine(upright, [], up.read), { text: 'climbing up', score: 0.97 });
  assert.deepEqual(
    up.asked.map(({ ux }) => ux),
    [1, -1, -1],
  );
  const down = reading(['falling', 0.97], ['Buille', 0.6], ['falling', 0.9]);
  assert.deepEqual(await readLine(upright, [], down.read), { text: 'falling', score: 0.97 });
  assert.equal(down.asked[2]!.ux, 1);
});

const level = { ux: 1, uy: 0 };

test('a line is 48 px high, as wide as its shape says, and padded with zeros to 320', () => {
  const picture = drawn(200, 60, () => [255, 255, 255]);
  const { data, width } = cutLine(picture, { x: 100, y: 30, ...level, width: 100, height: 24 });
  assert.equal(width, 320);
  assert.equal(data.length, 3 * 48 * 320);
  const row = data.subarray(0, 320);
  assert.ok(row.subarray(0, 200).every((value) => value === 1));
  assert.ok(row.subarray(200).every((value) => value === 0));
});

test('one of the height of the graph is the picture itself, blue first', () => {
  const picture = drawn(400, 48, (x, y) => [(7 * x + 13 * y) % 256, (x * 3) % 256, (y * 5) % 256]);
  const { data, width } = cutLine(picture, { x: 200, y: 24, ...level, width: 400, height: 48 });
  assert.equal(width, 400);
  for (const [x, y] of [
    [0, 0],
    [399, 47],
    [123, 17],
  ] as const) {
    const at = (plane: number) => data[plane * 48 * 400 + y * 400 + x]!;
    const expected = [(y * 5) % 256, (x * 3) % 256, (7 * x + 13 * y) % 256].map((value) => value / 127.5 - 1);
    assert.deepEqual([0, 1, 2].map(at), expected.map(Math.fround));
  }
});

test('a slanted line is cut straight, and one that runs down is turned', () => {
  // Left half red, right half blue along the direction of the line.
  const angle = 0.4;
  const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
  const slanted = drawn(200, 200, (x, y) =>
    (x - 100) * ux + (y - 100) * uy < 0 ? [255, 0, 0] : [0, 0, 255],
  );
  const cut = cutLine(slanted, { x: 100, y: 100, ux, uy, width: 120, height: 12 });
  const red = (x: number, y: number) => cut.data[2 * 48 * cut.width + y * cut.width + x];
  for (const y of [2, 24, 45]) assert.deepEqual([red(100, y), red(380, y)], [1, -1]);
  const down = drawn(100, 200, (_, y) => (y < 100 ? [255, 0, 0] : [0, 0, 255]));
  const turned = cutLine(down, { x: 50, y: 100, ...level, width: 20, height: 150 });
  assert.equal(turned.width, 360);
  assert.equal(turned.data[2 * 48 * 360 + 24 * 360 + 50], 1);
  assert.equal(turned.data[2 * 48 * 360 + 24 * 360 + 300], -1);
});

test('a line of extreme length is squeezed, and one beyond the edge is as the edge', () => {
  const picture = drawn(1000, 20, () => [0, 255, 0]);
  const { data, width } = cutLine(picture, { x: 500, y: 19, ...level, width: 1000, height: 4 });
  assert.equal(width, 3200);
  assert.ok(data.subarray(48 * 3200, 2 * 48 * 3200).every((value) => value === 1));
});

const characters = charactersOf('a\r\nb\n字\n');

/** Steps with a class and its probability each. */
function steps(...of: [best: number, probability: number][]): Float32Array {
  const data = new Float32Array(of.length * characters.length).fill(0.01);
  for (const [i, [best, probability]] of of.entries()) data[i * characters.length + best] = probability;
  return data;
}

test('the first class is none, the last one a blank, and lines between are the dictionary', () => {
  assert.deepEqual(characters, ['', 'a', 'b', '字', ' ']);
  assert.deepEqual(charactersOf('x\ny'), ['', 'x', 'y', ' ']);
});

test('repetitions are one character, unless there is a step without one between them', () => {
  const { text, score } = readSteps(
    steps([1, 0.9], [1, 0.5], [0, 0.9], [1, 0.7], [4, 1], [2, 0.8], [2, 0.8], [3, 0.6]),
    characters,
  );
  assert.equal(text, 'aa b字');
  assert.ok(Math.abs(score - (0.9 + 0.7 + 1 + 0.8 + 0.6) / 5) < 1e-6);
});

test('a line of nothing, or of blanks alone, has no text and no score', () => {
  assert.deepEqual(readSteps(steps([0, 1], [0, 1]), characters), { text: '', score: 0 });
  assert.deepEqual(readSteps(steps([4, 1], [0, 1], [4, 0.9]), characters), { text: '', score: 0 });
  assert.deepEqual(readSteps(new Float32Array(0), characters), { text: '', score: 0 });
});
