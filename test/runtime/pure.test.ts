import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { manualClock } from '../../runtime/clock.ts';
import { EngineError, engineErrors, fromFields, toFields } from '../../runtime/errors.ts';
import { createMailbox } from '../../runtime/mailbox.ts';
import { stuckVerdict, verdict } from '../../runtime/restart.ts';
import { createLedger, createSlotPool } from '../../runtime/slots.ts';

test('the now lane goes before the later lane and each keeps its order', () => {
  const box = createMailbox<string>(4);
  box.offer('later', 'a');
  box.offer('now', 'b');
  box.offer('later', 'c');
  box.offer('now', 'd');
  assert.deepEqual(box.drain(), ['b', 'd', 'a', 'c']);
});

test('a full lane refuses and the other lane still takes', () => {
  const box = createMailbox<number>(2);
  assert.equal(box.offer('later', 1) && box.offer('later', 2), true);
  assert.equal(box.offer('later', 3), false);
  assert.equal(box.offer('now', 4), true);
  assert.equal(box.take(), 4);
  assert.equal(box.remove(1), true);
  assert.equal(box.remove(1), false);
  assert.equal(box.take(), 2);
  assert.equal(box.take(), undefined);
});

test('the restart verdict doubles its delay and gives up after too many crashes in the window', () => {
  const policy = { most: 3, windowMs: 1_000, firstDelayMs: 10, longestDelayMs: 30 };
  const table: [number[], number, object][] = [
    [[0], 0, { do: 'restart', afterMs: 10 }],
    [[0, 5], 5, { do: 'restart', afterMs: 20 }],
    [[0, 5, 9], 9, { do: 'restart', afterMs: 30 }],
    [[0, 5, 9, 12], 12, { do: 'give-up', reason: '4 crashes within 1 s' }],
    [[0, 5, 9, 1_200], 1_200, { do: 'restart', afterMs: 10 }],
  ];
  for (const [crashes, now, expected] of table) assert.deepEqual(verdict(crashes, now, policy), expected);
  assert.equal(stuckVerdict(0), 'replace');
  assert.equal(stuckVerdict(1), 'restart-engine');
});

test('an error keeps code, status, retryable and details when it crosses as fields', () => {
  const there = fromFields(structuredClone(toFields(engineErrors.BUSY('index: full', { actor: 'index' }))));
  assert.ok(there instanceof EngineError && engineErrors.BUSY.is(there));
  assert.deepEqual([there.status, there.retryable, there.details], [503, true, { actor: 'index' }]);
  assert.equal(toFields(new TypeError('odd')).code, 'INTERNAL');
});

test('a slot is free exactly when it has no holders, and a stale generation is refused', () => {
  const command = fc.record({
    act: fc.constantFrom('acquire', 'hold', 'release', 'releaseAll'),
    holder: fc.integer({ min: 1, max: 3 }),
    pick: fc.nat(20),
  });
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      const ledger = createLedger(3);
      const handles: { slot: number; generation: number }[] = [];
      /** The model: a multiset of (handle, holder). */
      const holds = new Map<string, number[]>();
      const key = (handle: { slot: number; generation: number }) => `${handle.slot}/${handle.generation}`;
      for (const { act, holder, pick } of commands) {
        const handle = handles[pick % Math.max(1, handles.length)];
        if (act === 'acquire') {
          const got = ledger.acquire(holder);
          if (!got) continue;
          handles.push(got);
          holds.set(key(got), [holder]);
        } else if (act === 'releaseAll') {
          ledger.releaseAll(holder);
          for (const [at, of] of holds)
            holds.set(
              at,
              of.filter((other) => other !== holder),
            );
        } else if (handle && act === 'hold') {
          const live = (holds.get(key(handle)) ?? []).length > 0;
          if (!live) assert.throws(() => ledger.hold(handle, holder), engineErrors.STALE_SLOT.is);
          else {
            ledger.hold(handle, holder);
            holds.get(key(handle))!.push(holder);
          }
        } else if (handle) {
          ledger.release(handle, holder);
          const of = holds.get(key(handle)) ?? [];
          const at = of.indexOf(holder);
          if (at >= 0) of.splice(at, 1);
        }
        const busy = [...holds.values()].filter((of) => of.length > 0).length;
        assert.equal(ledger.free, 3 - busy);
      }
    }),
  );
});

test('the pool serves waiting acquisitions in order and forgets cancelled ones', async () => {
  const pool = createSlotPool(1, 8);
  const [a, b] = [pool.holder(), pool.holder()];
  const first = await pool.acquire(a);
  const given = new AbortController();
  const cancelled = pool.acquire(b, given.signal);
  const next = pool.acquire(b);
  given.abort();
  await assert.rejects(cancelled, engineErrors.CANCELLED.is);
  pool.view(first)[0] = 7;
  pool.releaseAll(a);
  const second = await next;
  assert.equal(second.generation, first.generation + 1);
  assert.throws(() => pool.view(first), engineErrors.STALE_SLOT.is);
  assert.equal(pool.waiting, 0);
});

test('a search finds a free slot before the ingest that waited longer', async () => {
  const pool = createSlotPool(1, 8);
  const [a, b] = [pool.holder(), pool.holder()];
  await pool.acquire(a);
  const served: string[] = [];
  const ingest = pool.acquire(b).then(() => served.push('ingest'));
  const search = pool.acquire(b, undefined, 'now').then(() => {
    served.push('search');
    pool.releaseAll(b);
  });
  pool.releaseAll(a);
  await Promise.all([ingest, search]);
  assert.deepEqual(served, ['search', 'ingest']);
});

test('a manual clock runs what falls due in order and nothing that was called off', () => {
  const clock = manualClock();
  const seen: string[] = [];
  clock.after(20, () => seen.push(`b${clock.now()}`));
  clock.after(10, () => {
    seen.push(`a${clock.now()}`);
    clock.after(5, () => seen.push(`c${clock.now()}`));
  });
  clock.after(12, () => seen.push('never'))();
  clock.advance(30);
  assert.deepEqual(seen, ['a10', 'c15', 'b20']);
  assert.equal(clock.waiting, 0);
});
