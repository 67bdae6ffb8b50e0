import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GridPlan } from '../../../../actors/decoder/frames/plan.ts';
import type { PacketFacts } from '../../../../actors/decoder/packets/packet-facts.ts';
import { askFrames, turnFor, walkCounts } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';

const ticksPerSecond = 10;
const hold = { packets: 1024, bytes: 2 ** 26 };

interface Outcome {
  /** Orders of sent packets, and where decoding began anew. */
  readonly sent: number[];
  readonly fresh: Set<number>;
  /** Order of the picture of each second. */
  readonly shows: Map<number, number>;
  readonly deepest: number;
}

function run(packets: readonly PacketFacts[], to: number, from = 0, held = hold): Outcome {
  const limit = (second: number) => second * ticksPerSecond;
  const plan = new GridPlan({ limit, from, to, reorder: 16, atStart: from === 0, hold: held });
  const outcome: Outcome & { deepest: number } = { sent: [], fresh: new Set(), shows: new Map(), deepest: 0 };
  let decided = 0;
  const take = (decisions: ReturnType<GridPlan['push']>) => {
    for (const { order, send, fresh } of decisions) {
      assert.equal(order, decided++);
      if (send) outcome.sent.push(order);
      if (fresh) outcome.fresh.add(order);
    }
    for (const { from, to, order } of plan.takeSettled()) {
      for (let second = from; second < to; second++) outcome.shows.set(second, order);
    }
  };
  for (const [i, packet] of packets.entries()) {
    take(plan.push(packet));
    outcome.deepest = Math.max(outcome.deepest, i + 1 - decided);
  }
  take(plan.finish(to));
  assert.equal(decided, packets.length);
  return outcome;
}

const packet = (pts: number, more: Partial<PacketFacts> = {}): PacketFacts => ({
  pts,
  reference: true,
  shown: true,
  entry: 'no',
  skipped: false,
  size: 1000,
  ...more,
});

/**
 * A GOP in decoding order: a key picture, then groups of one reference and the pictures between, nested or
 * not.
 */
const gop = fc.record({
  open: fc.boolean(),
  groups: fc.array(fc.record({ between: fc.integer({ min: 0, max: 4 }), pyramid: fc.boolean() }), {
    maxLength: 12,
  }),
});
const stream = fc.array(gop, { minLength: 1, maxLength: 8 }).map((gops) => {
  const packets: PacketFacts[] = [];
  let shown = 0;
  const between = (from: number, count: number, pyramid: boolean) => {
    for (let i = 1; i <= count; i++) packets.push(packet(from + i, { reference: pyramid && i === 1 }));
  };
  for (const [index, { open, groups }] of gops.entries()) {
    const leading = open && index > 0 ? 2 : 0;
    packets.push(packet(shown + leading, { entry: open ? 'open' : 'closed' }));
    between(shown - 1, leading, false);
    shown += leading + 1;
    for (const group of groups) {
      packets.push(packet(shown + group.between));
      between(shown - 1, group.between, group.pyramid);
      shown += group.between + 1;
    }
  }
  return { packets, seconds: Math.max(1, Math.ceil(shown / ticksPerSecond)) };
});

/** The picture of a second by looking at everything. */
function wanted(packets: readonly PacketFacts[], second: number): number {
  let best = -1;
  for (const [order, { pts, shown }] of packets.entries()) {
    if (!shown || pts === null || pts > second * ticksPerSecond) continue;
    if (best < 0 || pts > packets[best]!.pts!) best = order;
  }
  return best;
}

/** Orders that a picture needs: every reference since the latest entry it can be decoded from, and itself. */
function needs(packets: readonly PacketFacts[], order: number): number[] {
  let entry = order;
  for (; entry > 0; entry--) {
    const { entry: kind, pts } = packets[entry]!;
    if (kind === 'closed' || (kind === 'open' && packets[order]!.pts! >= pts!)) break;
  }
  const between = packets.map((_, i) => i).slice(entry, order);
  return [...between.filter((i) => packets[i]!.reference), order];
}

test('the plan shows the pictures that a search of the whole file finds', () => {
  fc.assert(
    fc.property(stream, ({ packets, seconds }) => {
      const { shows } = run(packets, seconds);
      for (let second = 0; second < seconds; second++)
        assert.equal(shows.get(second), wanted(packets, second));
    }),
  );
});

