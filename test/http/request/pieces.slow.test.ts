import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  buffersOf,
  fromPieces,
  PIECE_BYTES,
  toPieces,
  type ValuePiece,
} from '../../../http/request/pieces.ts';
import { draws } from '../../shared.ts';

/** The value, and how often the thread that received it was free for others. */
async function received(value: unknown) {
  const piece = toPieces(value)!;
  const moved: ValuePiece = structuredClone(piece, { transfer: buffersOf(piece) });
  const largest = Math.max(...buffersOf(moved).map(({ byteLength }) => byteLength));
  let turns = 0;
  const back = await fromPieces(moved, async () => {
    turns++;
  });
  return { back, turns, largest, left: buffersOf(moved).length };
}

/** As JSON says it, with the order of fields. */
const assertSame = (back: unknown, value: unknown) =>
  assert.equal(JSON.stringify(back), JSON.stringify(value));
const text = (bytes: number) => 'x'.repeat(bytes);

test('a value comes back as it was, whatever of it is large', async () => {
  const leaf = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(-0, '\ud800', text(PIECE_BYTES + 1), text(PIECE_BYTES / 2), 'ü'.repeat(PIECE_BYTES / 3)),
  );
  const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '0'));
  const value = fc.oneof(fc.array(leaf, { maxLength: 6 }), fc.dictionary(name, leaf, { maxKeys: 6 }));
  const nested = fc.oneof(fc.array(value, { maxLength: 4 }), fc.dictionary(name, value, { maxKeys: 4 }));
  const property = fc.asyncProperty(nested, async (one) => {
    const parsed: unknown = JSON.parse(JSON.stringify(one));
    assert.deepEqual((await received(parsed)).back, parsed);
  });
  await fc.assert(property, { numRuns: draws(150) });
});

test('a field named __proto__ is a field of what was large as well', async () => {
  const value: unknown = JSON.parse(`{"__proto__":{"a":1},"list":["${text(PIECE_BYTES)}"],"b":2}`);
  const { back } = await received(value);
  assert.deepEqual(Object.keys(back as object), ['__proto__', 'list', 'b']);
  assert.equal(Object.getPrototypeOf(back), Object.prototype);
});

for (const [name, value] of [
  ['many texts', { paths: Array.from({ length: 60_000 }, (_, i) => `/footage/clip-${i}.mp4`) }],
  ['pictures', { people: Array.from({ length: 40 }, (_, i) => ({ name: `${i}`, images: [text(200_000)] })) }],
  [
    'many fields',
    Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`/clip-${i}.mp4`, [i, i + 1]])),
  ],
  ['lists in lists', Array.from({ length: 300 }, (_, i) => Array.from({ length: 300 }, () => [i]))],
] as const) {
  test(`${name} are put together in several turns, each of a bounded size`, async () => {
    const { back, turns, largest, left } = await received(value);
    assertSame(back, value);
    assert.ok(largest <= PIECE_BYTES, `${largest} bytes`);
    assert.ok(turns >= JSON.stringify(value).length / PIECE_BYTES, `${turns} turns`);
    assert.equal(left, 0);
  });
}

test('a long text is a piece of its own', async () => {
  const value = { a: [1, text(3 * PIECE_BYTES), 2], b: text(10) };
  const { back, turns } = await received(value);
  assertSame(back, value);
  assert.equal(turns, 4);
});

test('what ends the work between two pieces ends it', async () => {
  const piece = toPieces([text(PIECE_BYTES), text(PIECE_BYTES)])!;
  const gone = () => Promise.reject(new Error('gone'));
  await assert.rejects(fromPieces(piece, gone), /gone/);
});

test('a value that nests too deeply is none', () => {
  const nest = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  assert.notEqual(toPieces(nest(1000)), null);
  assert.equal(toPieces(nest(1001)), null);
  assert.equal(toPieces(nest(400_000)), null);
});
