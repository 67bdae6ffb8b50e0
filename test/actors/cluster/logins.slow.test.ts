// Who may join is for the database to say: each machine has a login of its own, which can expire and be taken
// back.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { Database } from '../../../actors/cluster/database.ts';
import { addChange, type ChangeBody, lastChange, lockLibrary } from '../../../actors/cluster/log.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { askPasswords, skipWithoutPostgres, startPostgres } from '../../system/postgres.ts';
import { until } from '../../until.ts';

const nodeId = '00000000-0000-4000-8000-000000000001';

/** As docs/cluster.md makes them. */
const logins = [
  'create role team nologin',
  'grant create on database postgres to team',
  "create role cutting1 login password 'one' in role team",
  "create role cutting2 login password 'two' valid until '2999-01-01' in role team",
  "create role guest login password 'three'",
  'alter role cutting1 set role team',
  'alter role cutting2 set role team',
];

test('each machine logs in as itself, and is refused by name', { skip: skipWithoutPostgres }, async (t) => {
  const postgres = await startPostgres();
  t.after(postgres.end);
  const as = connecting(t, postgres.url);
  const owner = as('framehound');
  for (const statement of logins) await owner.probe(statement);
  await askPasswords(owner);
  const [first, second] = [as('cutting1:one'), as('cutting2:two')];
  const [library] = await first.query<{ id: string }>('select id from framehound.library');
  const add = (database: Database) =>
    database.transact(async (sql) => {
      await lockLibrary(sql, library!.id);
      const body: ChangeBody = { kind: 'write', id: '', write: [] };
      return addChange(sql, { library: library!.id, node: nodeId }, body);
    });
  assert.deepEqual([await add(first), await add(second)], [1, 2], 'what one has made the other one uses');
  assert.deepEqual(await second.queueCounts(), { queued: 0, active: 0, failed: 0 });
  await assert.rejects(as('cutting2:one').ready(), refused(/password .* failed for user "cutting2"/));
  await assert.rejects(as('cutting2').ready(), refused(/asks for a password/));
  await assert.rejects(as('guest:three').ready(), refused(/permission denied/));

  await owner.probe('alter role cutting2 nologin');
  await owner.probe("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'cutting2'");
  const isRefused = () =>
    add(second).then(
      () => false,
      (error: unknown) => refused(/role "cutting2" is not permitted to log in/)(error),
    );
  await until(isRefused);
  assert.equal(await lastChange(first, library!.id), 2);
  await owner.probe("alter role cutting1 valid until '2020-01-01'");
  await assert.rejects(as('cutting1:one').ready(), refused(/failed for user "cutting1"/));
  assert.equal(await add(first), 3, 'a connection that is there goes on');
  await owner.probe('drop role cutting2');
});

function connecting(t: TestContext, url: string): (login: string) => Database {
  return (login) => {
    const database = new Database(url.replace('framehound@', `${login}@`), systemClock);
    t.after(() => database.close());
    return database;
  };
}

function refused(why: RegExp): (error: unknown) => boolean {
  return (error) => {
    const { code, message } = error as { code?: string; message: string };
    return code === 'DATABASE_REFUSED' && why.test(message);
  };
}
