// `framehound roots`: folders of footage with a name, so that a library moves by saying where they are now;
// and `framehound library`: an analysis folder as files for another disk or machine.
import { resolve } from 'node:path';
import type { ClusterAdmin } from '../../actors/cluster/contract.ts';
import type { Root } from '../../actors/index/roots/contract.ts';
import type { LibraryTransfer, Manifest, Transferred } from '../../actors/library/transfer/contract.ts';
import { engineErrors } from '../../runtime/errors.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { argumentsOf, type Command, type Context, exit, flagsOf, only, usageErrors } from '../context.ts';
import { byAction, unknownAction } from '../help.ts';
import { withService } from '../service.ts';
import { bar, printable } from '../terminal.ts';
import { databaseAddress, withCluster } from './cluster.ts';

const table = commandTable.roots.actions;

const list: Command = async (args, context) => {
  const values = flagsOf(table.list, args);
  return withService(context, 0, async ({ client }) => {
    const answer = await client.listRoots();
    if (values.json) context.out(`${JSON.stringify(answer.roots)}\n`);
    else for (const root of answer.roots) context.out(rootLine(root));
    if (answer.roots.length === 0)
      context.screen.write('There are no roots. To add one: framehound roots add NAME FOLDER\n');
    return exit.ok;
  });
};

const add: Command = (args, context) =>
  change('add', args, context, ({ client }, [name, folder], cache_dir) =>
    client.addRoot({ name, folder: resolve(folder), cache_dir }),
  );

const move: Command = (args, context) =>
  change('move', args, context, ({ client }, [name, folder], cache_dir) =>
    client.moveRoot({ name, folder: resolve(folder), cache_dir }),
  );

type Service = Parameters<Parameters<typeof withService>[2]>[0];

function change(
  action: 'add' | 'move',
  args: readonly string[],
  context: Context,
  request: (
    service: Service,
    names: readonly [string, string],
    cacheDir: string,
  ) => Promise<{ readonly message: string; readonly root: Root }>,
): Promise<number> {
  const { values, positionals } = argumentsOf(table[action], args);
  const [name, folder, ...others] = positionals;
  if (name === undefined || folder === undefined || others.length > 0)
    throw usageErrors.USAGE(`roots ${action} needs a name and a folder`);
  return withService(context, 0, async (service) => {
    const { root } = await request(service, [name, folder], folders(context.values).cache);
    context.out(values.json ? `${JSON.stringify(root)}\n` : rootLine(root));
    return exit.ok;
  });
}

const remove: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.remove, args);
  const name = only(positionals, 'roots remove needs one name');
  return withService(context, 0, async ({ client }) => {
    const answer = await client.removeRoot({ name });
    context.out(values.json ? `${JSON.stringify(answer)}\n` : `${answer.message}\n`);
    return exit.ok;
  });
};

const actions: Readonly<Record<string, Command>> = { list, add, move, remove };

export const roots: Command = byAction('roots', actions, 'list');

function rootLine({ name, folder, away }: Root): string {
  const state = away === null ? '' : `  (away: ${printable(away)})`;
  return `${name.padEnd(18)} ${printable(folder)}${state}\n`;
}

// An analysis folder is copied in this process: it takes no engine, and nothing is analysed.

export const library: Command = async (args, context) => {
  const [action = '', ...parameters] = args;
  if (action !== 'export' && action !== 'import') throw unknownAction('library', action);
  const { values, positionals } = argumentsOf(commandTable.library.actions[action], parameters);
  const folder = only(positionals, `library ${action} needs one folder`);
  if (context.values.server !== '' && context.config.sources.server === 'flag') {
    throw usageErrors.USAGE(`library ${action} copies folders of this machine: leave out --server`);
  }
  const installation = await context.installation();
  const { home, roots: rootsFile, cache: cacheDir } = folders(context.values);
  const url = databaseAddress(undefined, context.values);
  const view = progressView(context);
  const transfer: LibraryTransfer = {
    cacheDir,
    folder: resolve(folder),
    home,
    roots: rootsFile,
    progress: view.progress,
    signal: context.signal,
  };
  let transferred: Transferred;
  try {
    transferred = await (action === 'import' && url !== ''
      ? importForAll(context, transfer)
      : installation.libraries[action](transfer));
  } catch (error) {
    if (!context.signal.aborted) throw error;
    const again = 'the same command continues where it stopped';
    throw engineErrors.CANCELLED(`The library was not ${action}ed completely; ${again}`, {}, error);
  } finally {
    view.end();
  }
  const target =
    action === 'export' ? transfer.folder : url === '' ? cacheDir : 'every machine of the cluster';
  const into = `${action}ed to ${printable(target)}`;
  const isWhole = tell(context, transferred, into, values.json);
  if (action === 'import' && !values.json) await writeRoots(context, transferred.manifest);
  return isWhole ? exit.ok : exit.someFailed;
};

async function importForAll(context: Context, transfer: LibraryTransfer): Promise<Transferred> {
  const shared = context.values.cluster_folder;
  if (shared === '')
    throw usageErrors.USAGE(
      'set FRAMEHOUND_CLUSTER_FOLDER to the folder that the machines of the cluster share',
    );
  const work = (admin: ClusterAdmin) => admin.importLibrary(resolve(shared), transfer);
  return { manifest: await withCluster(context, undefined, work), merged: null };
}

/** False when something was left out. */
function tell(
  { out, screen }: Context,
  { manifest, merged }: Transferred,
  into: string,
  json: boolean,
): boolean {
  const { roots, missing, files } = manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const isWhole = missing.length === 0 && (merged?.different.length ?? 0) === 0;
  if (json) {
    out(`${JSON.stringify({ files: files.length, bytes, roots, missing, ...(merged && { merged }) })}\n`);
    return isWhole;
  }
  const media = merged && `${merged.imported} media, ${merged.known} more were already there,`;
  out(`${media ?? `${files.length} files, ${(bytes / 1e6).toFixed(1)} MB`} ${into}\n`);
  for (const place of missing)
    screen.write(`✗ ${printable(place)} is missing; its media count as not analysed\n`);
  for (const path of merged?.different ?? [])
    screen.write(`✗ ${printable(path)} was left out: another content has the same hash here\n`);
  for (const name of merged?.clusterings ?? [])
    screen.write(
      `– clustering ${printable(name)} was left out: there is one of this name; cluster it again\n`,
    );
  return isWhole;
}

/** Prints the remaining steps until the media are found on this machine. */
async function writeRoots({ installation, values, screen }: Context, { roots }: Manifest): Promise<void> {
  const { libraries } = await installation();
  const here = new Set((await libraries.roots(folders(values).roots)).map(({ name }) => name));
  for (const { name, stored_as } of roots.filter((root) => !here.has(root.name))) {
    screen.write(
      `The library has the root ${name}, which was at ${printable(stored_as)}. To say where it is here: framehound roots add ${name} FOLDER\n`,
    );
  }
}

/** On a terminal one line that is drawn again; elsewhere nothing. */
function progressView({ screen }: Context) {
  let [drawn, last] = [false, -1];
  return {
    progress: (done: number, total: number) => {
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
      if (!screen.isTerminal || percent === last) return;
      [drawn, last] = [true, percent];
      screen.write(`\r\x1b[K  ${bar(percent / 100, 24)} ${percent} %`);
    },
    end: () => {
      if (drawn) screen.write('\n');
    },
  };
}
