import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { clusterErrors, type DatabaseFacts, type FolderFacts } from '../../../actors/cluster/contract.ts';
import type { Installation } from '../../../actors/installation.ts';
import { clusterFindings } from '../../../cli/commands/doctor.ts';
import { fakeHome } from '../fake-context.ts';

const database: DatabaseFacts = {
  ...{ server: '16.4', major: 16, milliseconds: 0.4, clock_seconds: -0.2 },
  ...{ tables: 3, supported: 3, may_create: true, library: 'own', roots: ['footage'] },
};
const folder: FolderFacts = { megabytes_per_second: 112, milliseconds: 3, library: 'own' };

/** What is found of such a cluster, by name: `ok`, `lacking` or `fault`, what it is, and what helps. */
async function found(
  t: TestContext,
  facts: Partial<DatabaseFacts> | Error = {},
  share: Partial<FolderFacts> | Error = {},
  roots: readonly string[] = ['footage'],
) {
  const asked: string[] = [];
  const either = <T extends object>(usual: T, of: Partial<T> | Error) => {
    if (of instanceof Error) throw of;
    return { ...usual, ...of };
  };
  const admin = {
    examine: async () => either(database, facts),
    tryFolder: async () => either(folder, share),
    close: async () => void asked.push('closed'),
  };
  const installation = async () =>
    ({
      cluster: async (url: string) => {
        asked.push(url);
        return admin;
      },
      libraries: { roots: async () => roots.map((name) => ({ name })) },
    }) as unknown as Installation;
  const { context } = fakeHome(t, {});
  const joining = { cluster: 'postgres://db/framehound', 'cluster-folder': '/mnt/shared' };
  const findings = await clusterFindings(joining, context({ installation }));
  assert.deepEqual(asked, ['postgres://db/framehound', 'closed']);
  return Object.fromEntries(
    findings.map(({ name, ok, lacking, found: what, fix }) => {
      return [name.replace('cluster ', ''), [ok ? (lacking ? 'lacking' : 'ok') : 'fault', what, fix]];
    }),
  );
}

test('a cluster that is whole has a line for each part', async (t) => {
  assert.deepEqual(await found(t), {
    database: ['ok', 'PostgreSQL 16.4, answers in 0.4 ms', undefined],
    tables: ['ok', 'version 3', undefined],
    clock: ['ok', '0.2 s behind the database', undefined],
    roots: ['ok', 'footage', undefined],
    folder: ['ok', '/mnt/shared, writes 112 MB/s, a small file in 3.0 ms', undefined],
  });
});

test('each part that is wrong says what helps', async (t) => {
  const away = clusterErrors.DATABASE_AWAY('The database of the cluster cannot be reached: ECONNREFUSED');
  const one = await found(
    t,
    away,
    clusterErrors.SHARED_FOLDER('/mnt/shared cannot be used: it is read-only'),
  );
  assert.deepEqual(
    Object.entries(one).map(([name, [state]]) => [name, state]),
    [
      ['database', 'fault'],
      ['folder', 'fault'],
    ],
  );
  assert.match(String(one['database']), /ECONNREFUSED,check the address/);
  assert.match(String(one['folder']), /read-only,mount the folder/);
  const old = await found(t, { server: '13.2', major: 13, tables: 4, clock_seconds: 3600 });
  assert.match(String(old['server']), /fault,PostgreSQL 13.2 is not supported,update the server/);
  assert.match(String(old['tables']), /fault,version 4; this program knows 3,update framehound/);
  assert.match(String(old['clock']), /lacking,3600.0 s ahead of the database,.*NTP/);
});

test('an empty database is ready for its first machine, if the user may make tables', async (t) => {
  const empty = { tables: 0, library: null, roots: [] };
  const { tables } = await found(t, empty, { library: null });
  assert.match(String(tables), /ok,none yet/);
  const barred = await found(t, { ...empty, may_create: false });
  assert.match(String(barred['tables']), /fault,.*grant create on database/);
});

test('a root that this machine does not know, and a folder of another cluster, are named', async (t) => {
  const { roots } = await found(t, { roots: ['footage', 'stills'] });
  assert.match(String(roots), /fault,.*root stills.*framehound roots add stills FOLDER/);
  assert.match(String((await found(t, { roots: [] }, {}, []))['roots']), /fault,this machine has none/);
  const { folder: others } = await found(t, {}, { library: 'of another' });
  assert.match(String(others), /fault,\/mnt\/shared is the folder of another cluster/);
  const { folder: slow } = await found(t, {}, { megabytes_per_second: 2.4 });
  assert.match(String(slow), /lacking,.*writes 2 MB\/s.*faster network/);
});
