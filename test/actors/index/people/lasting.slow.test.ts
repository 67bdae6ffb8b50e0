// What people said of clusters, through any sequence of corrections, of taking them back, and of clusterings.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import type { ClusterColumns } from '../../../../actors/index/people/cluster-columns.ts';
import { type ClusteringState, named } from '../../../../actors/index/people/clustering-state.ts';
import { applyCorrections } from '../../../../actors/index/people/corrections.ts';
import { idOf, idText } from '../../../../actors/index/people/entry-id.ts';
import { modify, undone } from '../../../../actors/index/people/modify.ts';
import { anchorsOf, reconcile } from '../../../../actors/index/people/reconcile.ts';
import { EngineError } from '../../../../runtime/errors.ts';
import { nodeCommand } from '../../../node-command.ts';
import { draws, sampled } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { seeded } from '../footage.ts';
import { indexActor } from '../handlers.ts';
import { cluster, modelKey, people, storeFaces } from './faces.ts';

const count = 48;
const ids = (() => {
  const random = seeded(3);
  const hex = () => Math.floor(random() * 16).toString(16);
  const one = () => [8, 4, 4, 4, 12].map((length) => Array.from({ length }, hex).join('')).join('-');
  return Uint8Array.from(Buffer.concat(Array.from({ length: count }, () => idOf(one())!)));
})();

interface Job {
  readonly state: ClusteringState;
  readonly columns: ClusterColumns;
  readonly before: ClusterColumns | null;
}

const nothing: Job = {
  state: {
    ...{ cluster_ids: [], sizes: [], names: {}, corrections: [], lost: [], model_key: 'm', eps: 0.2 },
    ...{ min_samples: 2, media: ['aa'], marks: [1], entries: count, next: 1, shape: 1, is_whole: true },
    ...{ seen: 1, clustered_ms: 0, undo: null },
  },
  columns: {
    ids,
    media: new Uint32Array(count),
    frames: new Uint32Array(count),
    clusters: new Int32Array(count).fill(-1),
    raw: new Int32Array(count).fill(-1),
    neighbours: new Int32Array(count),
    quality: new Float32Array(count),
  },
  before: null,
};

function clustered({ state, columns }: Job, raw: Int32Array): Job {
  const anchors = (at: number) => anchorsOf(ids, columns.clusters, at);
  const { cluster_ids, names, lost, next, corrections } = state;
  const earlier = { clusters: columns.clusters, cluster_ids, names, lost, next, anchorsOf: anchors };
  const { clusters, report: _, ...kept } = reconcile(ids, raw, earlier, corrections);
  return { state: { ...state, ...kept, undo: null }, columns: { ...columns, clusters, raw }, before: null };
}

/** Some labels, mostly as they were. */
function labels(raw: Int32Array, random: () => number): Int32Array {
  const part = random();
  return raw.map((label) => (random() < part ? label : Math.floor(random() * 7) - 1));
}

/** One thing that somebody does; what is refused changes nothing. */
function step(job: Job, random: () => number, holdsApart: boolean): Job {
  const { state, columns, before } = job;
  const pick = () => state.cluster_ids[Math.floor(random() * state.cluster_ids.length)] ?? 'c0';
  const what = random();
  if (what < 0.25) return clustered(job, labels(columns.raw, random));
  if (what < 0.35 && before !== null) {
    return { state: undone(state).state, columns: before, before: null };
  }
  if (what < 0.55) {
    const name = ['Ada', 'Ben', 'Cleo', 'Dora'][Math.floor(random() * 4)]!;
    return { ...job, state: named(state, [{ cluster_id: pick(), name }], {}) };
  }
  const [one, two] = [pick(), pick()];
  const own = [...columns.clusters.keys()].filter(
    (at) => state.cluster_ids[columns.clusters[at]!] === one && random() < 0.5,
  );
  if (own.length === 0) return job;
  const entry_ids = own.map((at) => idText(ids, at));
  const merges = what < 0.7 ? [{ cluster_ids: [one, two] }] : [];
  const apart = holdsApart && what >= 0.7 && what < 0.8 ? [{ cluster_ids: [one, two] }] : [];
  // A new one is held apart from the old one.
  const to_cluster_id = holdsApart && what >= 0.9 ? null : two;
  const moves = what >= 0.7 && apart.length === 0 ? [{ from_cluster_id: one, to_cluster_id, entry_ids }] : [];
  const done = modify(state, columns, 'file', { merges, moves, apart });
  return { state: done.state, columns: done.columns, before: columns };
}

function* jobs(
  seed: number,
  steps: number,
  holdsApart = true,
): Iterable<{ readonly from: Job; readonly to: Job }> {
  const random = seeded(seed);
  let job = clustered(nothing, labels(nothing.columns.raw, random));
  for (let i = 0; i < steps; i++) {
    const from = job;
    try {
      job = step(job, random, holdsApart);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
    }
    yield { from, to: job };
  }
}

const seeds = fc.integer({ min: 0, max: 2 ** 31 });

/** Which entries are together, whatever the numbers of their clusters. */
function together(clusters: Int32Array): string {
  const first = new Map<number, number>();
  return [...clusters]
    .map((own, at) => {
      if (own >= 0 && !first.has(own)) first.set(own, at);
      return own < 0 ? -1 : first.get(own);
    })
    .join();
}

