import assert from 'node:assert/strict';
import test from 'node:test';
import type { TextLine } from '../../../../actors/text-reader/contract.ts';
import type { Rectangle } from '../../../../actors/text-reader/detection/regions.ts';
import { readLine } from '../../../../actors/text-reader/reading.ts';
import type { ReadText } from '../../../../actors/text-reader/recognition/line.ts';

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
