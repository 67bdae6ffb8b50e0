import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusteringHandlers, idleLimit } from '../../../../actors/faces/clustering/handlers.ts';
import { facesContract } from '../../../../actors/faces/contract.ts';
import { actor } from '../../../../runtime/actor.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import { contract } from '../../../../runtime/contract.ts';
import { createLog } from '../../../../runtime/log.ts';
import { createSlotPool } from '../../../../runtime/slots.ts';
import { createSupervisor } from '../../../../runtime/supervisor.ts';
import { manualClock } from '../../../runtime/manual-clock.ts';
import { startInMemory } from '../../../runtime/memory.ts';
import { crowd, naive, unit } from './people.ts';

const { cluster_open, cluster_add, cluster_step, cluster_labels, cluster_similarities, cluster_close } =
  facesContract.messages;
const messages = {
  cluster_open,
  cluster_add,
  cluster_step,
  cluster_labels,
  cluster_similarities,
  cluster_close,
};
const clusterings = contract('clusterings', messages, { concurrency: 4 });

/** A clock that goes on by so much whenever it is asked. */
function hastyClock(ms: number): Clock {
  const clock = manualClock();
  return {
    now: () => {
      clock.advance(ms);
      return clock.now();
    },
    after: (delay, run) => clock.after(delay, run),
  };
}

async function start(clock: Clock = manualClock()) {
  const log = createLog('test', () => {});
  const made = clusteringHandlers({ threads: 1, log, clock });
  const definition = actor({
    contract: clusterings,
    create: () => ({ handlers: made.handlers, close: made.close }),
  });
  const supervisor = createSupervisor({ clock: manualClock(), log, pool: createSlotPool(1, 64) });
  const actorRef = await supervisor.add({
    name: 'clusterings',
    contract: clusterings,
    capacity: 16,
    turnLimitMs: 60_000,
    start: () => startInMemory(definition, { settings: {}, log }),
  });
  const ask: typeof actorRef.ask = (...call) => actorRef.ask(...call);
  const filled = async (
    dimensions: number,
    vectors: Float32Array,
    weak = new Uint8Array(vectors.length / dimensions),
  ) => {
    const { clustering } = await ask('cluster_open', { own_eps: 0.48, dimensions, before: null });
    await ask('cluster_add', { clustering, vectors: vectors.slice(), weak: weak.slice() });
    return clustering;
  };
  const stepped = async (clustering: number, eps: number | null, min_samples: number, most = 1000) => {
    const fractions: number[] = [];
    for (let turn = 0; turn < most; turn++) {
      const { done, fraction } = await ask('cluster_step', { clustering, eps, min_samples });
      fractions.push(fraction);
      if (done) break;
    }
    return fractions;
  };
  const labelled = async (clustering: number, eps: number | null, min_samples: number) => {
    await stepped(clustering, eps, min_samples);
    return ask('cluster_labels', { clustering });
  };
  return { ask, made, filled, stepped, labelled, stop: () => supervisor.stop() };
}

const faces = crowd({ dimensions: 32, people: [60, 30, 12], loners: 30, same: 0.8, seed: 4 });

test('a clustering is filled in parts, stepped until it is done, read and closed', async () => {
  const { ask, made, stepped, stop } = await start(hastyClock(60));
  const { clustering } = await ask('cluster_open', { own_eps: 0.48, dimensions: 32, before: null });
  const cut = 40;
  for (const part of [faces.vectors.slice(0, cut * 32), faces.vectors.slice(cut * 32)]) {
    const weak = new Uint8Array(part.length / 32);
    await ask('cluster_add', { clustering, vectors: part, weak }, { transfer: [part.buffer] });
  }
  await assert.rejects(ask('cluster_labels', { clustering }), {
    code: 'INVALID_MESSAGE',
    message: /not done/,
  });
  await stepped(clustering, 0.4, 4);
  const { labels, neighbours, clusters, eps } = await ask('cluster_labels', { clustering });
  const expected = naive(faces.vectors, { dimensions: 32, eps: 0.4, minSamples: 4 });
  assert.deepEqual({ labels, neighbours, clusters, eps }, expected);
  assert.deepEqual(await ask('cluster_labels', { clustering }), expected, 'and again');
  assert.equal(made.openCount, 1);
  await ask('cluster_close', { clustering });
  await ask('cluster_close', { clustering });
  assert.equal(made.openCount, 0);
  await assert.rejects(ask('cluster_labels', { clustering }), { code: 'CLUSTERING_LOST' });
  await stop();
});

