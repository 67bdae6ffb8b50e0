import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { WatchedPlaces } from '../../../../actors/watcher/folders/places.ts';
import { manualClock } from '../../../runtime/manual-clock.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { until } from '../../../until.ts';
import { code } from './watching.ts';

function setUp(t: TestContext) {
  const base = realpathSync(temporaryFolder(t));
  const homes = { home: join(base, 'home'), cache: join(base, 'home', 'analysis') };
  return { base, homes, places: new WatchedPlaces(homes, manualClock()) };
}

test('a folder is known by its real name, and what is no folder says why', async (t) => {
  const { base, places } = setUp(t);
  mkdirSync(join(base, 'films'));
  writeFileSync(join(base, 'file'), '');
  symlinkSync('films', join(base, 'link'));
  assert.equal(await places.folder({ folder_path: join(base, 'link') }), join(base, 'films'));
  const missing = code('WATCH_FOLDER_MISSING', 'folder_path');
  for (const name of ['file', 'none', 'file/in'])
    await assert.rejects(places.folder({ folder_path: join(base, name) }), missing, name);
});

test('another store has another name, and a folder without one has none', async (t) => {
  const { base, places } = setUp(t);
  const [cache_dir, file] = [join(base, 'cache'), join(base, 'cache', 'records.mdb')];
  mkdirSync(cache_dir);
  assert.equal(await places.store({ cache_dir }), null);
  assert.equal(await places.store({ cache_dir: null }), null, 'it is made when it is needed');
  await assert.rejects(places.store({ cache_dir: join(base, 'none') }), code('CACHE_DIR_MISSING'));
  const write = () =>
    until(() => {
      // The clock of the file system goes in steps.
      writeFileSync(file, 'a', { flag: 'a' });
      const { birthtimeNs, ctimeNs } = statSync(file, { bigint: true });
      return birthtimeNs !== ctimeNs;
    });
  await write();
  const first = await places.store({ cache_dir });
  writeFileSync(file, 'more');
  assert.equal(await places.store({ cache_dir }), first);
  rmSync(file);
  await write();
  assert.notEqual(await places.store({ cache_dir }), first);
});

test('a share that does not answer is waited for a while once, and not asked again while it hangs', async (t) => {
  const { homes } = setUp(t);
  const clock = manualClock();
  let questions = 0;
  const answer = Promise.withResolvers<never>();
  const places = new WatchedPlaces(homes, clock, () => {
    questions++;
    return answer.promise;
  });
  const ask = () => assert.rejects(places.folder({ folder_path: '/share' }), /does not answer/);
  const both = [ask(), ask()];
  clock.advance(5_000);
  await Promise.all([...both, ask()]);
  assert.deepEqual([questions, clock.waiting], [1, 0]);
  answer.reject(new Error('it is gone'));
  await new Promise(setImmediate);
  await assert.rejects(places.folder({ folder_path: '/share' }), /it is gone/);
  assert.equal(questions, 2);
});
