import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { faceShape, slotBytesFor } from '../../../../../actors/analysis/stages/faces/file-faces.ts';
import {
  nameClusters,
  type ReferencedPerson,
} from '../../../../../actors/analysis/stages/faces/sample-naming.ts';
import { mostPictureBytes } from '../../../../../actors/models/contract.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';
import { until } from '../../../../until.ts';
import type { FakeFile } from '../../fake-file.ts';
import { page } from '../task-engine.ts';
import { type EngineOptions, faceEngine } from './face-engine.ts';

const slot = slotBytesFor(64, 8 * 2 ** 30);

test('a picture keeps its shape, is never made larger, and fits into a slot', () => {
  const table: [number, number, number, number, number][] = [
    [1920, 1080, 1280, 1280, 720],
    [1080, 1920, 1280, 720, 1280],
    [640, 480, 1280, 640, 480],
    [1, 1, 1280, 1, 1],
    [30_000, 1, 1920, 1920, 1],
    [30_000, 20_000, 1920, 1920, 1280],
    [3000, 3000, 1920, 1662, 1662],
  ];
  for (const [width, height, side, wide, high] of table) {
    const shape = faceShape({ width, height }, side, slot);
    assert.deepEqual([shape.width, shape.height], [wide, high], `${width}x${height}`);
    assert.ok(shape.width * shape.height * 3 <= slot);
  }
});

test('any picture fits into any slot', () => {
  for (let n = 1; n < 4000; n += 7) {
    for (const bytes of [mostPictureBytes, mostPictureBytes + n, slot]) {
      const { width, height } = faceShape({ width: n * 3, height: 4001 - n }, 1920, bytes);
      assert.ok(width * height * 3 <= bytes && width >= 1 && height >= 1, `${n} ${bytes}`);
    }
  }
});

test('slots are large where there is memory, and never smaller than the models of pictures need', () => {
  assert.equal(slotBytesFor(64, 2 ** 33), 1920 * 1440 * 3);
  assert.equal(slotBytesFor(48 + 8 * 256, 2 ** 32), Math.floor(2 ** 32 / (48 + 8 * 256)));
  assert.equal(slotBytesFor(48 + 8 * 256, 2 ** 20), mostPictureBytes);
});

const confidence = { same: 0.5, margin: 0.1 };
const clusters = { ids: ['c0', 'c1', 'c2'], names: ['', '', 'Zoe'] };
const person = (name: string, ...rows: number[][]): ReferencedPerson => ({
  name,
  rows: rows.map((row) => Float32Array.from(row)),
  reason: null,
});

test('a person is named where the samples are like one cluster and like no other', () => {
  const { assignments, unassigned } = nameClusters([person('Ann', [0.9, 0.2, 0.1])], clusters, confidence);
  assert.deepEqual(assignments, [{ name: 'Ann', cluster_id: 'c0', similarity: 0.9, runner_up: 0.2 }]);
  assert.deepEqual(unassigned, []);
});

test('why nobody is named, by a word each', () => {
  const table: [ReferencedPerson[], Record<string, string>][] = [
    [[person('Ann', [0.49, 0.2, 0.1])], { Ann: 'no_match' }],
    [[person('Ann', [0.5, 0.2, 0.1])], {}],
    [[person('Ann', [0.8, 0.75, 0.1])], { Ann: 'ambiguous' }],
    [[person('Ann', [0.7, 0.8, 0.1])], {}],
    [[person('Ann', [0.1, 0.2, 0.9])], { Ann: 'cluster_already_named' }],
    [[person('Zoe', [0.1, 0.2, 0.9])], {}],
    [[person('Ann', [0.9, 0, 0]), person('Bob', [0.85, 0, 0])], { Ann: 'ambiguous', Bob: 'ambiguous' }],
    [[person('Ann', [0.9, 0, 0]), person('Bob', [0.6, 0, 0])], { Bob: 'ambiguous' }],
    [[person('Ann', [0.9, 0, 0]), person('Bob', [0, 0.9, 0])], {}],
    // The mean of the pictures counts, not the best of them.
    [[person('Ann', [0.9, 0.1, 0], [0.0, 0.1, 0])], { Ann: 'no_match' }],
    [[{ name: 'Ann', rows: [], reason: 'multiple_faces' }], { Ann: 'multiple_faces' }],
  ];
  for (const [people, reasons] of table) {
    const { unassigned, assignments } = nameClusters(people, clusters, confidence);
    assert.deepEqual(Object.fromEntries(unassigned.map(({ name, reason }) => [name, reason])), reasons);
    assert.equal(assignments.length + unassigned.length, people.length);
  }
});

