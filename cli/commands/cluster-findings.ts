// Findings of `framehound doctor` about a cluster: its database, its folder, and this machine as a node.
import type { ClusterAdmin, DatabaseFacts } from '../../actors/cluster/contract.ts';
import { folders } from '../../settings.ts';
import { type Context, keptAlive } from '../context.ts';
import { attempt, type Finding } from '../finding.ts';
import { databaseAddress } from './cluster.ts';

/** First version of PostgreSQL that is supported. */
const OLDEST = 15;
/** Seconds of difference between clocks, and megabytes a second of the folder, that are told. */
const CLOCK_TELL = 60;
const SLOW = 10;

/** Options of the command line that take precedence over settings. */
interface Joining {
  readonly cluster?: string | undefined;
  readonly 'cluster-folder'?: string | undefined;
}

/** Nothing where neither it nor the settings name a cluster. */
export async function clusterFindings(joining: Joining, context: Context): Promise<Finding[]> {
  const { installation, values, clock } = context;
  const url = databaseAddress(joining.cluster, values);
  if (url === '') return [];
  const admin = await (await installation()).cluster(url, clock);
  return keptAlive(looked(admin, joining, context).finally(() => admin.close()));
}

async function looked(admin: ClusterAdmin, joining: Joining, context: Context): Promise<Finding[]> {
  let facts: DatabaseFacts | null = null;
  const reached = await attempt(
    'cluster database',
    async () => {
      facts = await admin.examine();
      return `PostgreSQL ${facts.server}, answers in ${facts.milliseconds.toFixed(1)} ms`;
    },
    `check the address of the database, its user and password, and that PostgreSQL ${OLDEST} or newer runs there`,
  );
  const database = facts as DatabaseFacts | null;
  const { 'cluster-folder': folder = context.values.cluster_folder } = joining;
  const shared = await folderFinding(admin, folder, database);
  if (database === null) return [reached, shared];
  return [
    reached,
    ...(database.major < OLDEST ? [tooOld(database)] : []),
    tables(database),
    clockFinding(database),
    ...(await rootFindings(database, context)),
    shared,
  ];
}

function tooOld({ server }: DatabaseFacts): Finding {
  const fix = `update the server to PostgreSQL ${OLDEST} or newer`;
  return { name: 'cluster server', ok: false, found: `PostgreSQL ${server} is not supported`, fix };
}

function tables({ tables: version, supported, may_create }: DatabaseFacts): Finding {
  const name = 'cluster tables';
  if (version > supported) {
    const found = `version ${version}; this program knows ${supported}`;
    return { name, ok: false, found, fix: 'update framehound on this machine' };
  }
  if (version === supported) return { name, ok: true, found: `version ${version}` };
  if (version > 0) {
    const found = `version ${version}; the first machine that joins with this program brings them to ${supported}`;
    return { name, ok: true, found };
  }
  if (may_create) return { name, ok: true, found: 'none yet: the first machine that joins makes them' };
  const found = 'there are none, and this user may not make any';
  return {
    name,
    ok: false,
    found,
    fix: 'as the owner of the database: grant create on database NAME to USER',
  };
}

function clockFinding({ clock_seconds }: DatabaseFacts): Finding {
  const far = `${Math.abs(clock_seconds).toFixed(1)} s ${clock_seconds < 0 ? 'behind' : 'ahead of'} the database`;
  const finding = { name: 'cluster clock', ok: true, found: far };
  if (Math.abs(clock_seconds) <= CLOCK_TELL) return finding;
  return { ...finding, lacking: true, fix: 'set the clocks of both machines by a time server (NTP)' };
}

/** Roots of the cluster that this machine does not know. */
async function rootFindings({ roots }: DatabaseFacts, { installation, values }: Context): Promise<Finding[]> {
  const { libraries } = await installation();
  // One that cannot be read is told among the roots.
  const ownRoots = await libraries.roots(folders(values).roots).catch(() => []);
  const names = new Set(ownRoots.map(({ name }) => name));
  const missing = roots.filter((name) => !names.has(name));
  if (missing.length > 0) {
    return missing.map((name) => ({
      name: 'cluster roots',
      ok: false,
      found: `media of the cluster are in the root ${name}, which this machine does not have`,
      fix: `framehound roots add ${name} FOLDER`,
    }));
  }
  if (names.size > 0) return [{ name: 'cluster roots', ok: true, found: [...names].join(', ') }];
  const found = 'this machine has none, so no other one could find its files';
  return [{ name: 'cluster roots', ok: false, found, fix: 'framehound roots add NAME FOLDER' }];
}

async function folderFinding(
  admin: ClusterAdmin,
  folder: string,
  facts: DatabaseFacts | null,
): Promise<Finding> {
  const name = 'cluster folder';
  const fix =
    'mount the folder that all machines share, writable for this user, and name it with --cluster-folder';
  if (folder === '') return { name, ok: false, found: 'no folder is named', fix };
  let speed = 0;
  const finding = await attempt(
    name,
    async () => {
      const { megabytes_per_second, milliseconds, library } = await admin.tryFolder(folder);
      speed = megabytes_per_second;
      if (library !== null && facts !== null && library !== facts.library)
        throw new Error(`${folder} is the folder of another cluster`);
      return `${folder}, writes ${speed.toFixed(0)} MB/s, a small file in ${milliseconds.toFixed(1)} ms`;
    },
    fix,
  );
  if (!finding.ok || speed >= SLOW) return finding;
  return {
    ...finding,
    lacking: true,
    fix: 'what workers find passes through it: mount it over a faster network',
  };
}
