// The actions of `framehound faces`, as the table of commands has them.

const switchedOn = { type: 'boolean', default: false } as const;
const json = { json: switchedOn };

const clusteringOptions = {
  eps: {
    type: 'string',
    value: 'E',
    help: 'distance within one person, 0 to 2; lower is stricter (0.48)',
  },
  'min-samples': { type: 'string', value: 'N', help: 'similar faces that start a cluster (5)' },
} as const;

/** Of the faces command, in the order in which they are used. */
export const faceActions = {
  analyze: {
    usage: 'JOB PATH...',
    help: 'find faces and cluster them into people; JOB is a name you choose',
    completes: 'file',
    options: {
      ...clusteringOptions,
      sample: {
        type: 'string',
        multiple: true,
        default: [] as string[],
        value: 'NAME=FILE',
        help: 'a picture that names a person (may be repeated, 3 a person)',
      },
      force: { ...switchedOn, help: 'analyse again what is stored' },
      json: { ...switchedOn, help: 'print each event as a line of JSON' },
    },
  },
  list: { usage: '[list] [--json]', help: 'list clusterings', options: json },
  show: {
    usage: 'JOB',
    help: 'print the clusters, and write a page of their faces',
    options: {
      cluster: {
        type: 'string',
        value: 'CLUSTER',
        help: 'only this one, by id or name, with the ids of its faces',
      },
      noise: { ...switchedOn, help: 'also faces outside any cluster' },
      max: {
        type: 'string',
        value: 'N',
        help: 'at most N clusters, or faces of one cluster (100)',
      },
      offset: { type: 'string', value: 'N', help: 'with --cluster: skip the first N faces' },
      'min-faces': { type: 'string', value: 'N', help: 'only clusters of at least N faces' },
      'max-faces': { type: 'string', value: 'N', help: 'only clusters of at most N faces' },
      html: {
        type: 'string',
        value: 'FILE',
        completes: 'file',
        help: 'write the page to this file (in the home folder)',
      },
      open: { ...switchedOn, help: 'open the page in a browser' },
      json: { ...switchedOn, help: 'print JSON, with pictures as base64' },
      previews: { ...switchedOn, row: 'shared, only with it' },
    },
  },
  name: { usage: 'JOB CLUSTER NAME', help: "name a cluster; '' removes the name", options: json },
  merge: {
    usage: 'JOB CLUSTER...',
    help: 'join clusters that are one person',
    options: {
      into: {
        type: 'string',
        value: 'CLUSTER',
        help: 'the cluster to keep (one with a name, else the largest)',
      },
      ...json,
    },
  },
  move: {
    usage: 'JOB FACE...',
    help: 'move faces that are another person',
    options: {
      from: { type: 'string', value: 'CLUSTER', help: 'the cluster they are in' },
      to: { type: 'string', value: 'CLUSTER', help: 'the cluster they belong to' },
      ...json,
    },
  },
  undo: { usage: 'JOB', help: 'undo the last merge or move', options: json },
  recluster: {
    usage: 'JOB',
    help: 'cluster again; names, merges and moves are kept',
    options: {
      eps: { ...clusteringOptions.eps, help: 'as for faces analyze (the last values)' },
      'min-samples': { type: 'string', value: 'N', row: 'shared' },
      auto: { ...switchedOn, help: 'find --eps from the faces' },
      'clear-names': { ...switchedOn, help: 'remove all names' },
      ...json,
    },
  },
  appearances: {
    usage: 'JOB [WHO...]',
    help: 'list in which media people are seen, and when',
    options: json,
  },
} as const;