test('one cluster has no runner-up, and none at all is like nobody', () => {
  const one = { ids: ['c0'], names: [''] };
  const [named] = nameClusters([person('Ann', [0.6])], one, confidence).assignments;
  assert.equal(named?.runner_up, null);
  const none = nameClusters([person('Ann', [])], { ids: [], names: [] }, confidence);
  assert.deepEqual(none.unassigned, [{ name: 'Ann', reason: 'no_match' }]);
});

test('who is asked for first does not matter', () => {
  const people = [person('Ann', [0.9, 0, 0]), person('Bob', [0.85, 0, 0]), person('Eve', [0, 0.9, 0])];
  const sorted = (of: readonly ReferencedPerson[]) =>
    nameClusters(of, clusters, confidence)
      .unassigned.map(({ name, reason }) => `${name} ${reason}`)
      .sort();
  assert.deepEqual(sorted(people), sorted(people.toReversed()));
});

/** A picture in base64: the fake decoder takes its first letter for what it shows. */
const picture = (letter: string) => Buffer.from(`${letter} is what it shows`).toString('base64');
const films: FakeFile[] = [
  { name: 'a', frames: 6 },
  { name: 'b', frames: 4 },
];

/** Three people in turn; samples are pictures of one, of two, of nobody, and of somebody between two. */
const seen: Record<string, readonly number[]> = { A: [0], B: [1], C: [3], M: [0, 1], N: [], X: [100] };
const shown = (byte: number) => seen[String.fromCharCode(byte)] ?? [byte % 3];

async function engine(t: TestContext, options: EngineOptions = {}, files = films) {
  const e = await faceEngine(t, files, options);
  e.people.shown = shown;
  const job = {
    cluster_job_name: 'Family',
    face_media_paths: [...e.w.paths],
    face_eps: 0.48,
    face_min_samples: 2,
  };
  /** A sample file, which the fake decoder knows as a still. */
  const sample = (name: string, letter: string) => {
    const path = join(e.w.folder, name);
    writeFileSync(path, `${letter} is what it shows`);
    return path;
  };
  return { ...e, job, sample };
}

const namingOf = (naming: { assignments: { name: string }[]; unassigned: object[] } | null | undefined) => ({
  named: naming?.assignments.map(({ name }) => name),
  unassigned: naming?.unassigned,
});

test('clusters are named after samples, and whoever is not named has a reason', async (t) => {
  const e = await engine(t);
  const { of, task_id } = await e.run({
    face_clustering_jobs: [e.job],
    sample_faces: [
      { name: 'Ann', face_paths: [e.sample('ann', 'A')], face_images: [picture('A')] },
      { name: ' Bob ', face_images: [`data:image/jpeg;base64,${picture('B')}`] },
      { name: 'Cid', face_images: [picture('C')] },
      { name: 'Two', face_images: [picture('M')] },
      { name: 'Nobody', face_images: [picture('N')] },
      { name: 'Between', face_images: [picture('X')] },
      { name: 'Broken', face_images: [picture('!')] },
    ],
  });
  const naming = of['Family']?.clustering?.sample_face_naming;
  assert.deepEqual(naming?.assignments, [
    { name: 'Ann', cluster_id: 'c0', similarity: 1, runner_up: 0 },
    { name: 'Bob', cluster_id: 'c1', similarity: 1, runner_up: 0 },
  ]);
  assert.deepEqual(naming?.unassigned, [
    { name: 'Cid', reason: 'no_match' },
    { name: 'Two', reason: 'multiple_faces' },
    { name: 'Nobody', reason: 'no_face' },
    { name: 'Between', reason: 'ambiguous' },
    { name: 'Broken', reason: 'unreadable_image' },
  ]);
  assert.deepEqual(e.people.jobs.get('Family')?.names, { c0: 'Ann', c1: 'Bob' });
  assert.match(of['Family']?.clustering?.warning ?? '', /image 1 of Two: shows several faces/);
  const told = e.emitted.find((event) => event.sample_face_naming);
  assert.deepEqual([told?.sample_face_naming, told?.is_cluster_job], [naming, true]);
  assert.deepEqual((await e.tasks.get(task_id, page)).results.length, 3);
  assert.equal(e.w.pool.free, e.w.pool.count);
});

