import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Type } from 'typebox';
import { actor, type FeedTurn, Sent } from '../../runtime/actor.ts';
import { contract, feed, SlotHandle } from '../../runtime/contract.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { createLog } from '../../runtime/log.ts';
import { Cell } from '../../runtime/ref.ts';
import { createSlotPool, createSlotTable } from '../../runtime/slots.ts';
import { until } from '../until.ts';
import { engine } from './engine.ts';
import { startInMemory } from './memory.ts';

test('a feed never runs further ahead than its credit', async () => {
  const { supervisor, inMemory, pool } = engine();
  const ref = await inMemory();
  const seen: number[] = [];
  for await (const { n, slot } of ref.feed('fill', { to: 40 }, { credit: 2 })) {
    assert.equal(pool.view(slot)[0], n);
    // Two slots are the producer's credit at most, one is the item in our hands.
    assert.ok(pool.count - pool.free <= 3);
    seen.push(n);
  }
  assert.equal(seen.length, 40);
  assert.equal(pool.free, pool.count);
  await supervisor.stop();
});

test('a feed left early frees its slots and its turn', async () => {
  const { supervisor, inMemory, pool } = engine();
  const ref = await inMemory();
  for await (const { n } of ref.feed('fill', { to: 1_000 })) if (n === 2) break;
  await until(() => pool.free === pool.count);
  assert.equal(supervisor.states()[0]?.running, 0);
  await supervisor.stop();
});

const wideContract = contract(
  'wide',
  {
    /** Items that fill `wide` slots each. */
    fill: feed(
      Type.Object({ to: Type.Integer(), wide: Type.Integer() }),
      Type.Object({ n: Type.Integer(), slots: Type.Array(SlotHandle) }),
      { slots: ({ wide }) => wide },
    ),
  },
  { concurrency: 2 },
);

const definition = actor({
  contract: wideContract,
  create: () => ({
    handlers: {
      async *fill({ to, wide }, turn: FeedTurn) {
        for (let n = 0; n < to; n++) {
          const slots: SlotHandle[] = [];
          for (let i = 0; i < wide; i++) slots.push(await turn.freeSlot());
          for (const [i, slot] of slots.entries()) turn.slot(slot).fill(10 * n + i);
          yield new Sent({ n, slots }, { slots });
        }
      },
    },
  }),
});

async function started(slots: number) {
  const pool = createSlotPool(slots, 8);
  const log = createLog('test', () => {});
  const cell = new Cell('wide', wideContract, { capacity: 8, pool, now: () => 0 });
  const link = startInMemory(definition, { log, memory: pool.memory });
  await link.ready;
  cell.attach(link);
  const drain = async (request: { to: number; wide: number }, credit: number) => {
    let seen = 0;
    for await (const { n, slots } of cell.feed('fill', request, { credit })) {
      assert.equal(n, seen++);
      assert.deepEqual(
        slots.map((slot) => pool.view(slot)[0]),
        slots.map((_, i) => 10 * n + i),
      );
    }
    return seen;
  };
  return { pool, cell, drain, stop: () => link.stop() };
}

const limited = { timeout: 10_000 };

test('an item may fill several slots, and its credit comes back whole', limited, async () => {
  for (const [slots, wide, credit] of [
    [4, 3, 3],
    [4, 2, 4],
    [8, 3, 8],
    [3, 3, 16],
  ] as const) {
    const { pool, drain, stop } = await started(slots);
    assert.equal(await drain({ to: 20, wide }, credit), 20);
    assert.equal(pool.free, slots);
    stop();
  }
});

test('two feeds that need several slots each do not wait for each other', limited, async () => {
  const { pool, drain, stop } = await started(3);
  const both = await Promise.all([drain({ to: 20, wide: 2 }, 2), drain({ to: 20, wide: 2 }, 2)]);
  assert.deepEqual(both, [20, 20]);
  assert.equal(pool.free, 3);
  stop();
});

test('a feed that is asked for now has its slots before one that can wait', limited, async () => {
  const { pool, cell, stop } = await started(1);
  const held = pool.holder();
  await pool.acquire(held);
  const order: string[] = [];
  const take = async (lane: 'now' | 'later') => {
    for await (const _ of cell.feed('fill', { to: 1, wide: 1 }, { credit: 1, lane })) order.push(lane);
  };
  const later = take('later');
  await until(() => pool.waiting === 1);
  const now = take('now');
  await until(() => pool.waiting === 2);
  pool.releaseAll(held);
  await Promise.all([later, now]);
  assert.deepEqual(order, ['now', 'later']);
  stop();
});

test('an item that needs more slots than the credit or the pool has is refused', limited, async () => {
  const { pool, drain, stop } = await started(4);
  for (const [wide, credit] of [
    [3, 2],
    [5, 16],
  ] as const) {
    await assert.rejects(drain({ to: 1, wide }, credit), (error: Error) => {
      assert.ok(engineErrors.INVALID_MESSAGE.is(error));
      assert.match(error.message, new RegExp(`wide.fill: an item needs ${wide} slots`));
      return true;
    });
  }
  assert.equal(pool.free, 4);
  stop();
});

test(
  'several slots are acquired at once, in order, and a cancelled wait lets the next go on',
  limited,
  async () => {
    const pool = createSlotPool(3, 8);
    const [a, b, c] = [pool.holder(), pool.holder(), pool.holder()];
    const first = await pool.acquireAll(2, a);
    const given = new AbortController();
    const large = pool.acquireAll(3, b, given.signal);
    const small = pool.acquire(c);
    assert.equal(pool.free, 1, 'the one that waits longer is not overtaken');
    given.abort();
    await assert.rejects(large, engineErrors.CANCELLED.is);
    await small;
    assert.deepEqual([pool.free, pool.waiting], [0, 0]);
    const whole = pool.acquireAll(3, b);
    pool.release(first[0]!, a);
    pool.releaseAll(c);
    assert.equal(pool.waiting, 1);
    pool.releaseAll(a);
    assert.equal((await whole).length, 3);
  },
);

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
