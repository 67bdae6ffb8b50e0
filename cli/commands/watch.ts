// `framehound watch`: folders whose media are analysed as they come, and the service that watches them.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { WatchStatus } from '../../actors/watcher/folders/contract.ts';
import type { Client } from '../../http/client/client.ts';
import { commandTable } from '../command-table.ts';
import { agreed, type Command, type Context, exit, requireConsent, usageErrors } from '../context.ts';
import { byAction } from '../help.ts';
import { serviceAt, withService } from '../service.ts';
import { printable } from '../terminal.ts';
import { changesOf, newFolder } from '../watch/folder-options.ts';
import { folderLines, folderMeant, serviceLine, shortId, startHint, statusLines } from '../watch/lines.ts';

// The service that watches: the one at --server, or the one of this machine at its usual address.

/** Where a service of these settings listens, as it is called on this machine. */
export function serviceUrl({ server, host, port }: Context['values']): string {
  if (server !== '') return server;
  if (port === 0)
    throw usageErrors.USAGE('with port 0 the service uses any free port: give its address with --server URL');
  const called = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${called.includes(':') ? `[${called}]` : called}:${port}`;
}

export function withWatcher<T>(context: Context, work: (client: Client) => Promise<T>): Promise<T> {
  return work(serviceAt(serviceUrl(context.values), context).client);
}

const known = commandTable.watch.actions;

const list: Command = async (args, context) => {
  const { values } = parseArgs({ args: [...args], options: known.list.options });
  // Only a service knows how it stands.
  const served = context.values.server !== '';
  return withService(context, 0, async ({ client }) => {
    const { watch_folders: all, service_status } = await client.listWatchFolders();
    if (values.json) {
      context.out(`${JSON.stringify({ watch_folders: all, ...(served && { service_status }) })}\n`);
      return exit.ok;
    }
    for (const folder of all) context.out(folderLines(folder, all, service_status.folder_stats));
    if (all.length === 0)
      context.screen.write('There are no watch folders. To add one: framehound watch add FOLDER\n');
    else {
      const state = served
        ? serviceLine(service_status)
        : 'To see whether they are being watched: framehound watch status';
      context.screen.write(`${state}\n`);
    }
    return exit.ok;
  });
};

const add: Command = async (args, context) => {
  const { options } = known.add;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const path = onlyFolder('add', positionals);
  const { sources, values: settings } = context.config;
  const own = sources.cache_dir === 'flag' || sources.cache_dir === 'environment';
  const cache_dir = own && settings.cache_dir !== '' ? resolve(settings.cache_dir) : null;
  const folder = newFolder(resolve(path), cache_dir, values);
  return withService(context, 0, async ({ client }) => {
    const { watch_folder: added } = await client.addWatchFolder(folder);
    const { watch_folders: all, service_status } = await client.listWatchFolders();
    context.out(values.json ? `${JSON.stringify(added)}\n` : folderLines(added, all));
    const isWatched = context.values.server !== '' && service_status.state !== 'stopped';
    const id = shortId(added.id, all);
    if (!added.enabled)
      context.screen.write(`The folder is disabled. To enable it: framehound watch edit ${id} --enabled\n`);
    else if (!isWatched) context.screen.write(`${whoWatches}\n`);
    return exit.ok;
  });
};

const whoWatches =
  'A running service watches the folder. Start the service with: framehound serve, then, once: framehound watch start';

const edit: Command = async (args, context) => {
  const { options } = known.edit;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const word = onlyFolder('edit', positionals);
  const { sources, values: settings } = context.config;
  const elsewhere = sources.cache_dir === 'flag';
  const usual = values['default-cache-dir'];
  if (elsewhere && usual) throw usageErrors.USAGE('--cache-dir and --default-cache-dir cannot be combined');
  const into = elsewhere ? { cache_dir: resolve(settings.cache_dir) } : usual ? { cache_dir: null } : {};
  return withService(context, 0, async ({ client }) => {
    const { id, ...current } = folderMeant((await client.listWatchFolders()).watch_folders, word);
    const changes = { ...changesOf(current, values), ...into };
    if (Object.keys(changes).length === 0) {
      throw usageErrors.USAGE(
        'watch edit needs an option that says what to change; see: framehound help watch',
      );
    }
    const { watch_folder: changed } = await client.changeWatchFolder({ ...changes, id });
    const { watch_folders: all, service_status } = await client.listWatchFolders();
    const lines = folderLines(changed, all, service_status.folder_stats);
    context.out(values.json ? `${JSON.stringify(changed)}\n` : lines);
    return exit.ok;
  });
};

const remove: Command = async (args, context) => {
  const { options } = known.remove;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const word = onlyFolder('remove', positionals);
  requireConsent(values, context);
  return withService(context, 0, async ({ client }) => {
    const all = (await client.listWatchFolders()).watch_folders;
    const folder = folderMeant(all, word);
    const path = printable(folder.folder_path);
    if (!values.yes && !values['dry-run']) {
      context.screen.write(folderLines(folder, all));
      const sure = await agreed(context, 'Stop watching this folder? Its footage and analysis are kept.');
      if (!sure) return exit.cancelled;
    }
    if (!values['dry-run']) await client.removeWatchFolder({ id: folder.id });
    const would = values['dry-run'] ? 'would no longer be' : 'is no longer';
    const answer = { dry_run: values['dry-run'], removed: folder };
    context.out(
      values.json
        ? `${JSON.stringify(answer)}\n`
        : `${path} ${would} watched; its footage and analysis are kept\n`,
    );
    return exit.ok;
  });
};

function onlyFolder(action: string, [folder, ...others]: readonly string[]): string {
  if (folder !== undefined && folder !== '' && others.length === 0) return folder;
  const which = action === 'add' ? 'the path of one folder' : 'one folder, by path or id';
  throw usageErrors.USAGE(`watch ${action} needs ${which}; see: framehound watch list`);
}

/** Only a running service watches. */
const serviceCommand = (
  ask: (client: Client) => Promise<{ readonly service_status: WatchStatus }>,
  hint: (status: WatchStatus) => string,
) => {
  const command: Command = async (args, context) => {
    const { values } = parseArgs({ args: [...args], options: known.start.options });
    return withWatcher(context, async (client) => {
      const { service_status: status } = await ask(client);
      context.out(values.json ? `${JSON.stringify(status)}\n` : `${serviceLine(status)}\n`);
      const more = hint(status);
      if (more !== '') context.screen.write(`${more}\n`);
      return exit.ok;
    });
  };
  return command;
};

const start = serviceCommand(
  (client) => client.startWatching(),
  ({ folder_stats }) =>
    Object.keys(folder_stats).length === 0
      ? 'There are no watch folders. To add one: framehound watch add FOLDER'
      : '',
);

const stop = serviceCommand(
  (client) => client.stopWatching(),
  ({ state }) =>
    state === 'stopping'
      ? 'Files in progress will be finished first. To follow that: framehound watch status'
      : '',
);

const status: Command = async (args, context) => {
  const { values } = parseArgs({ args: [...args], options: known.status.options });
  return withWatcher(context, async (client) => {
    const answer = await client.listWatchFolders();
    context.out(values.json ? `${JSON.stringify(answer.service_status)}\n` : statusLines(answer));
    const hint = startHint(answer.service_status);
    if (hint !== '') context.screen.write(`${hint}\n`);
    return exit.ok;
  });
};

const actions: Readonly<Record<string, Command>> = { list, add, edit, remove, start, stop, status };

export const watch: Command = byAction('watch', actions, 'list');
