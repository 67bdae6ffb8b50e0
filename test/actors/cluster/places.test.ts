import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { RootPaths } from '../../../actors/cluster/places.ts';
import { rootsText } from '../../../actors/index/store/roots-file.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

function machine(t: TestContext, folder: string): RootPaths {
  const home = temporaryFolder(t);
  const file = join(home, 'roots.json');
  const root = { name: 'footage', folder, origin: folder, volume: null, removed: false };
  writeFileSync(file, rootsText([root, { ...root, name: 'old', folder: '/old', removed: true }]));
  return new RootPaths(file);
}

test('each machine has a path where its root is', (t) => {
  const [here, there] = [machine(t, '/mnt/a'), machine(t, '/media/b/footage')];
  const result = { path: '/mnt/a/day 1/film.mp4', type: 'video', facts: { frames: 3 } };
  const shared = here.shared(result);
  assert.equal(shared.path, 'root:footage/day 1/film.mp4');
  assert.deepEqual(there.own(shared), { ...result, path: '/media/b/footage/day 1/film.mp4' });
});

test('a path that others could not find is told from the rest', (t) => {
  const here = machine(t, '/mnt/a');
  assert.deepEqual(here.outside(['/mnt/a/film.mp4']), []);
  for (const path of ['/mnt/ab/film.mp4', '/old/film.mp4']) assert.deepEqual(here.outside([path]), [path]);
});
