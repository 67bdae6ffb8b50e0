import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Stamps } from '../../../actors/watcher/stamps.ts';

const settleMs = 4000;

test('a mark has stood once a poll begins long enough after the one that saw it first', () => {
  const poll = fc.record({ wait: fc.integer({ min: 0, max: 9000 }), takes: fc.nat(3000) });
  fc.assert(
    fc.property(fc.array(poll, { minLength: 2, maxLength: 200 }), fc.nat(20), (polls, first) => {
      const stamps = new Stamps(settleMs);
      let now = 0;
      let marked: { generation: number; ended: number } | null = null;
      for (const [i, { wait, takes }] of polls.entries()) {
        now += wait;
        const begun = now;
        const stamp = stamps.begin(now);
        now += takes;
        stamps.end(now);
        if (marked) assert.equal(stamp.isApart(marked.generation), begun - marked.ended >= settleMs);
        if (i === first) marked = { generation: stamp.generation, ended: now };
      }
    }),
    { numRuns: 300 },
  );
});

test('a poll that did not end counts from its beginning', () => {
  const stamps = new Stamps(settleMs);
  const { generation } = stamps.begin(1000);
  assert.ok(!stamps.begin(4999).isApart(generation));
  assert.ok(stamps.begin(5000).isApart(generation));
});

test('numbers go round, and what was known before the first poll has stood for long', () => {
  const stamps = new Stamps(settleMs);
  assert.ok(stamps.begin(0).isApart(0));
  let before = stamps.begin(0);
  for (let i = 1; i < 1000; i++) {
    const stamp = stamps.begin(i * settleMs);
    assert.ok(stamp.isApart(before.generation));
    assert.ok(!stamp.isApart(stamp.generation));
    assert.ok(stamp.generation >= 0 && stamp.generation < 256);
    before = stamp;
  }
});
