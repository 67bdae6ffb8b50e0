import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bestAssignment } from '../../../bench/diarization/assign.ts';
import { equalError, errorsAt } from '../../../bench/diarization/equal-error.ts';
import { scoreDiarization, sumScores, type Turn } from '../../../bench/diarization/score.ts';

/** `a 0-10, b 10-20` */
function turns(text: string): Turn[] {
  const parts = text.split(', ').filter(Boolean);
  return parts.map((part) => {
    const [, speaker = '', start, end] = /^(\S+) (\S+)-(\S+)$/.exec(part) ?? [];
    return { speaker, start: Number(start), end: Number(end) };
  });
}

interface Case {
  readonly name: string;
  readonly said: string;
  readonly found: string;
  readonly collar: number;
  readonly seconds: { missed?: number; falseAlarm?: number; confusion?: number; speech: number };
  readonly jer: number;
}

const cases: Case[] = [
  {
    name: 'all right under other names',
    said: 'a 0-10, b 10-20',
    found: 'x 0-10, y 10-20',
    collar: 0,
    seconds: { speech: 20 },
    jer: 0,
  },
  {
    name: 'names that are swapped',
    said: 'a 0-10, b 10-30',
    found: 'b 0-10, a 10-30',
    collar: 0,
    seconds: { speech: 30 },
    jer: 0,
  },
  {
    name: 'nothing found',
    said: 'a 0-10',
    found: '',
    collar: 0,
    seconds: { missed: 10, speech: 10 },
    jer: 1,
  },
  { name: 'nobody spoke, nobody found', said: '', found: '', collar: 0.25, seconds: { speech: 0 }, jer: 0 },
  {
    name: 'half a turn missed',
    said: 'a 0-10',
    found: 'x 0-5',
    collar: 0,
    seconds: { missed: 5, speech: 10 },
    jer: 0.5,
  },
  {
    name: 'speech where there is none',
    said: 'a 0-10',
    found: 'x 0-15',
    collar: 0,
    seconds: { falseAlarm: 5, speech: 10 },
    jer: 1 / 3,
  },
  {
    name: 'two voices taken for one',
    said: 'a 0-10, b 10-16',
    found: 'x 0-16',
    collar: 0,
    seconds: { confusion: 6, speech: 16 },
    jer: (6 / 16 + 1) / 2,
  },
  {
    name: 'one voice taken for two',
    said: 'a 0-10',
    found: 'x 0-7, y 7-10',
    collar: 0,
    seconds: { confusion: 3, speech: 10 },
    jer: 0.3,
  },
  {
    name: 'a late border inside the collar',
    said: 'a 0-10, b 10-20',
    found: 'x 0-10.2, y 10.2-20',
    collar: 0.25,
    seconds: { speech: 19 },
    jer: (0.2 / 10.2 + 0.02) / 2,
  },
  {
    name: 'a late border beyond the collar',
    said: 'a 0-10, b 10-20',
    found: 'x 0-11, y 11-20',
    collar: 0.25,
    seconds: { confusion: 0.75, speech: 19 },
    jer: (1 / 11 + 0.1) / 2,
  },
  {
    name: 'an overlap that is not heard',
    said: 'a 0-10, b 8-20',
    found: 'x 0-10, y 10-20',
    collar: 0,
    seconds: { missed: 2, speech: 22 },
    jer: 2 / 12 / 2,
  },
  {
    name: 'an overlap that is heard',
    said: 'a 0-10, b 8-20',
    found: 'x 0-10, y 8-20',
    collar: 0,
    seconds: { speech: 22 },
    jer: 0,
  },
  {
    name: 'an overlap that is not there',
    said: 'a 0-10, b 10-20',
    found: 'x 0-12, y 10-20',
    collar: 0,
    seconds: { falseAlarm: 2, speech: 20 },
    jer: 2 / 12 / 2,
  },
  {
    name: 'an overlap with the wrong second voice',
    said: 'a 0-10, b 0-10, c 10-30',
    found: 'x 0-10, y 0-10, y 10-30',
    collar: 0,
    seconds: { confusion: 10, speech: 40 },
    jer: (0 + 1 + 1 / 3) / 3,
  },
  {
    name: 'the pairing that explains most, not the first',
    said: 'a 0-6, b 6-10, a 10-12',
    found: 'x 0-3, y 3-10, x 10-12',
    collar: 0,
    seconds: { confusion: 3, speech: 12 },
    jer: (3 / 8 + 3 / 7) / 2,
  },
  {
    name: 'turns of one voice that overlap count once',
    said: 'a 0-6, a 4-10',
    found: 'x 0-10',
    collar: 0,
    seconds: { speech: 10 },
    jer: 0,
  },
  {
    name: 'a turn shorter than two collars is not scored',
    said: 'a 0-0.4, b 2-4',
    found: 'x 2-4',
    collar: 0.25,
    seconds: { speech: 1.5 },
    jer: 0.5,
  },
];

