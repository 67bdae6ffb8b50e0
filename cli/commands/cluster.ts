// `framehound cluster`: the nodes of the cluster of the settings, as its database knows them.
import {
  type ClusterAdmin,
  type ClusterNode,
  type ClusterStatus,
  silentSeconds,
} from '../../actors/cluster/contract.ts';
import { commandTable } from '../command-table.ts';
import {
  argumentsOf,
  type Command,
  type Context,
  exit,
  flagsOf,
  keptAlive,
  only,
  usageErrors,
} from '../context.ts';
import { byAction } from '../help.ts';
import { printable } from '../terminal.ts';

const table = commandTable.cluster.actions;

const status: Command = async (args, context) => {
  const values = flagsOf(table.status, args);
  return withCluster(context, values.cluster, async (admin) => {
    const state = await admin.status();
    context.out(values.json ? `${JSON.stringify(state)}\n` : statusText(state));
    return exit.ok;
  });
};

const drain: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.drain, args);
  const node = only(positionals, 'cluster drain needs the id of one node');
  return withCluster(context, values.cluster, async (admin) => {
    await admin.drain(node, !values.end);
    context.out(values.end ? `${node} takes files again\n` : `${node} takes no further files\n`);
    return exit.ok;
  });
};

const remove: Command = async (args, context) => {
  const { values, positionals } = argumentsOf(table.remove, args);
  const node = only(positionals, 'cluster remove needs the id of one node');
  return withCluster(context, values.cluster, async (admin) => {
    await admin.remove(node);
    context.out(`${node} is no node of the cluster any more\n`);
    return exit.ok;
  });
};

const actions: Readonly<Record<string, Command>> = { status, drain, remove };

export const cluster: Command = byAction('cluster', actions, 'status');

/** Address from the command line, else from the settings; empty if neither names a cluster. */
export function databaseAddress(
  given: string | undefined,
  { cluster: set }: Pick<Context['values'], 'cluster'>,
): string {
  const url = given ?? set;
  if (url !== '' && !/^postgres(ql)?:\/\/\S+$/.test(url))
    throw usageErrors.USAGE('--cluster must be an address that begins with postgres://');
  return url;
}

/** `given`: the address from the command line. */
export async function withCluster<T>(
  { installation, values, clock }: Context,
  given: string | undefined,
  work: (admin: ClusterAdmin) => Promise<T>,
): Promise<T> {
  const url = databaseAddress(given, values);
  if (url === '') {
    throw usageErrors.USAGE(
      'no cluster is named: set FRAMEHOUND_CLUSTER to the address of its database, or use --cluster',
    );
  }
  const admin = await (await installation()).cluster(url, clock);
  return keptAlive(work(admin).finally(() => admin.close()));
}

function statusText({ nodes, changes, ...counts }: ClusterStatus): string {
  const { queued_jobs, active_jobs, failed_jobs } = counts;
  const jobs = `${queued_jobs} jobs wait, ${active_jobs} are at work, ${failed_jobs} were given up`;
  const isOneOfSeveral = ({ id, name }: ClusterNode) =>
    nodes.some((node) => node.name === name && node.id !== id);
  const lines = nodes.map((node) => nodeText(node, isOneOfSeveral(node)));
  return `${lines.join('')}${changes} changes; ${jobs}\n`;
}

/** `isOneOfSeveral`: of its machine, so its home folder is named. */
function nodeText(node: ClusterNode, isOneOfSeveral: boolean): string {
  const { id, name, home, roles, seen_seconds, behind, draining, working, unreadable_roots } = node;
  const isSilent = seen_seconds > silentSeconds;
  const state = isSilent
    ? `not seen for ${Math.round(seen_seconds)} s`
    : behind === 0
      ? 'up to date'
      : `${behind} changes behind`;
  const drained = draining ? ', takes no files' : '';
  const work = working.length === 0 || isSilent ? '' : `, analyses ${printable(working.join(', '))}`;
  const lacks =
    unreadable_roots.length === 0 ? '' : `, cannot read ${printable(unreadable_roots.join(', '))}`;
  const place = isOneOfSeveral ? `, in ${printable(home)}` : '';
  return `${id.slice(0, 8)}  ${printable(name).padEnd(16)} ${roles.join().padEnd(13)} ${state}${drained}${lacks}${work}${place}\n`;
}
