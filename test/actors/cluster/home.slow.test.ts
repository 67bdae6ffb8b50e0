// Files of the home folder that are common to the nodes of a cluster: what is changed on one is so on all.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { issueKey, KEY_BYTES, readKeys, revokeKey } from '../../../http/license/store.ts';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { until } from '../../until.ts';
import { type Machine, type Machines, machines } from './homes.ts';

/** ms within which every machine knows. */
const SOON = 300;

test('the home of a cluster', { skip: skipWithoutPostgres }, async (t) => {
  const all = await machines(t);
  await t.test('a key is valid, and revoked, on every machine within 300 ms', () => keys(all));
  await t.test('keys of a machine that joins are those of all, and none comes back', () => joining(all));
  await t.test('a session is known, and ends, on every machine; that of an owner is not', () =>
    sessions(all),
  );
  await t.test('while the database is away known keys open, and a revoked one does not', () => away(all));
});

function issue({ folder }: Pick<Machine, 'folder'>, name = '') {
  const request = { tier: 'pro', name, days: null } as const;
  return issueKey(join(folder, 'licenses'), request, randomBytes(KEY_BYTES), Date.now());
}

async function isOpen({ access }: Machine, credential: string): Promise<boolean> {
  return (await access.check(credential)).ok;
}

async function keys({ join: joinAs }: Machines): Promise<void> {
  const [here, there] = [await joinAs('/footage'), await joinAs('/footage')];
  const { key, issued } = issue(here);
  // Asked for too early, it is refused at first.
  assert.equal(await isOpen(there, key), false);
  await until(() => isOpen(there, key), { within: SOON });
  assert.equal(await isOpen(here, key), true);
  revokeKey(join(there.folder, 'licenses'), issued.id, Date.now());
  for (const machine of [here, there])
    await until(async () => !(await isOpen(machine, key)), { within: SOON });
  await Promise.all([here.leave(), there.leave()]);
}

async function joining({ join: joinAs, newFolder, database }: Machines): Promise<void> {
  const [folder, other] = [newFolder(), newFolder()];
  const { key } = issue({ folder }, 'of its own');
  const here = await joinAs('/footage');
  const { key: revoked, issued } = issue(here);
  // A copy of the home folder from before it was revoked.
  const name = `${issued.id}.json`;
  issue({ folder: other });
  writeFileSync(join(other, 'licenses', name), readFileSync(join(here.folder, 'licenses', name)));
  revokeKey(join(here.folder, 'licenses'), issued.id, Date.now());
  await until(() => isRevoked(database, issued.id), { within: SOON });
  const [joined, restored] = [await joinAs('/footage', folder), await joinAs('/footage', other)];
  await until(() => isOpen(here, key), { within: SOON });
  for (const machine of [here, joined, restored]) assert.equal(await isOpen(machine, revoked), false);
  // A file that somebody takes away is there again when the machine comes back.
  await restored.leave();
  rmSync(join(other, 'licenses', name));
  const back = await joinAs('/footage', other);
  assert.deepEqual(
    readKeys(join(other, 'licenses')).keys.map(({ id }) => id),
    readKeys(join(here.folder, 'licenses')).keys.map(({ id }) => id),
  );
  await Promise.all([here, joined, back].map(({ leave }) => leave()));
}

async function isRevoked(database: Machines['database'], id: string): Promise<boolean> {
  const [row] = await database.query<{ body: string }>('select body from framehound.home where name = $1', [
    `licenses/${id}.json`,
  ]);
  return row !== undefined && JSON.parse(row.body).revoked_at !== null;
}

async function sessions({ join: joinAs }: Machines): Promise<void> {
  const [here, there] = [await joinAs('/footage'), await joinAs('/footage')];
  const { key } = issue(here);
  const own = join(here.folder, 'analysis');
  const { token } = here.access.openSession(here.access.makeTicket(key, own).ticket);
  await until(() => isOpen(there, token), { within: SOON });
  assert.equal(there.access.cacheDirOf(token), join(there.folder, 'analysis'), 'its own replica');
  const owner = here.access.openSession(here.access.ownerTicket(60_000) ?? '').token;
  assert.equal(await isOpen(here, owner), true);
  assert.equal(here.access.endSession(token), true);
  await until(async () => !(await isOpen(there, token)), { within: SOON });
  assert.deepEqual(readdirSync(join(there.folder, 'sessions')), []);
  assert.equal(await isOpen(there, owner), false);
  await Promise.all([here.leave(), there.leave()]);
}

async function away({ join: joinAs, postgres }: Machines): Promise<void> {
  const [here, there] = [await joinAs('/footage'), await joinAs('/footage')];
  const [{ key }, { key: other, issued }] = [issue(here), issue(here)];
  for (const one of [key, other]) await until(() => isOpen(there, one), { within: SOON });
  postgres.stop();
  revokeKey(join(here.folder, 'licenses'), issued.id, Date.now());
  // A machine by itself looks at its keys once a second.
  await until(async () => !(await isOpen(here, other)), { within: 2_000 });
  assert.equal(await isOpen(there, other), true, 'nobody could tell it');
  for (const machine of [here, there]) assert.equal(await isOpen(machine, key), true);
  postgres.start();
  await until(async () => !(await isOpen(there, other)), { within: 10_000 });
  assert.equal(await isOpen(there, key), true);
  await Promise.all([here.leave(), there.leave()]);
}
