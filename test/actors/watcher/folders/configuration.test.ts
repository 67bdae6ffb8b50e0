import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { RootsFile } from '../../../../actors/index/store/roots-file.ts';
import { ConfigurationFile, type RecordedFolder } from '../../../../actors/watcher/folders/configuration.ts';
import { normalize } from '../../../../actors/watcher/folders/edits.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { ownFiles } from '../../../../runtime/files/home-files.ts';
import { newHolder } from '../../../../runtime/files/lock.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { until } from '../../../until.ts';
import { bodyOf, code } from './watching.ts';

/** The timers of a lock do not keep a process alive. */
async function settled<T>(work: Promise<T>): Promise<T> {
  let isSettled = false;
  const done = () => {
    isSettled = true;
  };
  work.then(done, done);
  await until(() => isSettled);
  return work;
}

function folderOf(id: string): RecordedFolder {
  const settings = normalize(bodyOf({ folder_path: `/films/${id}` }));
  return { id, ...settings, created_at: 1, real_folder: settings.folder_path, real_cache_dir: '/cache' };
}

function setUp(t: TestContext) {
  const home = temporaryFolder(t);
  const path = join(home, 'watch-folders', 'folders.json');
  const roots = new RootsFile(join(home, 'roots.json'));
  const file = () => new ConfigurationFile(path, ownFiles, systemClock, () => roots.read());
  const write = (value: unknown) => {
    mkdirSync(join(home, 'watch-folders'), { recursive: true });
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  };
  const read = () => JSON.parse(readFileSync(path, 'utf8'));
  return { path, file, write, read };
}

test('what is changed is on the disk, and another process reads it at once', async (t) => {
  const { file, read } = setUp(t);
  const [one, other] = [file(), file()];
  assert.deepEqual(other.read(), { running: false, watch_folders: [] });
  await one.change(() => ({ put: folderOf('a') }));
  await other.change(() => ({ put: folderOf('b'), running: true }));
  await one.change(() => ({ remove: 'a' }));
  assert.deepEqual(other.read(), { running: true, watch_folders: [folderOf('b')] });
  assert.equal(read().version, 1);
  assert.equal(one.read(), one.read());
});

test('changes of two processes at once are all kept', async (t) => {
  const { file } = setUp(t);
  const processes = [file(), file(), file()];
  const ids = Array.from({ length: 30 }, (_, i) => `f${i}`);
  const changes = ids.map((id, i) => processes[i % 3]!.change(() => ({ put: folderOf(id) })));
  await settled(Promise.all(changes));
  const kept = file()
    .read()
    .watch_folders.map((one) => one.id);
  assert.deepEqual(kept.sort(), ids.sort());
});

test('a damaged file is told by its path, and nothing is overwritten', async (t) => {
  const { path, file, write } = setUp(t);
  const whole = { version: 1, running: false, watch_folders: [folderOf('a')] };
  const cases: [unknown, RegExp][] = [
    ['{"version": 1, "runn', /is not JSON/],
    ['', /is not JSON/],
    [[], /is not a JSON object/],
    [{ ...whole, running: 'yes' }, /\/running must be/],
    [{ ...whole, version: 2 }, /newer program/],
    [{ ...whole, watch_folders: [{ id: 'a' }] }, /\/watch_folders\/0/],
    [{ ...whole, watch_folders: [folderOf('a'), folderOf('a')] }, /an id twice/],
  ];
  for (const [value, message] of cases) {
    write(value);
    const before = readFileSync(path, 'utf8');
    const isTold = (error: unknown) => {
      const { message: said } = error as Error;
      return code('WATCH_FOLDERS_DAMAGED')(error) && said.startsWith(path) && message.test(said);
    };
    assert.throws(() => file().read(), isTold);
    await assert.rejects(
      file().change(() => ({ running: true })),
      isTold,
    );
    assert.equal(readFileSync(path, 'utf8'), before);
    assert.equal(existsSync(`${path}.lock`), false);
  }
});

test('what a newer program added is kept, and what an older one did not know has its default', async (t) => {
  const { file, write, read } = setUp(t);
  const { detect_speakers: _, channels: __, ...older } = folderOf('a');
  const newer = { ...older, colour: 'red' };
  write({ version: 1, running: false, theme: 'dark', watch_folders: [newer] });
  const one = file();
  assert.equal(one.read().watch_folders[0]!.detect_speakers, true);
  await one.change(({ watch_folders }) => ({ put: { ...watch_folders[0]!, enabled: false }, running: true }));
  assert.equal(read().theme, 'dark');
  assert.deepEqual([read().watch_folders[0].colour, read().watch_folders[0].enabled], ['red', false]);
});

test('a change that is refused leaves everything as it was', async (t) => {
  const { file, path } = setUp(t);
  const one = file();
  await assert.rejects(
    one.change(() => {
      throw new Error('no');
    }),
    /no/,
  );
  assert.deepEqual([existsSync(path), existsSync(`${path}.lock`)], [false, false]);
});

test('a lock whose process has ended is taken over, whoever comes first', async (t) => {
  const { file, path, write } = setUp(t);
  write({ version: 1, running: false, watch_folders: [] });
  const holder = newHolder();
  const dead = [
    { ...holder, pid: 2 ** 22 + 1 },
    { ...holder, started: 'another boot/7' },
    { ...holder, token: 'of the process before this one' },
  ];
  for (const one of dead) {
    writeFileSync(`${path}.lock`, JSON.stringify(one));
    await settled(Promise.all(['a', 'b', 'c'].map((id) => file().change(() => ({ put: folderOf(id) })))));
    assert.equal(file().read().watch_folders.length, 3);
    assert.deepEqual([existsSync(`${path}.lock`), existsSync(`${path}.lock.over`)], [false, false]);
  }
});
