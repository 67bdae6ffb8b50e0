// Home folders of machines that have files in common by a real database, without engines.
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Database } from '../../../actors/cluster/database.ts';
import { Home } from '../../../actors/cluster/home.ts';
import { HomePlaces } from '../../../actors/cluster/places.ts';
import { RootsFile, rootsText } from '../../../actors/index/store/roots-file.ts';
import type { MomentLists } from '../../../actors/library/lists/contract.ts';
import { ListFolder } from '../../../actors/library/lists/lists.ts';
import { SavedSearch } from '../../../events/searches/contract.ts';
import { Licenses, localKeys } from '../../../http/license/licenses.ts';
import { Access } from '../../../http/sessions/access.ts';
import { systemClock } from '../../../runtime/clock.ts';
import type { HomeFiles } from '../../../runtime/files/home-files.ts';
import { RecordFile } from '../../../runtime/files/record-file.ts';
import { createLog } from '../../../runtime/log.ts';
import { clusterDatabase, type Postgres } from '../../system/postgres.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

export interface Machine {
  readonly folder: string;
  readonly roots: string;
  readonly home: Home;
  /** Of the machine, which closes it when it leaves. */
  readonly database: Database;
  readonly access: Access;
  readonly lists: MomentLists;
  readonly searches: RecordFile<typeof SavedSearch>;
  /** As an engine that ends. */
  leave(): Promise<void>;
}

export interface Machines {
  readonly postgres: Postgres;
  readonly database: Database;
  readonly library: string;
  /** The folder of all. */
  readonly shared: string;
  readonly said: readonly string[];
  /** `footage`: where that root is on the machine; `at`: a home folder that is there. */
  join(footage: string, at?: string): Promise<Machine>;
  newFolder(): string;
}

export async function machines(t: TestContext): Promise<Machines> {
  const base = temporaryFolder(t);
  const said: string[] = [];
  const log = createLog('home', (line) => said.push(`${line.level} ${line.message} ${JSON.stringify(line)}`));
  const { postgres, database, library, ends } = await clusterDatabase(t);
  let count = 0;
  const newFolder = () => {
    const made = join(base, `machine-${++count}`);
    mkdirSync(made, { recursive: true });
    return made;
  };
  const joinAs: Machines['join'] = async (footage, at = newFolder()) => {
    const roots = join(at, 'roots.json');
    const root = { name: 'footage', folder: footage, origin: footage, volume: null, removed: false };
    writeFileSync(roots, rootsText([root]));
    const own = new Database(postgres.url, systemClock, log);
    const places = new HomePlaces(roots, join(at, 'analysis'));
    const common = { library, clock: systemClock, log };
    const home = new Home({ ...common, database: own, home: at, places });
    await home.begin();
    const access = accessOf(at, log);
    const kept = keptIn(at, home, new RootsFile(roots));
    home.onChange((names) => access.changedOutside(names));
    let closing: Promise<void> | null = null;
    const leave = () => (closing ??= home.stop().then(() => own.close()));
    ends.push(leave, async () => access.close(false));
    return { folder: at, roots, home, database: own, access, ...kept, leave };
  };
  return {
    postgres,
    database,
    library,
    shared: join(base, 'shared'),
    said,
    join: joinAs,
    newFolder,
  };
}

function keptIn(home: string, homeFiles: HomeFiles, roots: RootsFile): Pick<Machine, 'lists' | 'searches'> {
  const times = { clock: systemClock, now: () => Date.now() / 1000 };
  const paths = () => roots.read().paths;
  const common = { homeFiles, newId: randomUUID, paths, ...times };
  const lists = new ListFolder({ ...common, folder: join(home, 'lists') });
  const refused = (what: string) => new Error(what);
  const errors = { damaged: refused, unwritable: refused };
  const file = join(home, 'searches', 'searches.json');
  return { lists, searches: new RecordFile(file, SavedSearch, homeFiles, systemClock, errors) };
}

function accessOf(home: string, log: ReturnType<typeof createLog>): Access {
  const times = { clock: systemClock, now: Date.now };
  const licenses = new Licenses(localKeys(join(home, 'licenses'), Date.now, log), { ...times, log });
  const sessions = { hasLicenseServer: false, isLocal: true, folder: join(home, 'sessions') };
  return new Access({ licenses, ...sessions, ...times, log });
}
