import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { engineErrors } from '../../runtime/errors.ts';
import { createSlotPool, createSlotTable } from '../../runtime/slots.ts';

test('a slot is free exactly when it has no holders, and a stale generation is refused', () => {
  const command = fc.record({
    act: fc.constantFrom('acquire', 'hold', 'release', 'releaseAll'),
    holder: fc.integer({ min: 1, max: 3 }),
    pick: fc.nat(20),
  });
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      const ledger = createSlotTable(3);
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
