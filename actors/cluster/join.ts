// The tasks of an engine: its own, or those of the cluster that it joins. What belongs to a cluster is loaded
// here and nowhere else, and only for a service that is told of one.

import { type HomeFiles, ownFiles } from '../../runtime/files/home-files.ts';
import { redirected } from '../../runtime/redirected.ts';
import { folders, type SettingValues } from '../../settings.ts';
import type { Tasks } from '../analysis/contract.ts';
import { openTasks } from '../analysis/tasks/tasks.ts';
import type { Cluster, ClusterChoice } from './contract.ts';
import type { ClusterParts } from './open.ts';

type Index = ClusterParts['index'];
/** Parts that a program which hosts the engine adds; one that runs a single command has none. */
type Hosted = 'signal' | 'onCutOff';

/** The index for coordinators, see `Cluster.index`. `cluster`: the one that was joined. */
export function indexIn(choice: ClusterChoice | null, index: Index, cluster: () => Cluster | null): Index {
  if (choice === null) return index;
  return redirected(index, (name, request, options) =>
    (cluster()?.index ?? index).ask(name, request, options),
  );
}

/** The files of the home folder for whoever changes them. */
export function filesIn(choice: ClusterChoice | null, cluster: () => Cluster | null): HomeFiles {
  if (choice === null) return ownFiles;
  const change: HomeFiles['change'] = (lock, options, edit) =>
    (cluster()?.home ?? ownFiles).change(lock, options, edit);
  return { change };
}

/** `choice`: null for an engine that is in no cluster. Errors as `openCluster`. */
export async function joinCluster(
  choice: ClusterChoice | null,
  values: SettingValues,
  parts: Omit<ClusterParts, 'local' | Hosted> & Partial<Pick<ClusterParts, Hosted>>,
): Promise<{ readonly tasks: Tasks; readonly cluster: Cluster | null }> {
  const local = openTasks(folders(values).tasks, parts);
  if (choice === null) return { tasks: local, cluster: null };
  const { openCluster } = await import('./open.ts');
  const host = { signal: new AbortController().signal, onCutOff: () => {} };
  const cluster = await openCluster(choice, values, { ...host, ...parts, local });
  return { tasks: cluster.tasks, cluster };
}
