// A real PostgreSQL for a test: the binaries of the system, with data of its own that go with the test.
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Database } from '../../actors/cluster/database.ts';
import { systemClock } from '../../runtime/clock.ts';
import { freePort } from './guarded-service.ts';

/** Debian keeps them apart by version; the newest counts. */
function folderOfBinaries(): string | null {
  const apart = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => versionIn(a) - versionIn(b));
  const found = [...(process.env['PATH'] ?? '').split(':'), ...apart];
  return found.findLast((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

const versionIn = (path: string) => Number(/\d+/.exec(path)?.[0]);
const binaries = folderOfBinaries();

/** Why a test that needs one is skipped; false where it is not. */
export const skipWithoutPostgres =
  binaries === null && 'no PostgreSQL is installed here (on Debian: apt-get install postgresql)';

export interface Postgres {
  readonly url: string;
  start(): void;
  /** At once, as when its machine loses power. */
  stop(): void;
  /** As `pg_dump` writes it, and back from there: what was not in it is gone. */
  dump(file: string): void;
  restore(file: string): void;
  end(): void;
}

/** With the tables of a cluster. What `ends` holds is done before it ends, the last one first. */
export async function clusterDatabase(t: TestContext, flushes = false) {
  const postgres = await startPostgres(flushes);
  const database = new Database(postgres.url, systemClock);
  const ends: (() => Promise<unknown>)[] = [() => database.close()];
  t.after(async () => {
    for (const end of ends.toReversed()) await end();
    postgres.end();
  });
  const [row] = await database.query<{ id: string }>('select id from framehound.library');
  return { postgres, database, library: row!.id, ends };
}

/** `flushes`: what is committed is on the disk. */
export async function startPostgres(flushes = false): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  // It refuses to run as root.
  const nobody = process.getuid?.() === 0 ? userNamed('nobody') : null;
  if (nobody !== null) chownSync(folder, nobody.uid, nobody.gid);
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(binaries!, program), args, { ...nobody, cwd: folder, stdio: 'ignore' });
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=${flushes ? 'on' : 'off'}`;
  const control = (action: string, ...args: string[]) =>
    run('pg_ctl', action, '-D', data, '-w', '-l', join(folder, 'log'), ...args);
  const start = () => control('start', '-o', settings);
  run('initdb', '-D', data, '-U', 'framehound', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync');
  start();
  let isRunning = true;
  const stop = () => {
    if (isRunning) control('stop', '-m', 'immediate');
    isRunning = false;
  };
  const url = `postgres://framehound@127.0.0.1:${port}/postgres`;
  return {
    url,
    dump: (file) =>
      void execFileSync(join(binaries!, 'pg_dump'), [url, '--format', 'custom', '--file', file]),
    restore: (file) => {
      const drop = 'drop schema framehound cascade; drop schema framehound_jobs cascade';
      execFileSync(join(binaries!, 'psql'), [url, '--quiet', '--command', drop], { stdio: 'ignore' });
      execFileSync(join(binaries!, 'pg_restore'), ['--dbname', url, file]);
    },
    start: () => {
      start();
      isRunning = true;
    },
    stop,
    end: () => {
      stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** From now on the server asks everybody but the owner for a password. */
export async function askPasswords(owner: Database): Promise<void> {
  const { file } = await owner.probe<{ file: string }>("select current_setting('hba_file') as file");
  const rules = "values ('host all framehound all trust'), ('host all all all scram-sha-256')";
  await owner.probe(`copy (${rules}) to '${file}'`);
  await owner.probe('select pg_reload_conf()');
}

function userNamed(name: string): { readonly uid: number; readonly gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`));
  const [, , uid, gid] = (line ?? '').split(':').map(Number);
  return { uid: uid!, gid: gid! };
}
