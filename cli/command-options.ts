// Options and actions of commands that have many, for the table of commands. Defaults are in each command.
import { presets, priorityHints } from '../actors/summarizer/contract.ts';
import { clusterCommand, joiningOptions } from './cluster-options.ts';

export const switchedOn = { type: 'boolean', default: false } as const;
export const json = { json: switchedOn };

export const many = { type: 'string', multiple: true, default: [] as string[] } as const;

export const speechOptions = {
  language: { type: 'string', value: 'L', help: 'spoken language: english, de, pt-BR, … or auto (auto)' },
  speakers: {
    type: 'string',
    value: 'auto|none|N|5+',
    completes: ['auto', 'none', '1', '2', '3', '4', '5+'],
    help: 'number of speakers (auto)',
  },
  channels: {
    type: 'string',
    value: '1,2',
    help: 'transcribe these channels separately instead of a mix',
  },
  with: {
    type: 'string',
    value: 'MODEL',
    completes: [
      'auto',
      'faster',
      'more accurate',
      'x3-asr-0.6b',
      'x3-asr-1.7b',
      'subtitles',
      'subtitles if any',
    ],
    help: 'speech model: auto, faster, more accurate, x3-asr-0.6b, x3-asr-1.7b, subtitles or subtitles if any',
  },
} as const;

const clusteringOptions = {
  eps: {
    type: 'string',
    value: 'E',
    help: 'distance within one person, 0 to 2; lower is stricter (0.48)',
  },
  'min-samples': { type: 'string', value: 'N', help: 'similar faces that start a cluster (2)' },
} as const;

// The actions of `framehound watch`.

export const filterValue = "'FACET OPERATOR VALUE|VALUE'";

/** How speech and faces are analysed, where they are. */
const ways = {
  ...clusteringOptions,
  ...speechOptions,
  channels: { ...speechOptions.channels, value: '1,2|mixed' },
} as const;

const { eps, 'min-samples': minSamples, language, speakers, channels, with: model } = ways;

const addOptions = {
  'no-pictures': { ...switchedOn, help: 'do not analyse pictures' },
  speech: { ...switchedOn, help: 'transcribe' },
  faces: { type: 'string', value: 'JOB', help: 'find faces, in the clustering of this name' },
  ...ways,
  'exclude-extension': { ...many, value: '.EXT', help: 'skip files with this extension (may be repeated)' },
  'exclude-file': { ...many, value: 'GLOB', help: 'skip files by name, such as *_proxy.*' },
  'exclude-folder': {
    ...many,
    value: 'GLOB',
    help: 'skip folders by name at any depth, or by path: day*/proxies',
  },
  filter: {
    ...many,
    value: filterValue,
    help: "only matching files: 'technical.orientation is_not portrait'",
  },
  disabled: { ...switchedOn, help: 'do not watch it yet' },
  json: { ...switchedOn, help: 'print JSON' },
} as const;

/** Opposites beside each other. */
const editOptions = {
  pictures: { ...switchedOn, help: 'analyse pictures, or not' },
  'no-pictures': { ...switchedOn, row: 'shared' },
  speech: { ...switchedOn, help: 'transcribe, or not' },
  'no-speech': { ...switchedOn, row: 'shared' },
  faces: { type: 'string', value: 'JOB', help: 'find faces, or not' },
  'no-faces': { ...switchedOn, row: 'shared' },
  eps: { ...eps, help: 'as for watch add' },
  'min-samples': { type: minSamples.type, value: minSamples.value, row: 'shared' },
  language: { type: language.type, value: language.value, row: 'shared' },
  speakers: { type: speakers.type, value: speakers.value, completes: speakers.completes, row: 'shared' },
  channels: { type: channels.type, value: channels.value, row: 'shared' },
  with: { type: model.type, value: model.value, completes: model.completes, row: 'shared' },
  'exclude-extension': { ...many, value: '.EXT', help: 'add or remove an exclusion by extension' },
  'include-extension': { ...many, value: '.EXT', row: 'shared' },
  'exclude-file': { ...many, value: 'GLOB', help: '… by file name' },
  'include-file': { ...many, value: 'GLOB', row: 'shared' },
  'exclude-folder': { ...many, value: 'GLOB', help: '… by folder name or path' },
  'include-folder': { ...many, value: 'GLOB', row: 'shared' },
  filter: {
    ...many,
    value: filterValue,
    help: 'replace the filters, or remove them',
  },
  'no-filter': { ...switchedOn, row: 'shared' },
  'default-cache-dir': {
    ...switchedOn,
    help: 'use the default analysis folder; --cache-dir: another one',
  },
  enabled: { ...switchedOn, help: 'watch it, or not' },
  disabled: { ...switchedOn, row: 'shared' },
  json: { ...switchedOn, help: 'print JSON' },
} as const;

