import assert from 'node:assert/strict';
import test from 'node:test';
import {
  areApart,
  avcRecord,
  avcSets,
  changesSets,
  freeNumber,
  isFramed,
  profileOf,
  unjoinable,
  withLengths,
} from '../../../../../actors/decoder/clips/smart/end-encoder.ts';

/** Exp-Golomb codes of 0, 1 and 2, at the start of a byte. */
const numbers = [0x80, 0x40, 0x60] as const;

const sps = (number: 0 | 1 | 2, { profile = 100, kept = 0, level = 31 } = {}) =>
  Buffer.from([0x67, profile, kept, level, numbers[number], 0xac, 0x3f]);
const pps = (number: 0 | 1 | 2) => Buffer.from([0x68, numbers[number] | 0x08, 0xce]);
const sets = (number: 0 | 1 | 2, more?: Parameters<typeof sps>[1]) =>
  ({ sequences: [sps(number, more)], pictures: [pps(number)], framing: 4 }) as const;

const idr = Buffer.from([0x65, 0x88, 0x84, 0x01]);
const delimiter = Buffer.from([0x09, 0xf0]);
const startCode = Buffer.from([0, 0, 0, 1]);
const bytes = (...units: Buffer[]) => Buffer.concat(units.flatMap((unit) => [startCode, unit]));

function prefixed(size: 1 | 2 | 3 | 4, ...units: Buffer[]): Buffer {
  const lengthOf = (unit: Buffer) => {
    const length = Buffer.alloc(size);
    length.writeUIntBE(unit.length, 0, size);
    return length;
  };
  return Buffer.concat(units.flatMap((unit) => [lengthOf(unit), unit]));
}

test('a record has the sets of both, a profile and a level for both, and what both keep to', () => {
  const record = avcRecord([
    sets(0, { profile: 77, kept: 0b1100_0000, level: 40 }),
    sets(1, { profile: 100, kept: 0b0100_0000, level: 31 }),
  ]);
  assert.deepEqual([...record.subarray(0, 6)], [1, 100, 0b0100_0000, 40, 0xff, 0xe2]);
  const read = avcSets(record);
  assert.deepEqual(read?.sequences, [
    sps(0, { profile: 77, kept: 0b1100_0000, level: 40 }),
    sps(1, { kept: 0b0100_0000 }),
  ]);
  assert.deepEqual([read?.pictures, read?.framing], [[pps(0), pps(1)], 4]);
  // High says its chroma and bits; Main has no room for them.
  assert.deepEqual([...record.subarray(-4)], [0xfd, 0xf8, 0xf8, 0]);
  assert.deepEqual(avcRecord([sets(0, { profile: 77 })]).subarray(-3), pps(0));
});

test('the sets of a byte stream are those of a record', () => {
  const read = avcSets(bytes(delimiter, sps(0), pps(0), pps(1)));
  assert.deepEqual(read, { sequences: [sps(0)], pictures: [pps(0), pps(1)], framing: 0 });
});

test('extradata that does not add up has no sets', () => {
  const record = avcRecord([sets(0)]);
  assert.equal(avcSets(null), null);
  assert.equal(avcSets(Buffer.alloc(3)), null);
  assert.equal(avcSets(Buffer.alloc(40, 0xff)), null);
  assert.equal(avcSets(bytes(delimiter)), null);
  for (let length = 0; length < record.length - 4; length++) {
    assert.equal(avcSets(record.subarray(0, length)), null, `${length} bytes`);
  }
});

test('numbers of parameters are found that the source has not', () => {
  assert.equal(freeNumber(sets(0)), 1);
  assert.equal(freeNumber(sets(1)), 2);
  assert.equal(freeNumber({ ...sets(0), pictures: [pps(1), pps(2)] }), 3);
  assert.ok(areApart(sets(0), sets(1)));
  assert.ok(!areApart(sets(0), { ...sets(1), pictures: [pps(0)] }));
  assert.ok(!areApart(sets(0), { ...sets(0), pictures: [pps(1)] }));
});

test('what cannot be joined is told: several sequences, a profile of its own', () => {
  const why = (of: Parameters<typeof unjoinable>[0]) => unjoinable(of, avcRecord([of]));
  assert.match(why({ ...sets(0), sequences: [sps(0), sps(1)] }) ?? '', /several/);
  assert.match(why(sets(0, { profile: 244 })) ?? '', /profile 244/);
  assert.deepEqual(
    [66, 77, 100, 122].map((profile) => profileOf(sets(0, { profile }))),
    ['baseline', 'main', 'high', 'high'],
  );
});

test('packets of every framing get lengths of four bytes', () => {
  const second = Buffer.from([0x65, 0x11, 0x22]);
  const wanted = prefixed(4, idr, second);
  for (const size of [1, 2, 3] as const) {
    assert.deepEqual(withLengths(prefixed(size, idr, second), size), wanted);
  }
  const own = prefixed(4, sps(0), idr);
  assert.equal(withLengths(own, 4), own);
  assert.deepEqual(withLengths(bytes(delimiter, sps(0), pps(0), idr, second), 0), wanted);
  assert.equal(withLengths(prefixed(2, idr).subarray(0, 4), 2), null);
  assert.equal(withLengths(Buffer.from([1, 2, 3]), 0), null);
  assert.equal(withLengths(bytes(delimiter), 0), null);
});

test('a packet is damaged when its lengths do not add up, or name no picture or no type of unit', () => {
  const whole = prefixed(4, sps(0), idr);
  assert.equal(isFramed(whole, 4), true);
  assert.equal(isFramed(whole.subarray(0, -1), 4), false);
  assert.equal(isFramed(prefixed(4, sps(0)), 4), false);
  assert.equal(isFramed(prefixed(4, idr, Buffer.from([0x1f, 0])), 4), false);
  assert.equal(isFramed(prefixed(4, Buffer.from([0xe5, 0])), 4), false);
  assert.equal(isFramed(bytes(idr), 0), true);
});

test('a packet changes parameters when it brings others, and not when it repeats them', () => {
  const other = sps(0, { level: 41 });
  assert.equal(changesSets(prefixed(4, sps(0), pps(0), idr), sets(0)), false);
  assert.equal(changesSets(prefixed(4, idr), sets(0)), false);
  assert.equal(changesSets(prefixed(4, delimiter, other, idr), sets(0)), true);
  assert.equal(changesSets(prefixed(4, pps(1), idr), sets(0)), true);
  const stream = { ...sets(0), framing: 0 } as const;
  assert.equal(changesSets(bytes(delimiter, sps(0), pps(0), idr), stream), false);
  assert.equal(changesSets(bytes(delimiter, other, pps(0), idr), stream), true);
});
