import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { analysisErrors } from '../../../../actors/analysis/contract.ts';
import { until } from '../../../until.ts';
import { home, requestOf, states, whole } from '../fake-runs.ts';

test('a line that a power cut has spoiled costs its file and not the task', async () => {
  const h = home();
  const one = h.start();
  const { task_id } = await one.tasks.start(requestOf(['/a', '/b', '/c']));
  one.analysis.last.tell('/a', 'analyzed');
  appendFileSync(join(h.folder, 'tasks', `${task_id}.results.ndjson`), '\0\0\0\n{"path":\nnull\n');
  one.analysis.last.tell('/b', 'analyzed');
  one.crash();
  const two = h.start();
  assert.deepEqual(await states(two), { [task_id]: 'interrupted' });
  const { results, total_results } = await two.tasks.get(task_id, whole);
  assert.deepEqual([results.map(({ path }) => path), total_results], [['/a', '/b'], 2]);
  await two.tasks.resume(task_id);
  assert.equal(two.analysis.last.run.earlier?.finished('video', '/b'), true);
  h.end();
});

test('a home that cannot be written refuses a task before anything runs', async () => {
  const h = home();
  const one = h.start();
  writeFileSync(join(h.folder, 'tasks'), 'a file where the folder should be');
  await assert.rejects(one.tasks.start(requestOf(['/a'])), analysisErrors.HOME_UNWRITABLE.is);
  assert.equal(one.analysis.runs.length, 0);
  h.end();
});

test('results that cannot be recorded end the task with that reason', async () => {
  const h = home();
  const one = h.start((records) => {
    const create = records.create.bind(records);
    return Object.assign(records, {
      create: async (...args: Parameters<typeof create>) => {
        const run = await create(...args);
        const append = () => {
          throw new Error('ENOSPC');
        };
        return { ...run, append };
      },
    });
  });
  const { task_id } = await one.tasks.start(requestOf(['/a', '/b', '/c']));
  one.analysis.last.next();
  await until(async () => (await states(one))[task_id] === 'failed');
  assert.equal((await one.tasks.get(task_id, whole)).error?.code, 'HOME_UNWRITABLE');
  h.end();
});

test('a record that is damaged is left out of the list and named when it is asked for', async () => {
  const h = home();
  const one = h.start();
  mkdirSync(join(h.folder, 'tasks'));
  writeFileSync(join(h.folder, 'tasks', 'odd.1.json'), '{"version":1,');
  assert.deepEqual(await one.tasks.list(), []);
  assert.deepEqual(await one.tasks.list(), []);
  assert.equal(h.lines.filter(({ level }) => level === 'warn').length, 1);
  await assert.rejects(one.tasks.get('odd', whole), analysisErrors.TASK_DAMAGED.is);
  h.end();
});

test('the records of two hundred tasks are kept, newest first', async () => {
  const h = home();
  const one = h.start();
  const ids: string[] = [];
  for (let i = 0; i < 205; i++) {
    ids.unshift((await h.settle(one.tasks.start(requestOf([`/${i}`])))).task_id);
  }
  await new Promise(setImmediate);
  await until(async () => (await one.tasks.list()).length <= 201);
  assert.deepEqual(
    (await one.tasks.list()).map(({ task_id }) => task_id),
    ids.slice(0, 201),
  );
  assert.equal(readdirSync(join(h.folder, 'tasks')).length, 201 * 3);
  h.end();
});
