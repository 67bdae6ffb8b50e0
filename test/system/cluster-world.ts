// A database, a shared folder and footage, and engines that join a cluster there.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { rootsText } from '../../actors/index/store/roots-file.ts';
import { type Home, newHome } from './command-line.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { type RunningService, startService } from './service.ts';

export interface Node extends RunningService {
  readonly cacheDir: string;
}

export interface World {
  readonly postgres: Postgres;
  readonly footage: string;
  /** The folder that all engines write to. */
  readonly shared: string;
  /** `url`: of the database, where it is not reached directly. */
  join(roles: string, home?: Home, url?: string): Promise<Node>;
}

/** `place`: puts files into the folder of the footage. */
export async function newWorld(t: TestContext, place: (footage: string) => void): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-cluster-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const footage = join(folder, 'footage');
  mkdirSync(footage);
  place(footage);
  const postgres = await startPostgres();
  t.after(postgres.end);
  const shared = join(folder, 'shared');
  mkdirSync(shared);
  const joinAs: World['join'] = async (roles, known, url = postgres.url) => {
    const home = known ?? newHome();
    const root = { name: 'footage', folder: footage, origin: footage, volume: null, removed: false };
    mkdirSync(join(home.folder, 'home'), { recursive: true });
    // As `framehound roots add` writes it.
    writeFileSync(join(home.folder, 'home', 'roots.json'), rootsText([root]));
    const options = ['--cluster', url, '--cluster-folder', shared, '--roles', roles];
    const service = await startService(['--no-guardian', ...options], home);
    t.after(service.end);
    return { ...service, cacheDir: join(home.folder, 'home', 'analysis') };
  };
  return { postgres, footage, shared, join: joinAs };
}
