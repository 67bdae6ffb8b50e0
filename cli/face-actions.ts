// The actions of `framehound faces`, as the table of commands has them.

const switchedOn = { type: 'boolean', default: false } as const;
const json = { json: switchedOn };

const clusteringOptions = {
  eps: {
    type: 'string',
    value: 'E',
    help: 'how unlike faces of one person may be, 0 to 2, lower is stricter (0.48); how many begin a cluster (5)',
  },
  'min-samples': { type: 'string', value: 'N', row: 'shared' },
} as const;

/** Of the faces command, in the order in which they are used. */
export const faceActions = {
  analyze: {
    usage: 'JOB PATH...',
    help: 'find faces in films and stills, and cluster them into people; JOB: a name you choose',
    completes: 'file',
    options: {
      ...clusteringOptions,
      sample: {
        type: 'string',
        multiple: true,
        default: [] as string[],
        value: 'NAME=FILE',
        help: 'a picture of one person, whose cluster gets the name (up to 3 a person)',
      },
      force: { ...switchedOn, help: 'redo what is stored already; tell each event as a line of JSON' },
      json: { ...switchedOn, row: 'shared' },
    },
  },
  list: { usage: '[list] [--json]', help: 'the clusterings there are', options: json },
  show: {
    usage: 'JOB',
    help: 'the clusters, and a page with their faces',
    options: {
      cluster: {
        type: 'string',
        value: 'CLUSTER',
        help: 'only this one, by id or name, with the ids of its faces, which move takes',
      },
      noise: { ...switchedOn, help: 'also the faces in no cluster' },
      max: {
        type: 'string',
        value: 'N',
        help: 'how many clusters, or faces of one (100); of one, how many to leave out first',
      },
      offset: { type: 'string', value: 'N', row: 'shared' },
      'min-faces': { type: 'string', value: 'N', help: 'only clusters of such a size' },
      'max-faces': { type: 'string', value: 'N', row: 'shared' },
      html: {
        type: 'string',
        value: 'FILE',
        completes: 'file',
        help: 'where to write the page (the home folder)',
      },
      open: { ...switchedOn, help: 'show the page in a browser' },
      json: { ...switchedOn, help: 'answer as JSON, with pictures as base64' },
      previews: { ...switchedOn, row: 'shared, only with it' },
    },
  },
  name: { usage: 'JOB CLUSTER NAME', help: "say who it is; '' takes the name away", options: json },
  merge: {
    usage: 'JOB CLUSTER...',
    help: 'say that clusters are one person',
    options: {
      into: {
        type: 'string',
        value: 'CLUSTER',
        help: 'the one that stays (one with a name, or the largest)',
      },
      ...json,
    },
  },
  move: {
    usage: 'JOB FACE...',
    help: 'say that faces are another person',
    options: {
      from: { type: 'string', value: 'CLUSTER', help: 'where they are, and where they belong' },
      to: { type: 'string', value: 'CLUSTER', row: 'shared' },
      ...json,
    },
  },
  undo: { usage: 'JOB', help: 'take the last merge or move back', options: json },
  recluster: {
    usage: 'JOB',
    help: 'cluster again; names, merges and moves hold',
    options: {
      eps: { ...clusteringOptions.eps, help: 'as for faces analyze (those of the last time)' },
      'min-samples': clusteringOptions['min-samples'],
      auto: { ...switchedOn, help: 'find --eps from the faces themselves; take all names away' },
      'clear-names': { ...switchedOn, row: 'shared' },
      ...json,
    },
  },
  appearances: { usage: 'JOB [WHO...]', help: 'in which media people are seen, and when', options: json },
} as const;