test('a bad picture of a person does not spoil the good ones', async (t) => {
  const e = await engine(t);
  const people = [{ name: 'Ann', face_images: [picture('N'), picture('A'), picture('!')] }];
  const { of } = await e.run({ face_clustering_jobs: [{ ...e.job, sample_faces: people }] });
  assert.deepEqual(namingOf(of['Family']?.clustering?.sample_face_naming), {
    named: ['Ann'],
    unassigned: [],
  });
});

test('a cluster that has another name keeps it, and the same name may be given again', async (t) => {
  const e = await engine(t);
  const asked = (name: string) => ({
    face_clustering_jobs: [{ ...e.job, sample_faces: [{ name, face_images: [picture('A')] }] }],
  });
  await e.run(asked('Ann'));
  const again = await e.run(asked('Ann'));
  assert.deepEqual(namingOf(again.of['Family']?.clustering?.sample_face_naming).named, ['Ann']);
  const other = await e.run(asked('Eve'));
  assert.deepEqual(namingOf(other.of['Family']?.clustering?.sample_face_naming).unassigned, [
    { name: 'Eve', reason: 'cluster_already_named' },
  ]);
  assert.deepEqual(e.people.jobs.get('Family')?.names, { c0: 'Ann' });
  assert.deepEqual(e.people.clustered, [10, 0, 0], 'nothing is compared again to name it');
});

test('an empty list of a job names nobody, whatever the request has', async (t) => {
  const e = await engine(t);
  const { of } = await e.run({
    face_clustering_jobs: [{ ...e.job, sample_faces: [] }],
    sample_faces: [{ name: 'Ann', face_images: [picture('A')] }],
  });
  assert.equal(of['Family']?.clustering?.sample_face_naming, null);
});

test('pictures of a request are files beside its record, private, there after a kill, and gone with it', async (t) => {
  const home = temporaryFolder(t);
  const alive = new Set(['one', 'two']);
  const one = await engine(t, { home, token: 'one', alive });
  const gate = Promise.withResolvers<void>();
  one.people.holdStep = gate.promise;
  const task_id = await one.begin({
    face_clustering_jobs: [one.job, { ...one.job, cluster_job_name: 'Second' }],
    sample_faces: [{ name: 'Ann', face_images: [picture('A')] }],
  });
  await until(() => one.people.open.size > 0);
  const folder = join(home, 'tasks');
  const kept = readdirSync(folder).filter((name) => name.includes('attachment'));
  assert.deepEqual(kept, [`${task_id}.attachment-0`], 'once for both jobs');
  assert.equal(readFileSync(join(folder, kept[0]!), 'utf8'), 'A is what it shows');
  if (process.platform !== 'win32') assert.equal(statSync(join(folder, kept[0]!)).mode & 0o777, 0o600);
  assert.ok(!readFileSync(join(folder, `${task_id}.request.json`), 'utf8').includes(picture('A')));
  alive.delete('one');
  const two = await engine(t, { home, token: 'two', alive, people: one.people }, []);
  for (const [path, file] of one.w.state.files) two.w.state.files.set(path, file);
  assert.equal(await two.resume(task_id), 'completed');
  const { of } = await two.ends(task_id);
  assert.deepEqual(namingOf(of['Family']?.clustering?.sample_face_naming).named, ['Ann']);
  gate.resolve();
  await one.tasks.stop();
});
