// What `framehound doctor` asks about a cluster, of a real database and a real folder.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { openAdmin } from '../../../actors/cluster/admin.ts';
import { Database } from '../../../actors/cluster/database.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { skipWithoutPostgres, startPostgres } from '../../system/postgres.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

test('a database is examined before and after it has tables', { skip: skipWithoutPostgres }, async (t) => {
  const postgres = await startPostgres();
  const admin = openAdmin(postgres.url, systemClock);
  const database = new Database(postgres.url, systemClock);
  t.after(async () => {
    await Promise.all([admin.close(), database.close()]);
    postgres.end();
  });
  const before = await admin.examine();
  assert.ok(before.major >= 15 && before.server.startsWith(`${before.major}.`));
  assert.deepEqual([before.tables, before.library, before.roots, before.may_create], [0, null, [], true]);
  assert.ok(Math.abs(before.clock_seconds) < 2 && before.milliseconds > 0);
  const [library] = await database.query<{ id: string }>('select id from framehound.library');
  const contents = ['root:footage/a.mp4', 'root:footage/b/c.mp4', 'root:stills/d.jpg', ''];
  for (const [seq, path] of contents.entries()) {
    const values = [library!.id, `hash-${seq}`, path, seq];
    await database.query(
      'insert into framehound.content (library, hash, path, seq) values ($1, $2, $3, $4)',
      values,
    );
  }
  const after = await admin.examine();
  assert.deepEqual([after.tables, after.library], [after.supported, library!.id]);
  assert.deepEqual(after.roots.toSorted(), ['footage', 'stills']);
  await database.query('create role guest login');
  const guest = openAdmin(postgres.url.replace('framehound@', 'guest@'), systemClock);
  t.after(() => guest.close());
  await assert.rejects(guest.examine(), { code: 'DATABASE_REFUSED', message: /permission denied/ });
});

test('a folder is written, read and left as it was', async (t) => {
  const folder = temporaryFolder(t);
  const admin = openAdmin('postgres://nobody@127.0.0.1:1/none', systemClock);
  t.after(() => admin.close());
  const { library, ...speeds } = await admin.tryFolder(folder);
  assert.equal(library, null);
  assert.ok(speeds.megabytes_per_second > 0 && speeds.milliseconds > 0);
  writeFileSync(join(folder, 'framehound-cluster.json'), '{"version":1,"library":"its-own"}');
  assert.equal((await admin.tryFolder(folder)).library, 'its-own');
  assert.deepEqual(readdirSync(folder), ['framehound-cluster.json']);
  await assert.rejects(admin.tryFolder(join(folder, 'away')), { code: 'SHARED_FOLDER', message: /away/ });
  await assert.rejects(admin.examine(), { code: 'DATABASE_AWAY' });
});
