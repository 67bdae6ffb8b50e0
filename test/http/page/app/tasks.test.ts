// How the page hears of the end of a task, with a service that is played here.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isAnalysis as ofService, stageKinds } from '../../../../actors/analysis/stages/kinds.ts';
import { type Task, update } from '../../../../http/page/app/store.ts';
import { followEnd, isAnalysis, type TaskEnd } from '../../../../http/page/app/tasks.ts';
import { until } from '../../../until.ts';

interface Detail {
  readonly state: string;
  readonly error?: string;
}

/** `stand`: what the service says of the task; null: nothing answers; undefined: there is no such task. */
function followed(t: TestContext, first: Detail | null | undefined) {
  const now = { stand: first, asked: 0, isDown: false };
  t.mock.method(globalThis, 'fetch', async (path: string) => {
    if (now.stand === null) throw new TypeError('fetch failed');
    if (path.endsWith('/tasks')) return Response.json({ tasks: [] });
    now.asked++;
    if (now.isDown) return Response.json({ error: 'e', message: 'm' }, { status: 500 });
    if (now.stand === undefined)
      return Response.json({ error: 'Task not found', message: 'gone' }, { status: 404 });
    const { state, error } = now.stand;
    const ended = ['queued', 'running'].includes(state) ? null : 1;
    return Response.json({ state, ended, error: error ? { code: 'X', error: 'x', message: error } : null });
  });
  update({ session: { kind: 'ticket', token: 'fhs_x', shared: false }, service: 'up', tasks: [] });
  const ends: TaskEnd[] = [];
  const stop = followEnd('one', (end) => ends.push(end));
  t.after(stop);
  return { now, ends, stop };
}

const listed = (state: string) => [{ task_id: 'one', state } as Task];
const isOver = { error: null, isCancelled: false };

test('one that ended while nobody listened is told as it ended: done, cancelled, failed, interrupted or gone', async (t) => {
  for (const [stand, end] of [
    [{ state: 'completed' }, isOver],
    [{ state: 'cancelled' }, { error: null, isCancelled: true }],
    [
      { state: 'failed', error: 'The disk is full' },
      { error: 'The disk is full', isCancelled: false },
    ],
    [{ state: 'interrupted' }, { error: 'Interrupted', isCancelled: false }],
    [undefined, { error: 'gone', isCancelled: false }],
  ] as const) {
    const { ends, stop } = followed(t, stand);
    await until(() => ends.length > 0);
    update({ tasks: [] });
    assert.deepEqual(ends, [end]);
    stop();
    t.mock.reset();
  }
});

test('one that waits is not over, and not asked for while it is in the list', async (t) => {
  const { now, ends } = followed(t, { state: 'queued' });
  await until(() => now.asked > 0);
  update({ tasks: listed('queued') });
  const { asked } = now;
  for (const state of ['queued', 'running', 'running']) update({ tasks: listed(state) });
  assert.deepEqual([ends, now.asked], [[], asked]);
  now.stand = { state: 'completed' };
  update({ tasks: [] });
  await until(() => ends.length > 0);
  assert.deepEqual(ends, [isOver]);
});

test('a service that is away, or fails, is asked again, and the end is told then', async (t) => {
  const { now, ends } = followed(t, null);
  await new Promise(setImmediate);
  update({ service: 'away' });
  for (let i = 0; i < 5; i++) update({ returns: i });
  assert.equal(now.asked, 0);
  now.stand = { state: 'completed' };
  now.isDown = true;
  update({ service: 'up' });
  await until(() => now.asked === 1);
  await new Promise(setImmediate);
  now.isDown = false;
  await until(() => {
    update({ tasks: [] });
    return ends.length > 0;
  });
  assert.deepEqual(ends, [isOver]);
});

test('a view that is closed hears nothing any more', async (t) => {
  const { now, ends, stop } = followed(t, { state: 'running' });
  await until(() => now.asked > 0);
  stop();
  now.stand = { state: 'completed' };
  const { asked } = now;
  update({ tasks: [] });
  await new Promise(setImmediate);
  assert.deepEqual([ends, now.asked], [[], asked]);
});

test('the page takes for an analysis what the service does', () => {
  for (const { type } of stageKinds) assert.equal(isAnalysis([type]), ofService([type]), type);
  assert.deepEqual([isAnalysis(['video', 'speech']), ofService(['video', 'speech'])], [true, true]);
});
