import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { isAfter, isBefore, isWithin, moment } from '../../../../actors/index/facets/facet.ts';

test('dates are read whole or in part, and what is no date is none', () => {
  const day = 86_400_000;
  for (const [text, days] of [
    ['2024', 366],
    ['2023', 365],
    ['2024-02', 29],
    ['2024-02-29', 1],
    ['2024-02-29T10', null],
    ['2024-02-30', null],
    ['2024-13', null],
    ['2024-05-17T24:00', null],
    ['2024-05-17T10:00+99:00', null],
    ['0000', null],
    ['yesterday', null],
    ['', null],
  ] as const) {
    const read = moment(text);
    assert.equal(read && (read.end - read.start) / day, days, text);
  }
  assert.equal(moment('2024-05-17T10:00:00.250+02:00')?.offset, 7_200_000);
});

test('a date lies before, within or after another by the clock, and by the instant when both say their offset', () => {
  const [before, within, after] = ['before', 'within', 'after'] as const;
  for (const [own, value, expected] of [
    ['2023-12-31T23:59:59', '2024', before],
    ['2024-01-01T00:00:00', '2024', within],
    ['2025-01-01', '2024', after],
    ['2024-05-17', '2024-05-17', within],
    ['2024-05-17T10:00:00', '2024-05-17T10:00', within],
    // The day is known and the hour is not: nothing can be said.
    ['2024-05-17', '2024-05-17T12:00', null],
    ['2024-05-17T01:00:00+02:00', '2024-05-16T23:30:00Z', before],
    ['2024-05-17T01:00:00', '2024-05-16T23:30:00Z', after],
    ['2024-05-17T01:00:00+02:00', '2024-05-17', within],
  ] as const) {
    const [one, other] = [moment(own)!, moment(value)!];
    const said = [
      ...(isBefore(one, other) ? [before] : []),
      ...(isWithin(one, other) ? [within] : []),
      ...(isAfter(one, other) ? [after] : []),
    ];
    assert.deepEqual(said, expected === null ? [] : [expected], `${own} against ${value}`);
  }
});

test('any date is inside its day, its month and its year', () => {
  const dates = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(dates, (one) => {
      const text = one.toISOString();
      return [4, 7, 10].every((length) => isWithin(moment(text)!, moment(text.slice(0, length))!));
    }),
  );
});
