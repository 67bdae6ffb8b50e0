import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Turns } from '../../../../actors/analysis/tasks/turns.ts';
import { engineErrors } from '../../../../runtime/errors.ts';

const settle = () => new Promise(setImmediate);

test('the higher priority goes first, then who came first', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: -2, max: 2 }), { maxLength: 12 }), async (priorities) => {
      const turns = new Turns();
      const gone: number[] = [];
      for (const [i, priority] of priorities.entries()) {
        void turns
          .ticket(priority)
          .wait()
          .then(() => gone.push(i));
      }
      for (let left = priorities.length; left > 0; left--) {
        assert.equal(turns.size, left);
        turns.next();
        await settle();
      }
      const expected = [...priorities.keys()].sort((a, b) => priorities[b]! - priorities[a]! || a - b);
      assert.deepEqual(gone, expected);
    }),
  );
});

test('who finds that it is not its turn waits again at the same place', async () => {
  const turns = new Turns();
  const [first, second] = [turns.ticket(0), turns.ticket(0)];
  const gone: string[] = [];
  const waiting = first.wait().then(async () => {
    await first.wait();
    gone.push('first');
  });
  const after = second.wait().then(() => gone.push('second'));
  turns.next();
  await settle();
  assert.equal(turns.size, 2);
  turns.next();
  turns.next();
  await Promise.all([waiting, after]);
  assert.deepEqual(gone, ['first', 'second']);
});

test('who gives up leaves the line, and hands on a turn that has come already', async () => {
  const turns = new Turns();
  const [early, late] = [new AbortController(), new AbortController()];
  const waiting = turns.ticket(0).wait(early.signal);
  early.abort();
  await assert.rejects(waiting, engineErrors.CANCELLED.is);
  await assert.rejects(turns.ticket(0).wait(early.signal), engineErrors.CANCELLED.is);
  assert.equal(turns.size, 0);
  const woken = turns.ticket(0).wait(late.signal);
  const next = turns.ticket(0).wait();
  turns.next();
  late.abort();
  await assert.rejects(woken, engineErrors.CANCELLED.is);
  await next;
  assert.equal(turns.size, 0);
});

test('at the end everybody who waits hears why', async () => {
  const turns = new Turns();
  const reason = new Error('over');
  const waiting = [0, 1].map((priority) => turns.ticket(priority).wait());
  turns.end(reason);
  for (const one of waiting) await assert.rejects(one, reason);
  turns.next();
});