test('to cluster what the vectors say again gives what somebody corrected, whatever was corrected before', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      // What vectors joined that is held apart is divided by where the faces were, which clusterings as wild
      // as these change.
      for (const { to } of jobs(seed, 25, false)) {
        const again = clustered(to, to.columns.raw);
        assert.equal(together(again.columns.clusters), together(to.columns.clusters));
        assert.deepEqual(again.state.cluster_ids, to.state.cluster_ids);
        // A name that was lost may come back besides.
        assert.deepEqual({ ...again.state.names, ...to.state.names }, again.state.names);
      }
    }),
    { numRuns: draws(50) },
  );
});

test('an id is never given to a cluster that is another one', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      for (const { from, to } of jobs(seed, 25)) {
        const there = new Set([...from.state.cluster_ids, ...(from.state.undo?.cluster_ids ?? [])]);
        const fresh = to.state.cluster_ids.filter((id) => !there.has(id));
        assert.ok(fresh.every((id) => Number(id.slice(1)) >= from.state.next));
        assert.ok(to.state.next >= from.state.next);
        assert.equal(new Set(to.state.cluster_ids).size, to.state.cluster_ids.length);
      }
    }),
    { numRuns: draws(50) },
  );
});

test('a name goes only when somebody takes it away, also of clusters that are not there for a while', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      for (const { from, to } of jobs(seed, 25)) {
        const again = clustered(from, Int32Array.from(to.columns.raw));
        const known = ({ state }: Job) =>
          new Set([...Object.values(state.names), ...state.lost.map(({ name }) => name)]);
        for (const name of known(from)) assert.ok(known(again).has(name), name);
      }
    }),
    { numRuns: draws(50) },
  );
});

test('the last correction holds whatever the vectors say then', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const random = seeded(seed + 1);
      for (const { to } of jobs(seed, 25)) {
        const last = to.state.corrections.at(-1);
        if (last === undefined) continue;
        const raw = labels(to.columns.raw, random);
        const { labels: now } = applyCorrections(ids, raw, to.state.corrections);
        const at = new Map(Array.from({ length: count }, (_, i) => [idText(ids, i), now[i]!]));
        const standing = (anchors: readonly string[]) => {
          const counts = new Map<number, number>();
          for (const anchor of anchors) counts.set(at.get(anchor)!, (counts.get(at.get(anchor)!) ?? 0) + 1);
          counts.delete(-1);
          const most = Math.max(0, ...counts.values());
          return new Set([...counts].filter(([, faces]) => faces === most).map(([label]) => label));
        };
        if (last.kind === 'merge') {
          const [first, ...rest] = last.clusters
            .map(({ anchors }) => standing(anchors))
            .filter((found) => found.size > 0);
          for (const other of rest) assert.ok([...other].some((label) => first!.has(label)));
        } else if (last.kind === 'apart') {
          const [one, other] = last.clusters.map(({ anchors }) => standing(anchors));
          const isSurelyOne = one!.size === 1 && other!.size === 1 && [...one!].some((at) => other!.has(at));
          assert.ok(!isSurelyOne);
        } else {
          const whom = standing(last.to.anchors);
          const own = new Set(last.faces.map((face) => at.get(face)!));
          if (whom.size > 0) assert.ok([...own].some((label) => whom.has(label)) && own.size === 1);
        }
      }
    }),
    { numRuns: draws(50) },
  );
});

const [node, ...flags] = nodeCommand;
const program = fileURLToPath(new URL('faces-process.ts', import.meta.url));
const facesEach = 5;

test('a process that is killed at any write leaves what it had committed, and the next one goes on', async (t) => {
  for (const at of sampled([1, 3, 5, 7, 8, 9, 10, 14, 17], 3)) {
    const cache_dir = temporaryFolder(t);
    const { stdout } = spawnSync(node, [...flags, program, cache_dir, String(at)], { encoding: 'utf8' });
    const said = [...stdout.matchAll(/(stored|clustered) (\S+)/g)];
    const hashes = said.filter(([, what]) => what === 'stored').map(([, , hash]) => hash!);
    const entries = Number(said.findLast(([, what]) => what === 'clustered')?.[2] ?? 0);
    const index = await indexActor(t);
    const { faces } = await index.call('faces_stored', {
      cache_dir,
      model_key: modelKey,
      hashes: [...hashes, (10 + hashes.length).toString(16)],
    });
    assert.deepEqual(faces, [...hashes.map(() => facesEach), null], `killed at ${at}`);
    const { job } = await index.call('cluster_job', { cache_dir, cluster_job_name: 'job' });
    assert.equal(job?.total_entries ?? 0, entries);
    await storeFaces(index, cache_dir, 'ff', [[1], [2]]);
    const { report } = await cluster(index, cache_dir, [...hashes, 'ff']);
    assert.equal(report.faces, hashes.length * facesEach + 2);
    const shown = await people(index, cache_dir);
    const all = [...shown.clusters, shown.noise].flatMap((one) => one.shown);
    assert.equal(new Set(all).size, report.faces);
    const columns = readdirSync(join(cache_dir, 'people')).filter((name) => name.endsWith('.columns'));
    assert.equal(columns.length, 1);
    await index.close();
  }
});