test('a step is a part of the work, the fraction rises to 1, and other messages come in between', async () => {
  const { ask, filled, stop } = await start(hastyClock(60));
  const { vectors } = crowd({ dimensions: 8, people: [900, 900, 900], loners: 900, same: 0.9, seed: 1 });
  const clustering = await filled(8, vectors);
  const fractions: number[] = [];
  for (let isDone = false; !isDone; ) {
    const stepping = ask('cluster_step', { clustering, eps: null, min_samples: 5 });
    const { clustering: other } = await ask('cluster_open', { own_eps: 0.48, dimensions: 8, before: null });
    await ask('cluster_close', { clustering: other });
    const { done, fraction } = await stepping;
    fractions.push(fraction);
    isDone = done;
  }
  assert.ok(fractions.length > 5, fractions.join(' '));
  assert.deepEqual(
    fractions,
    fractions.toSorted((a, b) => a - b),
  );
  assert.equal(fractions.at(-1), 1);
  assert.ok(fractions[Math.floor(fractions.length / 2)]! < 0.8, 'it does not jump to the end');
  await stop();
});

test('two clusterings go on side by side, and each is what it would be alone', async () => {
  const { filled, labelled, made, stop } = await start(hastyClock(60));
  const other = crowd({ dimensions: 64, people: [300, 150], loners: 150, same: 0.7, seed: 9 });
  const first = await filled(32, faces.vectors);
  const second = await filled(64, other.vectors);
  assert.equal(made.openCount, 2);
  const [one, two] = await Promise.all([labelled(first, 0.4, 4), labelled(second, 0.5, 4)]);
  assert.deepEqual(one, naive(faces.vectors, { dimensions: 32, eps: 0.4, minSamples: 4 }));
  assert.deepEqual(two, naive(other.vectors, { dimensions: 64, eps: 0.5, minSamples: 4 }));
  await stop();
});

test('another eps, other samples and further entries begin the work anew', async () => {
  const { ask, filled, labelled, stop } = await start();
  const clustering = await filled(32, faces.vectors);
  for (const [eps, minSamples] of [
    [0.4, 4],
    [0.2, 4],
    [0.2, 2],
  ] as const) {
    const expected = naive(faces.vectors, { dimensions: 32, eps, minSamples });
    assert.deepEqual(await labelled(clustering, eps, minSamples), expected);
  }
  await ask('cluster_add', { clustering, vectors: faces.vectors.slice(0, 32), weak: Uint8Array.of(0) });
  await assert.rejects(ask('cluster_labels', { clustering }), { message: /not done/ });
  assert.equal((await labelled(clustering, 0.2, 2)).labels.length, faces.who.length + 1);
  await stop();
});

test('entries that come while a step works are part of the next one', async () => {
  const { ask, filled, labelled, stop } = await start();
  const cut = faces.who.length - 1;
  const clustering = await filled(32, faces.vectors.subarray(0, cut * 32));
  const stepping = ask('cluster_step', { clustering, eps: 0.4, min_samples: 4 });
  const rest = { clustering, vectors: faces.vectors.slice(cut * 32), weak: Uint8Array.of(0) };
  await Promise.all([stepping, ask('cluster_add', rest)]);
  const expected = naive(faces.vectors, { dimensions: 32, eps: 0.4, minSamples: 4 });
  assert.deepEqual(await labelled(clustering, 0.4, 4), expected);
  await stop();
});

test('odd crowds: nobody, one face, more samples than faces, eps 0 and 2, a thousand equal faces', async () => {
  const { filled, labelled, stop } = await start();
  const none = await labelled(await filled(32, new Float32Array(0)), 0.5, 5);
  assert.deepEqual(none, { labels: new Int32Array(0), neighbours: new Int32Array(0), clusters: 0, eps: 0.5 });
  const one = faces.vectors.slice(0, 32);
  assert.deepEqual([...(await labelled(await filled(32, one), 0.5, 5)).labels], [-1]);
  assert.deepEqual([...(await labelled(await filled(32, one), 0.5, 1)).labels], [0]);
  assert.deepEqual([...(await labelled(await filled(32, one, Uint8Array.of(1)), 0.5, 1)).labels], [-1]);
  const { labels: lonely } = await labelled(await filled(32, faces.vectors), 0.4, 10_000);
  assert.ok(lonely.every((label) => label === -1));
  const everybody = await labelled(await filled(32, faces.vectors), 2, 5);
  assert.ok(everybody.labels.every((label) => label === 0));
  assert.ok(everybody.neighbours.every((count) => count === faces.who.length));
  const twice = new Float32Array([...faces.vectors, ...faces.vectors]);
  const pairs = await labelled(await filled(32, twice), 0, 2);
  assert.equal(pairs.clusters, faces.who.length, 'equal vectors have no distance');
  assert.ok(pairs.neighbours.every((count) => count === 2));
  const same = unit(Float32Array.from({ length: 32_000 }, (_, i) => (i % 32) + 1));
  const equal = await labelled(await filled(32, same), 0, 5);
  assert.ok(equal.neighbours.every((count) => count === 1000));
  assert.equal(equal.clusters, 1);
  await stop();
});

