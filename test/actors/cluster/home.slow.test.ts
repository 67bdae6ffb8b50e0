// Files of the home folder that are common to the nodes of a cluster: what is changed on one is so on all.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { rootsText } from '../../../actors/index/store/roots-file.ts';
import { issueKey, KEY_BYTES, readKeys, revokeKey } from '../../../http/license/store.ts';
import { savedRequest } from '../../http/body-needs.ts';
import { skipWithoutPostgres } from '../../system/postgres.ts';
import { until } from '../../until.ts';
import { type Machine, type Machines, machines } from './homes.ts';

const never = new AbortController().signal;
const moment = (media_path: string) => ({ media_path, start_seconds: 1, end_seconds: 2 });

test('the home of a cluster', { skip: skipWithoutPostgres }, async (t) => {
  const all = await machines(t);
  await t.test('a key is valid, and revoked, on every machine', () => keys(all));
  await t.test('keys of a machine that joins are those of all, and none comes back', () => joining(all));
  await t.test('a session is known, and ends, on every machine; that of an owner is not', () =>
    sessions(all),
  );
  await t.test('a list is made, changed and removed for every machine', () => lists(all));
  await t.test('of two that change a list at once one is told that it has changed', () => both(all));
  await t.test('saved searches of a machine that joins follow those that are there', () => searches(all));
  await t.test('what two have changed apart is that of the cluster, and the other is kept', () => apart(all));
  await t.test('a root that a machine comes to know is one in its lists', () => rooted(all));
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
  await until(() => isOpen(there, key));
  assert.equal(await isOpen(here, key), true);
  revokeKey(join(there.folder, 'licenses'), issued.id, Date.now());
  for (const machine of [here, there]) await until(async () => !(await isOpen(machine, key)));
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
  await until(() => isRevoked(database, issued.id));
  const [joined, restored] = [await joinAs('/footage', folder), await joinAs('/footage', other)];
  await until(() => isOpen(here, key));
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
  await until(() => isOpen(there, token));
  assert.equal(there.access.cacheDirOf(token), join(there.folder, 'analysis'), 'its own replica');
  const owner = here.access.openSession(here.access.ownerTicket(60_000) ?? '').token;
  assert.equal(await isOpen(here, owner), true);
  assert.equal(here.access.endSession(token), true);
  await until(async () => !(await isOpen(there, token)));
  assert.deepEqual(readdirSync(join(there.folder, 'sessions')), []);
  assert.equal(await isOpen(there, owner), false);
  await Promise.all([here.leave(), there.leave()]);
}

async function lists({ join: joinAs }: Machines): Promise<void> {
  const [here, there] = [await joinAs('/footage'), await joinAs('/mnt/nas')];
  const items = [moment('/footage/a.mp4'), moment('/elsewhere/b.mp4')];
  const { list_id, version } = await here.lists.make({ name: 'Cut', items }, never);
  const nameThere = async () => (await there.lists.list(never)).lists[0]?.name;
  await until(async () => (await nameThere()) === 'Cut');
  const found = await there.lists.get(list_id, never);
  assert.deepEqual(
    found.items.map(({ media_path }) => media_path),
    ['/mnt/nas/a.mp4', '/elsewhere/b.mp4'],
  );
  const changed = await there.lists.change(list_id, { version, name: 'Fine cut' }, never);
  assert.deepEqual(await there.lists.get(list_id, never), changed, 'whoever wrote reads it at once');
  const nameHere = async () => (await here.lists.get(list_id, never)).name;
  await until(async () => (await nameHere()) === 'Fine cut');
  await here.lists.remove(list_id, never);
  await until(async () => (await there.lists.list(never)).lists.length === 0);
  await Promise.all([here.leave(), there.leave()]);
}

async function both({ join: joinAs }: Machines): Promise<void> {
  const [here, there] = [await joinAs('/footage'), await joinAs('/footage')];
  const { list_id, version } = await here.lists.make({ name: 'Cut', items: [] }, never);
  const asked = [here, there].map(({ lists: one }, i) =>
    one.change(list_id, { version, name: `Cut ${i}` }, never),
  );
  const [won, lost] = (await Promise.allSettled(asked)).toSorted((a) => (a.status === 'fulfilled' ? -1 : 1));
  assert.ok(won?.status === 'fulfilled' && lost?.status === 'rejected');
  assert.equal(lost.reason.code, 'LIST_CHANGED');
  assert.deepEqual(lost.reason.details, { version: 2 });
  for (const { lists: one } of [here, there])
    await until(async () => (await one.get(list_id, never)).name === won.value.name);
  await here.lists.remove(list_id, never);
  await Promise.all([here.leave(), there.leave()]);
}

function search(name: string) {
  return { search_id: name, name, request: savedRequest('/any'), created_at: 1 };
}

async function searches({ join: joinAs, newFolder }: Machines): Promise<void> {
  const folder = newFolder();
  mkdirSync(join(folder, 'searches'));
  const text = JSON.stringify({ version: 1, records: [search('own'), search('both')] });
  writeFileSync(join(folder, 'searches', 'searches.json'), text);
  const here = await joinAs('/footage');
  await here.searches.change((now) => [...now, search('both')]);
  const there = await joinAs('/footage', folder);
  const ids = ({ searches: file }: Machine) => file.read().map(({ search_id }) => search_id);
  for (const machine of [here, there]) await until(() => ids(machine).join() === 'both,own');
  await Promise.all(
    [here, there].map(({ searches: file }, i) => file.change((now) => [...now, search(`${i}`)])),
  );
  for (const machine of [here, there]) await until(() => ids(machine).toSorted().join() === '0,1,both,own');
  await Promise.all([here.leave(), there.leave()]);
}

async function apart({ join: joinAs, said }: Machines): Promise<void> {
  const [here, there] = [await joinAs('/footage'), await joinAs('/footage')];
  const { list_id } = await here.lists.make({ name: 'Cut', items: [] }, never);
  await until(async () => (await there.lists.list(never)).lists.length === 1);
  await there.leave();
  const path = join(there.folder, 'lists', `${list_id}.json`);
  writeFileSync(path, readFileSync(path, 'utf8').replace('Cut', 'Cut by hand'));
  await here.lists.change(list_id, { version: 1, name: 'Cut by all' }, never);
  const back = await joinAs('/footage', there.folder);
  assert.equal((await back.lists.get(list_id, never)).name, 'Cut by all');
  const aside = join(there.folder, 'cluster', 'set-aside');
  const [kept = ''] = readdirSync(aside);
  assert.match(readFileSync(join(aside, kept), 'utf8'), /Cut by hand/);
  assert.ok(said.some((line) => line.includes('that of the cluster counts') && line.includes(kept)));
  await here.lists.remove(list_id, never);
  await Promise.all([here.leave(), back.leave()]);
}

async function rooted({ join: joinAs }: Machines): Promise<void> {
  const [here, there] = [await joinAs('/footage'), await joinAs('/footage')];
  writeFileSync(there.roots, rootsText([]));
  const { list_id } = await here.lists.make({ name: 'Cut', items: [moment('/footage/a.mp4')] }, never);
  const pathThere = async () => {
    const { lists: found } = await there.lists.list(never);
    return found.length === 0 ? null : (await there.lists.get(list_id, never)).items[0]!.media_path;
  };
  await until(async () => (await pathThere()) === 'root:footage/a.mp4');
  const root = { name: 'footage', folder: '/mnt/nas', origin: '/mnt/nas', volume: null, removed: false };
  writeFileSync(there.roots, rootsText([root]));
  await until(async () => (await pathThere()) === '/mnt/nas/a.mp4');
  assert.equal((await here.lists.get(list_id, never)).items[0]?.media_path, '/footage/a.mp4');
  await here.lists.remove(list_id, never);
  await Promise.all([here.leave(), there.leave()]);
}

async function away({ join: joinAs, postgres }: Machines): Promise<void> {
  const [here, there] = [await joinAs('/footage'), await joinAs('/footage')];
  const [{ key }, { key: other, issued }] = [issue(here), issue(here)];
  for (const one of [key, other]) await until(() => isOpen(there, one));
  const { list_id } = await here.lists.make({ name: 'Cut', items: [] }, never);
  await until(async () => (await there.lists.list(never)).lists.length === 1);
  postgres.stop();
  await assert.rejects(here.lists.change(list_id, { version: 1, name: 'Fine cut' }, never), {
    code: 'DATABASE_AWAY',
    status: 503,
    retryable: true,
  });
  revokeKey(join(here.folder, 'licenses'), issued.id, Date.now());
  // A machine by itself looks at its keys once a second.
  await until(async () => !(await isOpen(here, other)));
  assert.equal(await isOpen(there, other), true, 'nobody could tell it');
  for (const machine of [here, there]) assert.equal(await isOpen(machine, key), true);
  for (const { lists: one } of [here, there]) assert.equal((await one.get(list_id, never)).name, 'Cut');
  postgres.start();
  await until(async () => !(await isOpen(there, other)));
  // What was refused has not happened, so it can be tried again.
  await there.lists.change(list_id, { version: 1, name: 'Fine cut' }, never);
  await until(async () => (await here.lists.get(list_id, never)).name === 'Fine cut');
  assert.equal(await isOpen(there, key), true);
  await Promise.all([here.leave(), there.leave()]);
}
