import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { listen } from '../../../actors/watcher/actor.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { until } from '../../until.ts';
import { put } from './start.ts';

function hear(t: TestContext, folder: string) {
  const heard = { count: 0, errors: [] as unknown[] };
  const { close } = listen(folder, {
    change: () => (heard.count += 1),
    fault: (error) => heard.errors.push(error),
  });
  t.after(close);
  return heard;
}

let written = 0;

/**
 * Waits until so much was told of the folder that nothing of what went before is on its way: they come in
 * order.
 */
async function settledBy(heard: { count: number }, folder: string): Promise<void> {
  const enough = heard.count + 200;
  await until(() => put(folder, `${written++ % 50}.mp4`) && heard.count > enough);
}

test('media and folders are told; notes, hidden files and what is still written are not', async (t) => {
  const [folder, other] = [temporaryFolder(t), temporaryFolder(t)];
  put(folder, 'deep/there.mp4');
  const [own, others] = [hear(t, folder), hear(t, other)];
  const tells = async (change: () => void) => {
    await settledBy(others, other);
    const before = own.count;
    change();
    await settledBy(others, other);
    return own.count > before;
  };
  await until(() => put(folder, `${written++ % 50}.mp4`) && own.count > 0);
  await until(() => put(folder, `deep/${written++ % 50}.mp4`) && own.count > 0);
  assert.ok(await tells(() => put(folder, 'deep/new.mp4')));
  assert.ok(await tells(() => put(folder, 'deep/there.mp4', 'longer')));
  assert.ok(await tells(() => rmSync(join(folder, 'deep/there.mp4'))));
  const quiet = ['data.mdb', '.hidden.mp4', 'film.mp4.part', 'deep/notes.txt', '~$film.mp4'];
  for (const name of quiet) assert.ok(!(await tells(() => put(folder, name))), name);
  const before = own.count;
  mkdirSync(join(folder, 'fresh'));
  await until(() => own.count > before);
  assert.deepEqual(own.errors, []);
});

test('a root with a hidden name, or with the name of a film, is listened to', async (t) => {
  for (const name of ['.hidden', 'film.mp4', 'cache.tmp']) {
    const folder = join(temporaryFolder(t), name);
    mkdirSync(folder);
    const heard = hear(t, folder);
    await until(() => put(folder, `${written++ % 50}.mp4`) && heard.count > 0);
  }
});

test('files take no watch of their own', { skip: process.platform !== 'linux' }, async (t) => {
  const { readdirSync, readFileSync, readlinkSync } = await import('node:fs');
  const watches = () =>
    readdirSync('/proc/self/fd')
      .filter((fd) => isInotify(readlinkSync, fd))
      .map((fd) => readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').match(/^inotify /gm)?.length ?? 0)
      .reduce((sum, count) => sum + count, 0);
  const folder = temporaryFolder(t);
  for (let i = 0; i < 100; i++) put(folder, `${i}.mp4`);
  for (let i = 0; i < 5; i++) put(folder, `deep-${i}/notes.txt`);
  const before = watches();
  const heard = hear(t, folder);
  await until(() => put(folder, 'deep-4/film.mp4') && heard.count > 0);
  assert.ok(watches() - before <= 6, `${watches() - before} watches`);
});

function isInotify(readlink: (path: string) => string, fd: string): boolean {
  try {
    return readlink(`/proc/self/fd/${fd}`).includes('inotify');
  } catch {
    // Closed meanwhile.
    return false;
  }
}
