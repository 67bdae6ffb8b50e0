import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { newestRows, pages, type RecordedRow, readRows } from '../../bench/report.ts';

const row = (changes: Partial<RecordedRow>): RecordedRow => ({
  at: '2026-01-01T00:00:00.000Z',
  machine: 'one',
  question: 'decode',
  name: 'exact',
  value: 1,
  unit: 'ms',
  against: null,
  ratio: null,
  goal: null,
  ...changes,
});

test('the pages of measurements show what the rows make of them', () => {
  const rows = readRows();
  for (const { url, text } of pages) {
    const page = readFileSync(url, 'utf8');
    assert.equal(page, text(rows), `${url.pathname}: run npm run bench -- --report`);
  }
});

test('of each figure the rows of the newest run are taken, whole, and counts of a run in its name make no other figure', () => {
  const old = row({ value: 9, against: { name: 'floor', value: 2 } });
  const later = { at: '2026-01-02T00:00:00.000Z', machine: 'two' };
  const newer = row({ ...later, value: 8, against: { name: 'floor', value: 3 } });
  const beside = row({ ...later, value: 8, against: { name: 'peer', value: 4 } });
  const others = [
    row({ name: 'rare words, 1 found' }),
    row({ name: 'error (missed 1.0)' }),
    row({ unit: 's' }),
    row({ question: 'index' }),
  ];
  const again = [
    row({ ...later, name: 'rare words, 2 found' }),
    row({ ...later, name: 'error (missed 2.0)' }),
  ];
  assert.deepEqual(newestRows([newer, old, row({}), beside, ...others, ...again]), [
    newer,
    beside,
    ...again,
    ...others.slice(2),
  ]);
});
