import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { systemDisk } from '../../../actors/watcher/disk.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { until } from '../../until.ts';
import { ears } from './listening.ts';
import { put, type Started, start, temporaryFolder } from './start.ts';

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

const real = { clock: systemClock, againMs: 20, atMostEveryMs: 20 };

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
  const started = await start(t, { listen, atMostEveryMs: 1000 });
  const folder = realpathSync(started.folder);
  const { heard } = hear(started, [{ id: 'one', folder_path: started.folder }], t);
  await until(() => open.has(folder));
  for (let i = 0; i < 500; i++) open.get(folder)!.tell();
  await until(() => heard.length === 1);
  started.clock.advance(999);
  open.get(folder)!.tell();
  started.clock.advance(1);
  await until(() => heard.length === 2);
});

test('a folder that is away is tried again, and told when it is back or another one', async (t) => {
  const { open, listen, begun } = ears();
  let looks = 0;
  const reach = (folder: string) => {
    looks += 1;
    return systemDisk.reach(folder);
  };
  const timing = { againMs: 1000, atMostEveryMs: 0, reachMs: 1e9 };
  const started = await start(t, { listen, disk: { ...systemDisk, reach }, ...timing });
  const path = join(started.folder, 'disk');
  const { heard } = hear(started, [{ id: 'one', folder_path: path }], t);
  const tells = (count: number, listening: number) =>
    until(() => {
      started.clock.advance(1000);
      return heard.length === count && open.size === listening;
    });
  await tells(0, 0);
  await until(() => started.clock.advance(1000) ?? looks > 2);
  mkdirSync(path);
  await tells(1, 1);
  renameSync(path, `${path}-away`);
  await tells(2, 0);
  mkdirSync(path);
  await tells(3, 1);
  rmSync(path, { recursive: true });
  renameSync(`${path}-away`, path);
  // A look under way may fall between the two, and then sees that nothing is there, which is one more to
  // tell.
  await until(() => {
    started.clock.advance(1000);
    return heard.length >= 4 && open.size === 1;
  });
  assert.equal(begun(), 3);
});

test('errors of the system are logged once and end nothing', async (t) => {
  const { open, listen } = ears();
  const started = await start(t, { listen, atMostEveryMs: 0 });
  const { heard, ended } = hear(started, [{ id: 'one', folder_path: started.folder }], t);
  await until(() => open.size === 1);
  const [own] = open.values();
  for (const code of ['ENOSPC', 'EMFILE', 'EACCES', 'ENOSPC', 'ENOSPC'])
    own!.failed(Object.assign(new Error(code), { code }));
  own!.tell();
  await until(() => heard.length === 1);
  assert.equal(started.lines.filter(({ level }) => level === 'warn').length, 3);
  assert.equal(ended(), null);
});

test('a folder that cannot be listened to at all is left to the polls and tried again', async (t) => {
  let tried = 0;
  const refuse = () => {
    tried += 1;
    throw Object.assign(new Error('no watches left'), { code: 'ENOSPC' });
  };
  const started = await start(t, { listen: refuse, againMs: 1000 });
  const { ended } = hear(started, [{ id: 'one', folder_path: started.folder }], t);
  await until(() => tried === 1 && started.clock.waiting > 0);
  await until(() => {
    started.clock.advance(1000);
    return tried === 3;
  });
  assert.equal(ended(), null);
});

test('a folder that hangs keeps no other from being told, and the feed can be cancelled', async (t) => {
  const { open, listen } = ears();
  const hung = temporaryFolder(t);
  const disk = {
    ...systemDisk,
    reach: (path: string) => (path === hung ? new Promise<never>(() => {}) : systemDisk.reach(path)),
  };
  const started = await start(t, { listen, disk, atMostEveryMs: 0 });
  const folders = [
    { id: 'hung', folder_path: hung },
    { id: 'one', folder_path: started.folder },
  ];
  const { heard, given, done } = hear(started, folders, t);
  await until(() => open.size === 1);
  open.get(realpathSync(started.folder))!.tell();
  await until(() => heard.length === 1);
  given.abort();
  await done;
  await until(() => open.size === 0 && started.clock.waiting === 0);
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