for (const { name, said, found, collar, seconds, jer } of cases) {
  test(`score: ${name}`, () => {
    const score = scoreDiarization(turns(said), turns(found), { collar });
    const near = (actual: number, expected: number, what: string) =>
      assert.ok(Math.abs(actual - expected) < 1e-9, `${what}: ${actual}, expected ${expected}`);
    const { missed = 0, falseAlarm = 0, confusion = 0, speech } = seconds;
    near(score.missed, missed, 'missed');
    near(score.falseAlarm, falseAlarm, 'false alarm');
    near(score.confusion, confusion, 'confusion');
    near(score.speech, speech, 'speech');
    near(score.der, speech === 0 ? 0 : (missed + falseAlarm + confusion) / speech, 'DER');
    near(score.jer, jer, 'JER');
  });
}

test('the count of speakers is answered with the score', () => {
  const score = scoreDiarization(turns('a 0-10, b 10-20'), turns('x 0-5, y 5-10, z 10-20'), { collar: 0 });
  assert.deepEqual(score.speakers, { said: 2, found: 3 });
});

test('scores add up by seconds, so that a long conversation weighs more', () => {
  const bad = scoreDiarization(turns('a 0-10'), [], { collar: 0 });
  const good = scoreDiarization(turns('a 0-90'), turns('x 0-90'), { collar: 0 });
  assert.equal(sumScores([bad, good]).der, 0.1);
  assert.equal(sumScores([bad, good]).jer, 0.5);
});

const someTurns = fc.array(
  fc
    .tuple(
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom('a', 'b', 'c', 'd'),
    )
    .map(([start, length, speaker]) => ({ start: start / 4, end: (start + length) / 4, speaker })),
  { maxLength: 12 },
);

test('the reference itself has no error, whatever the names of its speakers', () => {
  fc.assert(
    fc.property(someTurns, (said) => {
      const renamed = said.map((turn) => ({ ...turn, speaker: `voice ${turn.speaker}` }));
      const score = scoreDiarization(said, renamed, { collar: 0.25 });
      assert.ok(score.der < 1e-9 && score.jer < 1e-9);
    }),
  );
});

test('correct and wrong seconds add up to all', () => {
  fc.assert(
    fc.property(someTurns, someTurns, (said, found) => {
      const score = scoreDiarization(said, found, { collar: 0 });
      assert.ok(score.missed + score.confusion <= score.speech + 1e-9);
      assert.ok(score.jer >= -1e-12 && score.jer <= 1 + 1e-12);
    }),
  );
});

test('no other assignment gains more', () => {
  const matrix = fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }))
    .chain(([rows, columns]) =>
      fc.array(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
    );
  fc.assert(
    fc.property(matrix, (gains) => {
      const chosen = bestAssignment(gains);
      const taken = chosen.filter((column) => column >= 0);
      assert.equal(new Set(taken).size, taken.length);
      const sum = chosen.reduce((total, column, row) => total + (gains[row]![column] ?? 0), 0);
      assert.equal(sum, bestByTrying(gains, 0, new Set()));
    }),
  );
});

function bestByTrying(gains: number[][], row: number, used: Set<number>): number {
  if (row === gains.length) return 0;
  let best = bestByTrying(gains, row + 1, used);
  gains[row]!.forEach((gain, column) => {
    if (used.has(column)) return;
    best = Math.max(best, gain + bestByTrying(gains, row + 1, new Set([...used, column])));
  });
  return best;
}

const marks = [
  { name: 'pairs that lie apart', same: [0.8, 0.9], other: [0.1, 0.2], rate: 0, threshold: 0.8 },
  {
    name: 'one of four on the wrong side each',
    same: [0.3, 0.7, 0.8, 0.9],
    other: [0.1, 0.2, 0.25, 0.6],
    rate: 0.25,
    threshold: 0.6,
  },
  { name: 'everything the wrong way round', same: [0.1, 0.2], other: [0.8, 0.9], rate: 1, threshold: 0.8 },
  { name: 'no difference at all', same: [0.5, 0.5], other: [0.5, 0.5], rate: 0.5, threshold: 0.5 },
];
for (const { name, same, other, rate, threshold } of marks) {
  test(`${name}: ${100 * rate} %`, () => {
    const found = equalError({ same, other });
    assert.equal(found.rate, rate);
    assert.equal(found.threshold, threshold);
    const { missed, confused } = errorsAt({ same, other }, found.threshold);
    assert.equal((missed + confused) / 2, rate);
  });
}

test('the rate lies between 0 and 1 and does not change when all similarities move and stretch', () => {
  const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(values, values, (same, other) => {
      const { rate } = equalError({ same, other });
      assert.ok(rate >= 0 && rate <= 1);
      const moved = equalError({ same: same.map((x) => 4 * x + 7), other: other.map((x) => 4 * x + 7) });
      assert.equal(moved.rate, rate);
    }),
  );
});

test('without pairs of both kinds there is no rate', () => {
  assert.throws(() => equalError({ same: [], other: [1] }), RangeError);
  assert.throws(() => equalError({ same: [1], other: [] }), RangeError);
});
