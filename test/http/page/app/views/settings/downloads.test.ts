// How the page hears of the ends of downloads, with a service that is played here.
import assert from 'node:assert/strict';
import test from 'node:test';
import { get, update } from '../../../../../../http/page/app/store.ts';
import { downloads, readDownloads } from '../../../../../../http/page/app/views/settings/downloads.ts';

const download = (task_id: string) =>
  ({ task_id, keys: [task_id], key: task_id, phase: 'connecting', received: 0, total: 0 }) as const;
const task = (task_id: string) => {
  return { task_id, ended: null, request: { types: ['pull'], pull_models: [task_id] } };
};
const result = (path: string, outcome: string) => ({ path, outcome, error: { message: `${path} fails` } });

test('each end is told once, however many look at the same time; what cannot be asked for hides no other', async (t) => {
  const details: Record<string, object> = {
    done: { error: null, results: [result('done', 'analyzed')] },
    fails: { error: null, results: [result('fails', 'failed')] },
    never: { error: { message: 'The disk is full' }, results: [] },
  };
  t.mock.method(globalThis, 'fetch', async (path: string) => {
    const id = path.split('/').at(-1) ?? '';
    if (id === 'tasks') return Response.json({ tasks: [task('other'), task('waits')] });
    const detail = details[id];
    return detail ? Response.json(detail) : Response.json({ error: 'e', message: 'm' }, { status: 500 });
  });
  // A toast goes by itself after some seconds, as the page counts them.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  update({ session: { kind: 'ticket', token: 'fhs_x', shared: false }, service: 'up', toasts: [] });
  downloads.update({ active: ['waits', 'lost', 'done', 'fails', 'never'].map(download), failed: {} });
  let ends = 0;
  const look = () => readDownloads(() => ends++);
  const looking = [look(), look()];
  // It begins while the list is read, which does not have it yet.
  downloads.update(({ active }) => ({ active: [...active, download('new')] }));
  await Promise.all(looking);
  const { active, failed } = downloads.get();
  assert.deepEqual(active.map(({ task_id }) => task_id).sort(), ['new', 'other', 'waits']);
  assert.deepEqual(
    get().toasts.map(({ text }) => text),
    ['done is downloaded', 'The disk is full'],
  );
  assert.deepEqual(Object.keys(failed), ['fails']);
  assert.equal(ends, 1);
});
