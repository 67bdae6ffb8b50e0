// A service that cannot join its cluster, whatever is tried again, says why once and ends.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Database } from '../../actors/cluster/database.ts';
import { systemClock } from '../../runtime/clock.ts';
import { newHome } from './command-line.ts';
import { askPasswords, skipWithoutPostgres, startPostgres } from './postgres.ts';

test('a wrong password, an unknown database and a missing folder end the service, with one message', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const postgres = await startPostgres();
  const owner = new Database(postgres.url, systemClock);
  const home = newHome();
  t.after(async () => {
    await owner.close();
    postgres.end();
    home.remove();
  });
  await owner.probe("create role cutting1 login password 'one'");
  await askPasswords(owner);
  const shared = join(home.folder, 'shared');
  mkdirSync(shared);
  const elsewhere = join(home.folder, 'nowhere');
  const cases = [
    [postgres.url.replace('framehound@', 'cutting1:two@'), shared, /password .*failed for user "cutting1"/],
    [postgres.url.replace(/postgres$/, 'none'), shared, /database "none" does not exist/],
    [postgres.url, elsewhere, /nowhere does not exist: is it mounted\?/],
  ] as const;
  for (const [url, folder, why] of cases) {
    const options = ['--cluster', url, '--cluster-folder', folder, '--log-format', 'json'];
    const { code, err } = await home.run('serve', '--port', '0', ...options);
    const lines = err.trim().split('\n');
    const said = lines.map((line) => JSON.parse(line) as { level: string; message: string });
    const errors = said.filter(({ level }) => level === 'error').map(({ message }) => message);
    assert.equal(code, 2, err);
    assert.equal(errors.length, 1, err);
    assert.match(errors[0]!, why);
    assert.ok(!err.includes('another is started'), err);
  }
});
