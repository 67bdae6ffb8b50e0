import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { ConfigurationFile, type RecordedFolder } from '../../../../actors/watcher/folders/configuration.ts';
import { normalize } from '../../../../actors/watcher/folders/edits.ts';
import { ownFiles } from '../../../../runtime/files/home-files.ts';
import { until } from '../../../until.ts';
import { bodyOf, watching } from './watching.ts';

test('a thousand watch folders are each listed, one at a time, and each has its turn', async (t) => {
  const w = await watching(t);
  w.fill();
  const path = join(w.home, 'watch-folders', 'folders.json');
  const all = Array.from({ length: 1_000 }, (_, i): RecordedFolder => {
    const folder_path = join(w.base, `films ${i}`);
    const real = { real_folder: folder_path, real_cache_dir: w.cache };
    return { id: `f${i}`, ...normalize(bodyOf({ folder_path })), created_at: i, ...real };
  });
  await new ConfigurationFile(path, ownFiles, w.clock, () => w.roots.read()).change(() => ({ put: all[0]! }));
  const document = { version: 1, running: false, watch_folders: all };
  writeFileSync(path, JSON.stringify(document));
  for (const { folder_path } of all) w.world.put(join(folder_path, 'a.mov'));
  w.tasks.isQuick = true;
  const service = w.service();
  await service.start();
  await w.pass(() => w.tasks.started.length === 1_000, 10, 60_000);
  await w.pass(async () => (await service.status()).files_pending === 0, 10, 60_000);
  assert.equal(w.world.mostPollsAtOnce, 1);
  const served = w.tasks.started.map(({ paths }) => paths[0]);
  assert.equal(new Set(served).size, 1_000);
  await service.close();
  await until(() => w.clock.waiting === 0);
});