test('everything sent is needed by a shown picture, and everything needed is sent', () => {
  fc.assert(
    fc.property(stream, ({ packets, seconds }) => {
      const { sent, shows } = run(packets, seconds);
      const least = new Set([...shows.values()].flatMap((order) => needs(packets, order)));
      assert.deepEqual(
        sent,
        [...least].sort((a, b) => a - b),
      );
    }),
  );
});

test('decoding restarts only at a random access point, and whenever a reference was dropped', () => {
  fc.assert(
    fc.property(stream, ({ packets, seconds }) => {
      const { sent, fresh } = run(packets, seconds);
      const given = new Set(sent);
      let whole = true;
      for (const [order, { reference, entry }] of packets.entries()) {
        if (fresh.has(order)) {
          assert.notEqual(entry, 'no');
          whole = true;
        }
        if (given.has(order)) assert.ok(whole, `packet ${order}`);
        else if (reference) whole = false;
      }
    }),
  );
});

test('starting in the middle shows the same pictures', () => {
  fc.assert(
    fc.property(stream, fc.nat(20), ({ packets, seconds }, start) => {
      const from = Math.min(start, seconds - 1);
      const { shows } = run(packets, seconds, from);
      for (let second = from; second < seconds; second++)
        assert.equal(shows.get(second), wanted(packets, second));
    }),
  );
});

test('of a GOP of thousands of packets little more than a second is queued', () => {
  const packets = Array.from({ length: 20_000 }, (_, i) => packet(i, { entry: i === 0 ? 'closed' : 'no' }));
  const { sent, deepest } = run(packets, 2000);
  assert.equal(sent.length, 19_991);
  assert.ok(deepest < 60, `${deepest} packets`);
});

test('the queue is bounded even where all pictures belong to one second', () => {
  const packets = Array.from({ length: 5000 }, (_, i) =>
    packet(i / 10_000, { entry: i === 0 ? 'closed' : 'no' }),
  );
  const { deepest, shows } = run(packets, 1, 0, { packets: 100, bytes: 2 ** 26 });
  assert.ok(deepest <= 101, `${deepest} packets`);
  assert.equal(shows.get(0), 0);
});

test('hidden pictures are decoded as references and are no grid pictures', () => {
  const hidden = [packet(0, { entry: 'closed', shown: false }), packet(1, { shown: false }), packet(2)];
  const { sent, shows } = run(hidden, 1);
  assert.deepEqual(sent, []);
  assert.equal(shows.get(0), undefined);
  const later = run([...hidden, packet(10)], 2);
  assert.deepEqual(later.sent, [0, 1, 2, 3]);
  assert.equal(later.shows.get(1), 3);
});

test('billions of seconds that show the same picture are settled at once', () => {
  const limit = (second: number) => second * ticksPerSecond;
  const to = 2 ** 31;
  const plan = new GridPlan({ limit, from: 0, to, reorder: 0, atStart: true, hold });
  const later = 2 ** 30 * ticksPerSecond - 3;
  plan.push(packet(0, { entry: 'closed' }));
  plan.push(packet(later));
  assert.deepEqual(plan.takeSettled(), [{ from: 0, to: 2 ** 30, order: 0 }]);
  plan.finish(to);
  assert.deepEqual(plan.takeSettled(), [{ from: 2 ** 30, to, order: 1 }]);
});

test('in keyframe mode every second shows the latest keyframe', async () => {
  const open = clips.find(({ name }) => name === 'H.264, 3 B-frames with pyramid, GOP 60')!;
  const turn = turnFor();
  const got = await askFrames({ path: await open.make(), mode: 'keyframes' }, turn);
  assert.deepEqual(
    got.map(({ second }) => second),
    [0, 1, 2, 3, 4],
  );
  const times = got.map(({ seconds }) => seconds);
  assert.ok(got.every(({ second, seconds }) => seconds <= second));
  assert.deepEqual([new Set(times).size, times[1], times[3]], [3, times[0], times[2]]);
  assert.equal(walkCounts(turn).decoded, 3);
});
