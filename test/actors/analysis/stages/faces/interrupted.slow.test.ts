import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { engineErrors } from '../../../../../runtime/errors.ts';
import { sampled } from '../../../../shared.ts';
import type { FakeFile } from '../../fake-file.ts';
import { page } from '../task-engine.ts';
import { type Engine, faceEngine } from './face-engine.ts';

const films: FakeFile[] = [
  { name: 'a', frames: 3 },
  { name: 'b', frames: 2 },
];

/** A task of pictures, faces and samples, in which something happens at the message of this number. */
async function interrupted(t: TestContext, at: number, happens: (e: Engine, name: string) => void) {
  const e = await faceEngine(t, films);
  e.people.shown = (frame) => (frame % 2 === 0 ? [0] : [0, 1]);
  const messages: string[] = [];
  let hit: string | null = null;
  e.people.onMessage = (name) => {
    if (messages.push(name) !== at) return;
    hit = name;
    happens(e, name);
  };
  const sample = join(e.w.folder, 'sample.jpg');
  writeFileSync(sample, 'B is what it shows');
  const request = {
    visual_media_paths: [...e.w.paths],
    face_clustering_jobs: [
      { cluster_job_name: 'Family', face_media_paths: [...e.w.paths], face_eps: 0.48, face_min_samples: 2 },
    ],
    sample_faces: [{ name: 'Ann', face_paths: [sample] }],
  };
  const ended = await e.run(request);
  return { e, request, ended, hit: hit as string | null, messages };
}

/**
 * At which messages a task is interrupted: the first of each name, and of all others every fourth until a
 * release.
 */
async function moments(t: TestContext): Promise<number[]> {
  const { messages } = await interrupted(t, 0, () => {});
  const all = messages.map((_, i) => i + 1);
  const some = new Set(sampled(all, 4));
  return all.filter((at) => some.has(at) || messages.indexOf(messages[at - 1]!) === at - 1);
}

function nothingStays({ people, w }: Engine, where: string): void {
  assert.equal(people.stages.size, 0, `${where}: a stage stays open`);
  assert.equal(people.clusterings.size, 0, `${where}: a clustering of the index stays open`);
  assert.equal(people.open.size, 0, `${where}: a clustering of the face actor stays open`);
  assert.equal(people.loaded, false, `${where}: the models stay loaded`);
  assert.equal(w.pool.free, w.pool.count, `${where}: a slot stays held`);
}

test('a cancel at any message leaves nothing open, and the same request goes on', async (t) => {
  const seen = new Set<string>();
  for (const at of await moments(t)) {
    const { e, request, ended, hit } = await interrupted(t, at, ({ tasks }) => void tasks.cancel());
    // A few are sent more or less, as the stages happen to run.
    if (hit === null) break;
    seen.add(hit);
    const where = `message ${at}, ${hit}`;
    assert.ok(['cancelled', 'completed'].includes(ended.state), where);
    nothingStays(e, where);
    assert.equal((await e.run(request)).state, 'completed', where);
    assert.equal(e.people.jobs.get('Family')?.total_entries, 7, where);
    nothingStays(e, where);
  }
  for (const name of ['load', 'find', 'cluster_step', 'commit_clustering', 'name_clusters', 'unload']) {
    assert.ok(seen.has(name), name);
  }
});

test('no further file is begun from any message on, what was is clustered, and the task goes on with the rest', async (t) => {
  const clustered = new Set<number | undefined>();
  for (const at of await moments(t)) {
    const { e, ended, hit } = await interrupted(t, at, ({ tasks }) => tasks.finish(tasks.running ?? ''));
    // A few are sent more or less, as the stages happen to run.
    if (hit === null) break;
    const where = `message ${at}, ${hit}`;
    nothingStays(e, where);
    const isWhole = ended.counts.cancelled + ended.counts.jobs_cancelled === 0;
    assert.equal(ended.state, isWhole ? 'completed' : 'cancelled', where);
    clustered.add(ended.of['Family']?.clustering?.total_entries);
    if (isWhole) continue;
    assert.equal(await e.resume(ended.task_id), 'completed', where);
    const { of, counts } = await e.ends(ended.task_id);
    assert.deepEqual([counts.files, counts.done, counts.cancelled, counts.jobs_done], [4, 4, 0, 1], where);
    const { clustering } = of['Family']!;
    assert.equal(clustering?.total_entries, 7, where);
    assert.deepEqual(
      clustering?.sample_face_naming?.assignments.map(({ name }: { name: string }) => name),
      ['Ann'],
      where,
    );
    nothingStays(e, where);
  }
  // Of nothing, of one film, and of both: the films are worked on together, and either may be the first.
  const ofOne = [3, 4].filter((entries) => clustered.delete(entries));
  assert.ok(ofOne.length > 0);
  assert.deepEqual(clustered, new Set([undefined, 7]));
});

test('an actor that ends at any message costs nothing but time', async (t) => {
  for (const at of await moments(t)) {
    const { e, ended, hit } = await interrupted(t, at, ({ people }, name) => {
      people.loaded = false;
      // Its open stages are gone with it.
      if (name === 'cluster_close') people.open.clear();
      if (name === 'end_clustering') people.clusterings.clear();
      throw engineErrors.ACTOR_CRASHED('the actor ended');
    });
    // A few are sent more or less, as the stages happen to run.
    if (hit === null) break;
    const where = `message ${at}, ${hit}`;
    assert.equal(ended.state, 'completed', where);
    const { results } = await e.tasks.get(ended.task_id, page);
    const notDone = results.filter(({ outcome }) => outcome !== 'analyzed').map(({ path }) => path);
    assert.deepEqual([results.length, notDone], [5, []], where);
    const { total_entries, names } = e.people.jobs.get('Family')!;
    assert.deepEqual([total_entries, Object.values(names)], [7, ['Ann']], where);
    nothingStays(e, where);
  }
});
