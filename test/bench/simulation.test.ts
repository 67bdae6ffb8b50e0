// The simulation of large clusters, where its answer is known.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type ClusterSize, month } from '../../bench/simulation/month.ts';

const never = { every: Number.POSITIVE_INFINITY, lasts: 0 };
const HOUR = 3_600;
const size: ClusterSize = {
  ...{ workers: 10, replicas: 10, days: 10, waiting: 5_000, daily: 0, fileHours: 0.5, speed: 50 },
  ...{ footageBytes: 1e9, resultBytes: 1e6, storage: 1e15, share: 1e15, takingOver: 0.1, noticed: 13 },
  failures: { worker: never, database: never, share: never },
};

const near = (value: number, expected: number, share: number) =>
  assert.ok(Math.abs(value / expected - 1) < share, `${value} is not ${expected}`);

test('workers that nothing holds up share a batch evenly', () => {
  const { analysed, batch, busy, again, lost } = month(size, 1);
  near(analysed, 5_000, 1e-9);
  near(batch / HOUR, 5_000 / (10 * 50), 0.02);
  assert.ok(busy > 0.98 && busy <= 1.000001);
  assert.deepEqual([again, lost], [0, 0]);
});

test('a batch takes as long as its storage needs to read it', () => {
  const { batch } = month({ ...size, storage: 5_000e9 / (40 * HOUR) }, 1);
  near(batch / HOUR, 40, 0.02);
});

test('a lost worker loses no footage, and what it had done of its file', () => {
  const worker = { every: HOUR / 2, lasts: 60 };
  const { analysed, again, lost } = month({ ...size, days: 0.45, failures: { ...size.failures, worker } }, 1);
  near(analysed, 5_000, 1e-9);
  assert.ok(lost > 100);
  // As much as the mean file: a long one is met more often than a short one.
  near(again / lost, 0.5, 0.2);
});

test('while the database is away results wait, and no job is taken', () => {
  const database = { every: HOUR, lasts: HOUR };
  const failures = { ...size.failures, database };
  const { analysed, batch, shown } = month({ ...size, fileHours: 5, failures }, 1);
  near(analysed, 5_000, 1e-9);
  assert.ok(batch > 15 * HOUR, `${batch / HOUR} h`);
  assert.ok(shown.median < 2 && shown.late > HOUR / 2, `${shown.late} s`);
});

test('a front that takes over more slowly than workers find falls behind', () => {
  const { shown } = month({ ...size, takingOver: (2 * HOUR) / (10 * 50) }, 1);
  // In the end it has half of the batch, which took ten hours.
  near(shown.median / HOUR, 5, 0.1);
});

test('footage that comes in is found when its worker and a front are done', () => {
  const { found, batch } = month({ ...size, waiting: 0.5, daily: 240, days: 30 }, 1);
  assert.ok(batch > 0);
  // Ten workers are nearly idle: a file waits for nothing but itself; half of an exponential is ln 2.
  near(found.median, (0.5 * Math.LN2 * HOUR) / 50, 0.1);
});