export const watchActions = {
  list: { usage: '[list] [--json]', help: 'list watched folders', options: json },
  add: {
    usage: 'FOLDER',
    help: 'watch a folder and everything in it, into --cache-dir',
    completes: 'folder',
    options: addOptions,
  },
  edit: {
    usage: 'FOLDER',
    help: 'change settings; FOLDER is a path, an id or the start of one',
    completes: 'folder',
    options: editOptions,
  },
  remove: {
    usage: 'FOLDER',
    help: 'stop watching it; footage and analysis stay',
    completes: 'folder',
    options: {
      yes: { ...switchedOn, help: 'do not ask' },
      'dry-run': { ...switchedOn, help: 'only print what would be done' },
      ...json,
    },
  },
  start: {
    usage: '[--json]',
    help: 'start watching, in the running service or the one at --server',
    options: json,
  },
  stop: { usage: '[--json]', help: 'stop watching; files in progress are finished', options: json },
  status: { usage: '[--json]', help: 'show state, progress and failures', options: json },
} as const;

/** The actions of `framehound faces`, in the order in which they are used. */
export const faceActions = {
  analyze: {
    usage: 'JOB PATH...',
    help: 'find faces and cluster them into people; JOB is a name you choose',
    completes: 'file',
    options: {
      ...clusteringOptions,
      sample: {
        ...many,
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
    help: 'print the clusters',
    options: {
      cluster: {
        type: 'string',
        value: 'CLUSTER',
        help: 'only this one, by id or name, with its faces: their ids, files and times',
      },
      noise: { ...switchedOn, help: 'also faces in no cluster, with the same' },
      max: {
        type: 'string',
        value: 'N',
        help: 'at most N clusters, or faces of one cluster (100)',
      },
      offset: { type: 'string', value: 'N', help: 'with --cluster: skip the first N faces' },
      'min-faces': { type: 'string', value: 'N', help: 'only clusters of at least N faces' },
      'max-faces': { type: 'string', value: 'N', help: 'only clusters of at most N faces' },
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
    help: 'move faces that are another person, or in no cluster',
    options: {
      from: { type: 'string', value: 'CLUSTER', help: 'the cluster they are in (none)' },
      to: { type: 'string', value: 'CLUSTER', help: 'the cluster they belong to (a new one)' },
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

// The commands of the service, its page and its keys.

export const serviceCommands = {
  open: {
    usage: '',
    help: 'open the page in a browser; starts a service if none runs',
    options: {
      print: {
        ...switchedOn,
        help: 'only print the address; it works once, within a minute',
      },
    },
  },
  serve: {
    usage: '',
    help: 'serve REST, Socket.IO and the page until stopped',
    settings: { usage: '--host NAME --port N', help: 'address to listen on (127.0.0.1, 6699)' },
    options: {
      'no-guardian': {
        ...switchedOn,
        help: 'run in this process, for debugging; no restart after a crash',
      },
      ...joiningOptions,
    },
  },
  mcp: {
    usage: '',
    help: 'serve an assistant (MCP) over standard input and output',
    options: {},
  },
  stop: { usage: '', help: 'stop the service of this home folder' },
  cluster: clusterCommand,
  license: {
    help: 'issue, list and revoke access keys of the service',
    actions: {
      issue: {
        usage: '',
        help: 'make a key and print it',
        options: {
          tier: {
            type: 'string',
            value: 'pro|basic',
            completes: ['pro', 'basic'],
            help: 'tier of the key; the service requires pro',
          },
          name: { type: 'string', default: '', value: 'NAME', help: 'whose key it is' },
          days: { type: 'string', value: 'D', help: 'expires after D days (never)' },
        },
      },
      list: { usage: '[--json]', help: 'list the keys of this machine, without their text', options: json },
      revoke: { usage: 'ID|KEY', help: 'revoke a key; a running service then refuses it' },
    },
  },
} as const;

// The options of `framehound summary`, and those of `analyze` that ask for summaries.

export const summaryOptions = {
  analysis: {
    type: 'string',
    value: 'NAME|ID',
    help: 'one of several summaries of a file (the latest)',
  },
  collection: { type: 'string', value: 'NAME|ID', help: 'every summary of a collection, instead of files' },
  list: { ...switchedOn, help: 'list summaries: of files, of a collection, or all' },
  find: {
    type: 'string',
    value: 'WORDS',
    help: 'find texts that contain the words; at most N (50)',
  },
  max: { type: 'string', value: 'N', row: 'shared, only with it' },
  node: { type: 'string', value: 'ID', help: 'start at this node' },
  depth: { type: 'string', value: 'N', help: 'N levels below it (all)' },
  evidence: { ...switchedOn, help: 'also show what the texts were made from' },
  markdown: { ...switchedOn, help: 'print Markdown' },
  json: { ...switchedOn, help: 'print the whole tree as JSON, a line for each summary' },
  vtt: {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    help: 'write chapters as WebVTT, of level --depth (1); - prints them',
  },
  delete: { ...switchedOn, help: 'remove the summaries; do not ask; only print what would be done' },
  yes: { ...switchedOn, row: 'shared, only with it' },
  'dry-run': { ...switchedOn, row: 'shared, only with it' },
} as const;

export const summaryRequestOptions = {
  summary: { ...switchedOn, help: 'also summarise them' },
  'summary-preset': {
    type: 'string',
    value: 'P',
    completes: presets,
    help: 'purpose of the summary (general_understanding)',
  },
  'summary-hint': {
    ...many,
    value: 'H',
    completes: priorityHints,
    help: 'what else matters (may be repeated)',
  },
  'summary-instructions': { type: 'string', value: 'TEXT', help: 'purpose of the summary in your own words' },
  'summary-model': { type: 'string', value: 'KEY', help: 'the language model (the recommended one)' },
  'summary-name': {
    type: 'string',
    value: 'NAME',
    help: 'name of the summaries (the preset)',
  },
  collection: { type: 'string', value: 'NAME', help: 'collection to add them to' },
} as const;

// The commands for libraries that move.

export const movingCommands = {
  roots: {
    help: 'name folders of footage, and say where they are now',
    options: json,
    actions: {
      list: { usage: '', help: 'list roots, and which are away', options: json },
      add: {
        usage: 'NAME FOLDER',
        help: 'name a folder; what is analysed in it belongs to it too',
        completes: 'folder',
        options: json,
      },
      move: {
        usage: 'NAME FOLDER',
        help: 'say where the footage is now, on this or another machine',
        completes: 'folder',
        options: json,
      },
      remove: { usage: 'NAME', help: 'remove a root; its media keep their paths', options: json },
    },
  },
  library: {
    help: 'carry an analysis folder to another disk or machine',
    actions: {
      export: {
        usage: 'DIR',
        help: 'copy the analysis folder to DIR, with checksums',
        completes: 'folder',
        options: json,
      },
      import: {
        usage: 'DIR',
        help: 'bring such a copy into the analysis folder',
        completes: 'folder',
        options: json,
      },
    },
  },
} as const;
