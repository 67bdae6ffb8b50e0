// Texts and options about clusters: those of `serve` and `doctor`, and the command for nodes.
import { roles } from '../actors/cluster/contract.ts';

const json = { json: { type: 'boolean', default: false } } as const;

/** Options of `framehound serve`. */
export const joiningOptions = {
  cluster: { type: 'string', value: 'URL', help: 'join a cluster: its database, postgres://...' },
  'cluster-folder': {
    type: 'string',
    value: 'DIR',
    completes: 'folder',
    help: 'folder that all of its machines share',
  },
  roles: {
    type: 'string',
    value: 'ROLE,...',
    completes: roles,
    help: 'front, worker or both (both); only a worker analyses',
  },
} as const;

const { 'cluster-folder': sharedFolder } = joiningOptions;

/** Options of `framehound doctor`. */
export const checkedCluster = {
  cluster: { type: 'string', value: 'URL', help: 'check this cluster, too, and its folder' },
  'cluster-folder': sharedFolder,
} as const;

const askedCluster = {
  cluster: { type: 'string', value: 'URL', help: 'this cluster, by its database, not that of the settings' },
} as const;
const listed = { ...json, ...askedCluster } as const;

export const clusterCommand = {
  help: 'show and drain the machines of a cluster',
  options: listed,
  actions: {
    status: { usage: '[status] [--json]', help: 'list the nodes and what each does', options: listed },
    drain: {
      usage: 'NODE',
      help: 'give a node no further files; it finishes those that it has',
      options: {
        end: { type: 'boolean', default: false, help: 'give it files again' },
        ...askedCluster,
      },
    },
    remove: {
      usage: 'NODE',
      help: 'forget a node that does not run any more',
      options: askedCluster,
    },
  },
} as const;
