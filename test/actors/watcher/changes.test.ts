import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Listen } from '../../../actors/watcher/actor.ts';
import { FileTable, stateSeen, type WatchedFileState } from '../../../actors/watcher/ledger.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { until } from '../../until.ts';
import { ears } from './listening.ts';
import { put, type Started, start } from './start.ts';

/** Hears the feed until the test is over. */
function hear(
  { ref }: Started,
  folders: readonly { id: string; folder_path: string }[],
  t: { after(run: () => unknown): void },
) {
  const heard: string[] = [];
  const given = new AbortController();
  let ended: unknown = null;
  const done = (async () => {
    for await (const { id } of ref.feed('changes', { folders: [...folders] }, { signal: given.signal }))
      heard.push(id);
  })().catch((error) => {
    ended = error;
  });
  t.after(async () => {
    given.abort();
    await done;
  });
  return { heard, given, done, ended: () => ended };
}

const real = { clock: systemClock, everyMs: 20 };

test('a file that comes, changes or goes is told, in folders that are new too', async (t) => {
  const started = await start(t, real);
  const { folder } = started;
  put(folder, 'old/there.mp4');
  const { heard } = hear(started, [{ id: 'one', folder_path: folder }], t);
  const tells = async (change: () => unknown) => {
    const before = heard.length;
    await until(() => {
      change();
      return heard.length > before;
    });
  };
  let count = 0;
  await tells(() => put(folder, `${count++}.mp4`));
  await tells(() => put(folder, 'old/there.mp4', 'x'.repeat(++count)));
  mkdirSync(join(folder, 'new'));
  await tells(() => put(folder, 'new/deep.mp4', 'x'.repeat(++count)));
  await tells(() => {
    put(folder, `${count++}.mp4`);
    rmSync(join(folder, 'new'), { recursive: true, force: true });
  });
  assert.deepEqual(new Set(heard), new Set(['one']));
});

test('a folder that changes all the time is told at most so often, and at last', async (t) => {
  const { open, listen } = ears();
  const started = await start(t, { listen, everyMs: 1000 });
  const folder = realpathSync(started.folder);
  const { heard } = hear(started, [{ id: 'one', folder_path: started.folder }], t);
  await until(() => open.has(folder));
  for (let i = 0; i < 500; i++) open.get(folder)!.change();
  await until(() => heard.length === 1);
  started.clock.advance(999);
  open.get(folder)!.change();
  started.clock.advance(1);
  await until(() => heard.length === 2);
});

test('errors of the system are logged once and end nothing', async (t) => {
  const { open, listen } = ears();
  const started = await start(t, { listen, everyMs: 0 });
  const { heard, ended } = hear(started, [{ id: 'one', folder_path: started.folder }], t);
  await until(() => open.size === 1);
  const [own] = open.values();
  for (const code of ['ENOSPC', 'EMFILE', 'EACCES', 'ENOSPC', 'ENOSPC'])
    own!.fault(Object.assign(new Error(code), { code }));
  own!.change();
  await until(() => heard.length === 1);
  assert.equal(started.lines.filter(({ level }) => level === 'warn').length, 3);
  assert.equal(ended(), null);
});

test('a folder that cannot be listened to keeps no other from being told', async (t) => {
  const { open, listen } = ears();
  const refused = temporaryFolder(t);
  const refusing: Listen = (folder, listener) => {
    if (folder !== realpathSync(refused)) return listen(folder, listener);
    throw Object.assign(new Error('no watches left'), { code: 'ENOSPC' });
  };
  const started = await start(t, { listen: refusing, everyMs: 0 });
  const folders = [refused, join(refused, 'not there'), started.folder].map((folder_path, i) => ({
    id: String(i),
    folder_path,
  }));
  const { heard, ended } = hear(started, folders, t);
  await until(() => open.size === 1);
  open.get(realpathSync(started.folder))!.change();
  await until(() => heard.length === 1);
  assert.deepEqual([heard, ended()], [['2'], null]);
  assert.equal(started.lines.filter(({ level }) => level === 'warn').length, 2);
});

test('when the feed ends, nothing is listened to any more', async (t) => {
  const { open, listen } = ears();
  const started = await start(t, { listen });
  const folders = Array.from({ length: 20 }, (_, i) => ({ id: String(i), folder_path: temporaryFolder(t) }));
  const { given, done } = hear(started, folders, t);
  await until(() => open.size === 20);
  given.abort();
  await done;
  await until(() => open.size === 0 && started.clock.waiting === 0);
});

test('a watched folder that is a link is listened to', async (t) => {
  const started = await start(t, real);
  const link = join(temporaryFolder(t), 'link');
  symlinkSync(started.folder, link);
  const { heard } = hear(started, [{ id: 'one', folder_path: link }], t);
  let count = 0;
  await until(() => put(started.folder, `${count++}.mp4`) && heard.length > 0);
});

const states: readonly WatchedFileState[] = [
  ...(['unsettled', 'ready', 'taken', 'unreadable', 'empty'] as const),
  ...(['analyzed', 'failed', 'filtered'] as const),
];
const known = { mark: '1-1', since: 1000 };
const same = { mark: '1-1', isEmpty: false, now: 5000, settleMs: 4000 };

test('a file that stands still for long enough is ready, and an empty one is not', () => {
  const unsettled = { ...known, state: 'unsettled' as const };
  assert.equal(stateSeen(unsettled, same), 'ready');
  assert.equal(stateSeen(unsettled, { ...same, now: 4999 }), 'unsettled');
  assert.equal(stateSeen(unsettled, { ...same, isEmpty: true }), 'empty');
});

test('a file that changed begins anew, whatever became of it; one that is the same stays what it is', () => {
  for (const state of states) {
    assert.equal(stateSeen({ ...known, state }, { ...same, mark: '1-2' }), 'unsettled', state);
    if (state !== 'unsettled') assert.equal(stateSeen({ ...known, state }, same), state);
  }
});

test('counts sum up to the files, whatever becomes of them', () => {
  const table = new FileTable();
  for (const [i, state] of states.entries()) {
    for (let copy = 0; copy <= i; copy++) table.add(`${state} ${copy}`, '', state, 0);
  }
  assert.deepEqual(table.counts, { files: 36, pending: 15, analyzed: 6, failed: 7, filtered: 8 });
  table.setState(table.get('ready 0')!, 'failed');
  table.delete('analyzed 0', table.get('analyzed 0')!);
  assert.deepEqual(table.counts, { files: 35, pending: 14, analyzed: 5, failed: 8, filtered: 8 });
  assert.deepEqual([table.count('ready'), table.get('analyzed 0')], [1, undefined]);
});