test('vectors that cannot be compared are refused, naming the entry, and none of their message is kept', async () => {
  const { ask, filled, labelled, stop } = await start();
  const clustering = await filled(2, Float32Array.of(1, 0, 0, 1));
  for (const [vectors, message] of [
    [[1, 0, Number.NaN, 0], /vectors: entry 3 is not a number/],
    [[1, 0, 0, 0], /vectors: entry 3 has no length/],
    [[Number.POSITIVE_INFINITY, 0, 1, 0], /vectors: entry 2 is not of length 1/],
    [[1, 0, 1], /vectors: 3 numbers are not 2 vectors of 2/],
  ] as const) {
    const added = ask('cluster_add', {
      clustering,
      vectors: Float32Array.from(vectors),
      weak: new Uint8Array(2),
    });
    await assert.rejects(added, { code: 'INVALID_MESSAGE', message });
  }
  assert.equal((await labelled(clustering, 0.1, 1)).labels.length, 2);
  await stop();
});

test('an earlier clustering that cannot be of these entries is refused', async () => {
  const { ask, stop } = await start();
  const step = async (labels: number[], neighbours: number[], eps: number | null = 0.1) => {
    const before = { labels: Int32Array.from(labels), neighbours: Int32Array.from(neighbours) };
    const { clustering } = await ask('cluster_open', { own_eps: 0.48, dimensions: 2, before });
    const vectors = Float32Array.of(1, 0, 1, 0);
    await ask('cluster_add', { clustering, vectors, weak: new Uint8Array(2) });
    return ask('cluster_step', { clustering, eps, min_samples: 2 });
  };
  const refused = (message: RegExp) => ({ code: 'INVALID_MESSAGE', message });
  assert.deepEqual(await step([0, 0], [2, 2]), { done: true, fraction: 1 });
  await assert.rejects(step([0, 0], [2]), refused(/before: 2 labels and 1 neighbour/));
  await assert.rejects(step([0, 0, 0], [3, 3, 3]), refused(/before: 3 labels, and 2 entries/));
  await assert.rejects(
    step([-1, 0], [2, 2]),
    refused(/before: entry 0 has 2 neighbours and is in no cluster/),
  );
  await assert.rejects(step([0, 1], [2, 1]), refused(/before: the cluster of entry 1 has no entry with 2/));
  await assert.rejects(step([0, 0], [2, 2], null), refused(/eps: is needed/));
  await stop();
});

test('what is cancelled goes on where it was with the next step', async () => {
  const { ask, filled, labelled, stop } = await start(hastyClock(30));
  const clustering = await filled(32, faces.vectors);
  const limit = new AbortController();
  const stepping = ask('cluster_step', { clustering, eps: 0.4, min_samples: 4 }, { signal: limit.signal });
  limit.abort();
  await assert.rejects(stepping, { code: 'CANCELLED' });
  const expected = naive(faces.vectors, { dimensions: 32, eps: 0.4, minSamples: 4 });
  assert.deepEqual(await labelled(clustering, 0.4, 4), expected);
  await stop();
});

test('a clustering that nobody speaks of is dropped after a while, one that is spoken of is not', async () => {
  const clock = manualClock();
  const { ask, filled, made, stop } = await start(clock);
  const left = await filled(32, faces.vectors);
  const kept = await filled(32, faces.vectors);
  clock.advance(idleLimit - 1);
  await ask('cluster_step', { clustering: kept, eps: 0.4, min_samples: 4 });
  clock.advance(1);
  assert.equal(made.openCount, 1);
  await assert.rejects(ask('cluster_step', { clustering: left, eps: 0.4, min_samples: 4 }), {
    code: 'CLUSTERING_LOST',
  });
  await ask('cluster_labels', { clustering: kept });
  await stop();
  assert.equal(made.openCount, 0);
  assert.equal(clock.waiting, 0);
});
