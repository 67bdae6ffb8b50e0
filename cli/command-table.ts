// The commands of the terminal, declared once: the help, the completion scripts and what the commands parse
// are read off this table. The settings that every command takes are in settings.ts.

import { roles } from '../actors/cluster/contract.ts';
import { documentFormats } from '../actors/exporter/contract.ts';
import { sidecarFormats } from '../actors/exporter/sidecars/contract.ts';
import { timelineFormats } from '../actors/exporter/timeline/contract.ts';
import { setupKindNames } from '../actors/models/advice.ts';
import { presets, priorityHints } from '../actors/summarizer/contract.ts';
import { webhookEvents } from '../events/webhooks/contract.ts';

interface Option {
  /** `type`, `multiple` and `default`: as `parseArgs` of Node takes them. */
  readonly type: 'boolean' | 'string';
  readonly multiple?: boolean;
  readonly default?: boolean | string | string[];
  /** Name of its value in the help; required for an option that is a string. */
  readonly value?: string;
  readonly completes?: Completion;
  /** Its row in the help. Without it, the usage of its command names it, or the row of another one. */
  readonly help?: string;
  /** Shown in the row of the option before it. */
  readonly row?: 'shared' | 'shared, only with it';
}

/** Paths of files, of folders, or one of these words. */
export type Completion = 'file' | 'folder' | readonly string[];
export type Options = Readonly<Record<string, Option>>;

/** A command, or one of the actions a command knows by a word of their own. */
export interface Action {
  /** Text after its name in the help; without it the help has no separate line for it. */
  readonly usage?: string;
  readonly help: string;
  readonly options?: Options;
  readonly completes?: Completion;
  /** Flags of settings worth a row here, and the text of that row. */
  readonly settings?: { readonly usage: string; readonly help: string };
  readonly actions?: Readonly<Record<string, Action>>;
}

const switchedOn = { type: 'boolean', default: false } as const;
const json = { json: switchedOn };

const many = { type: 'string', multiple: true, default: [] as string[] } as const;

const speechOptions = {
  language: { type: 'string', value: 'L', help: 'spoken language: english, de, pt-BR, … or auto (auto)' },
  speakers: {
    type: 'string',
    value: 'auto|none|N|5+',
    completes: ['auto', 'none', '1', '2', '3', '4', '5+'],
    help: 'number of speakers (auto)',
  },
  channels: { type: 'string', value: '1,2', help: 'transcribe these channels separately instead of a mix' },
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
  eps: { type: 'string', value: 'E', help: 'distance within one person, 0 to 2; lower is stricter (0.48)' },
  'min-samples': { type: 'string', value: 'N', help: 'similar faces that start a cluster (2)' },
} as const;

// The actions of `framehound watch`.

const filterValue = "'FACET OPERATOR VALUE|VALUE'";

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
  filter: { ...many, value: filterValue, help: 'replace the filters, or remove them' },
  'no-filter': { ...switchedOn, row: 'shared' },
  'default-cache-dir': { ...switchedOn, help: 'use the default analysis folder; --cache-dir: another one' },
  enabled: { ...switchedOn, help: 'watch it, or not' },
  disabled: { ...switchedOn, row: 'shared' },
  json: { ...switchedOn, help: 'print JSON' },
} as const;

const watchActions = {
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
const faceActions = {
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
      max: { type: 'string', value: 'N', help: 'at most N clusters, or faces of one cluster (100)' },
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

// Texts and options about clusters: those of `serve` and `doctor`, and the command for nodes.

/** Options of `framehound serve`. */
const joiningOptions = {
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
const checkedCluster = {
  cluster: { type: 'string', value: 'URL', help: 'check this cluster, too, and its folder' },
  'cluster-folder': sharedFolder,
} as const;

const askedCluster = {
  cluster: { type: 'string', value: 'URL', help: 'this cluster, by its database, not that of the settings' },
} as const;
const listed = { ...json, ...askedCluster } as const;

const clusterCommand = {
  help: 'show and drain the machines of a cluster',
  options: listed,
  actions: {
    status: { usage: '[status] [--json]', help: 'list the nodes and what each does', options: listed },
    drain: {
      usage: 'NODE',
      help: 'give a node no further files; it finishes those that it has',
      options: { end: { type: 'boolean', default: false, help: 'give it files again' }, ...askedCluster },
    },
    remove: { usage: 'NODE', help: 'forget a node that does not run any more', options: askedCluster },
  },
} as const;

// The commands of the service, its page and its keys.

const serviceCommands = {
  open: {
    usage: '',
    help: 'open the page in a browser; starts a service if none runs',
    options: { print: { ...switchedOn, help: 'only print the address; it works once, within a minute' } },
  },
  serve: {
    usage: '',
    help: 'serve REST, Socket.IO and the page until stopped',
    settings: { usage: '--host NAME --port N', help: 'address to listen on (127.0.0.1, 6699)' },
    options: {
      'no-guardian': { ...switchedOn, help: 'run in this process, for debugging; no restart after a crash' },
      ...joiningOptions,
    },
  },
  mcp: { usage: '', help: 'serve an assistant (MCP) over standard input and output', options: {} },
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

const summaryOptions = {
  analysis: { type: 'string', value: 'NAME|ID', help: 'one of several summaries of a file (the latest)' },
  collection: { type: 'string', value: 'NAME|ID', help: 'every summary of a collection, instead of files' },
  list: { ...switchedOn, help: 'list summaries: of files, of a collection, or all' },
  find: { type: 'string', value: 'WORDS', help: 'find texts that contain the words; at most N (50)' },
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
  'summary-name': { type: 'string', value: 'NAME', help: 'name of the summaries (the preset)' },
  collection: { type: 'string', value: 'NAME', help: 'collection to add them to' },
} as const;

// The commands for libraries that move.

const movingCommands = {
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

// The commands for what goes on by itself in a running service.

const followingCommands = {
  searches: {
    help: 'save searches, which are run on new files',
    options: json,
    actions: {
      list: { usage: '', help: 'list the saved searches of the running service', options: json },
      save: {
        usage: 'NAME [QUERY]',
        help: 'from now on, search each new file of the analysis folder',
        options: {
          image: { type: 'string', value: 'FILE', completes: 'file', help: 'picture to compare with' },
          filter: { ...many, value: filterValue, help: 'only matching files, as for framehound search' },
          ...json,
        },
      },
      remove: { usage: 'ID', help: 'delete a saved search and its hits', options: json },
      hits: { usage: 'ID', help: 'list its latest hits, and mark them as seen', options: json },
      follow: { usage: '[ID...]', help: 'print hits as they come, until stopped', options: json },
    },
  },
  webhooks: {
    help: 'send signed events to other programs',
    options: json,
    actions: {
      list: { usage: '', help: 'list the webhooks of the running service', options: json },
      add: {
        usage: 'URL',
        help: 'send events to an address of this machine, or of the setting webhook_hosts',
        options: {
          event: {
            ...many,
            value: 'EVENT',
            completes: webhookEvents,
            help: `${webhookEvents.join(', ')} (all; may be repeated)`,
          },
          secret: { type: 'string', value: 'TEXT', help: 'secret of the signatures (made and printed once)' },
          ...json,
        },
      },
      remove: { usage: 'ID', help: 'send it no more events', options: json },
      deliveries: {
        usage: 'ID',
        help: 'list what was sent to it, newest first',
        options: {
          resend: { type: 'string', value: 'DELIVERY', help: 'send this one again' },
          max: { type: 'string', default: '20', value: 'N', help: 'at most N deliveries (20)' },
          ...json,
        },
      },
    },
  },
} as const;

// The actions of `framehound export` that have options of their own.

/** A flag is completed the same way wherever it stands. */
const formats = [...documentFormats, ...timelineFormats, ...sidecarFormats];

const clipOptions = {
  smart: { ...switchedOn, help: 'exact too, but encode only around the cuts where possible' },
  copy: { ...switchedOn, help: 'do not encode; start at the keyframe before' },
  json: { ...switchedOn, help: 'print JSON' },
  out: {
    type: 'string',
    value: 'DIR',
    completes: 'folder',
    help: 'write into this folder (Movies or Videos of your home folder)',
  },
} as const;

const exportActions = {
  timeline: {
    usage: 'FILE',
    help: 'write a list of scenes (JSON; - is standard input) as a timeline',
    completes: 'file',
    options: {
      format: {
        type: 'string',
        value: 'F',
        completes: formats,
        help: `one of ${timelineFormats.join(', ')} (by the name of --out)`,
      },
      out: {
        type: 'string',
        default: '-',
        value: 'FILE',
        completes: 'folder',
        help: 'write to this file; - prints it (-)',
      },
      chapters: { ...switchedOn, help: 'add the chapters of summaries as markers' },
      json: switchedOn,
    },
  },
  clips: {
    usage: 'FILE START-END...',
    help: 'cut clips from a film or sound file',
    completes: 'file',
    options: clipOptions,
  },
  sidecars: {
    usage: '[PATH...]',
    help: 'write what was found in each file as JSON and XMP',
    completes: 'file',
    options: {
      out: {
        type: 'string',
        value: 'DIR',
        completes: 'folder',
        help: 'write into this folder, which mirrors the library (Sidecars in Movies or Videos)',
      },
      beside: { ...switchedOn, help: 'write beside the media instead' },
      format: { type: 'string', value: 'F', completes: formats, help: `only ${sidecarFormats.join(' or ')}` },
      json: { ...switchedOn, help: 'print JSON' },
    },
  },
} as const;

const manyFiles = { ...many, value: 'FILE', completes: 'file' } as const;

const removing = {
  yes: { ...switchedOn, help: 'do not ask' },
  'dry-run': { ...switchedOn, help: 'only print what would be done' },
  ...json,
} as const;

const transcriptOptions = {
  speaker: { type: 'string', value: 'NAME', help: 'only what this speaker says' },
  media: { ...manyFiles, help: 'only in this file (may be repeated)' },
  max: { type: 'string', default: '50', value: 'N', help: 'at most N matches (50)' },
  json: { ...switchedOn, help: 'print JSON' },
} as const;

const exportOptions = {
  format: {
    type: 'string',
    value: 'F',
    completes: formats,
    help: `one of ${documentFormats.join(', ')}`,
  },
  out: {
    type: 'string',
    value: 'DIR',
    completes: 'folder',
    help: 'write into this folder (Movies or Videos of your home folder); - prints it',
  },
  json: switchedOn,
} as const;

export const commandTable = {
  analyze: {
    usage: 'PATH...',
    help: 'analyse films, stills and folders: pictures, subtitles and faces',
    completes: 'file',
    options: {
      ...summaryRequestOptions,
      'from-previews': { ...switchedOn, help: 'look at stored previews instead of the files' },
      reuse: {
        type: 'string',
        value: 'exact|near|off',
        completes: ['exact', 'near', 'off'],
        help: 'frames that are not analysed again: the same picture, nearly the same, or none (exact)',
      },
      cuts: { ...switchedOn, help: 'only find the exact edges of scenes again, in films that are analysed' },
      speech: { ...switchedOn, help: 'also transcribe speech, with speakers, instead of reading subtitles' },
      sounds: { ...switchedOn, help: 'search for music and singing, and fail without the model for them' },
      'no-subtitles': { ...switchedOn, help: 'do not read subtitles in or beside the files' },
      'no-faces': { ...switchedOn, help: 'do not look for faces, also where their models are there' },
      force: { ...switchedOn, help: 'analyse again what is stored' },
      json: { ...switchedOn, help: 'print each event as a line of JSON' },
    },
  },
  transcribe: {
    usage: 'PATH...',
    help: 'write and print a transcript with speakers',
    completes: 'file',
    options: {
      language: { ...speechOptions.language, default: 'auto' },
      speakers: { ...speechOptions.speakers, default: 'auto' },
      channels: speechOptions.channels,
      with: { ...speechOptions.with, default: 'auto' },
      force: { ...switchedOn, help: 'transcribe again what is stored' },
      quiet: { ...switchedOn, help: 'print no transcript' },
    },
  },
  transcript: {
    help: 'search, print and export transcripts, name speakers',
    actions: {
      search: { usage: 'TEXT', help: 'find text in transcripts', options: transcriptOptions },
      show: {
        usage: 'FILE',
        help: 'print a transcript',
        completes: 'file',
        options: {
          language: {
            type: 'string',
            value: 'L',
            help: 'the subtitles in this language, where a file has several: english, de, …',
          },
          ...json,
        },
      },
      export: {
        usage: 'FILE...',
        help: 'write transcripts as documents',
        completes: 'file',
        options: exportOptions,
      },
      name: { usage: 'FILE SPEAKER NAME', help: 'give a speaker a name', completes: 'file' },
    },
  },
  search: {
    usage: '[TEXT]',
    help: 'find moments by what is seen, said or written, or by a name',
    options: {
      image: {
        type: 'string',
        value: 'FILE',
        completes: 'file',
        help: 'find what looks like a picture; combined with TEXT if given',
      },
      frame: {
        type: 'string',
        value: 'FILE@SECONDS',
        completes: 'file',
        help: 'find what looks like a moment of a film',
      },
      exclude: { ...many, value: 'TEXT', help: 'rank what looks like this lower (may be repeated)' },
      seen: { ...switchedOn, help: 'search only what is seen, said or written, or names (all four)' },
      said: { ...switchedOn, row: 'shared' },
      written: { ...switchedOn, row: 'shared' },
      named: { ...switchedOn, row: 'shared' },
      media: { ...manyFiles, help: 'only in this file (may be repeated)' },
      person: {
        ...many,
        value: 'NAME',
        help: 'only where this person is seen; repeated: all of them together',
      },
      'any-person': { ...switchedOn, help: 'any of several --person' },
      'cluster-job': { type: 'string', value: 'NAME', help: 'the face clustering of --person' },
      filter: {
        ...many,
        value: filterValue,
        help: "only matching files: 'source.camera_model is_any_of FX3'",
      },
      max: { type: 'string', default: '10', value: 'N', help: 'at most N matches (10)' },
      'per-film': { type: 'string', value: 'N', help: 'at most N matches of one film (3), or all' },
      'text-weight': {
        type: 'string',
        default: '1',
        value: 'W',
        help: 'weight of TEXT when combined with a picture (1)',
      },
      weak: { ...switchedOn, help: 'also show weak matches' },
      timeline: {
        type: 'string',
        value: 'FILE',
        completes: 'file',
        help: 'write the scenes as a timeline: .xml, .fcpxml, .edl or .otio',
      },
      json: { ...switchedOn, help: 'print JSON, with pictures as base64' },
      previews: { ...switchedOn, row: 'shared, only with it' },
      open: { ...switchedOn, help: 'open the search in the page, in a browser' },
    },
  },
  takes: {
    usage: '[FILE[@SECONDS]]',
    help: 'find other takes and copies of a file, a moment or any shot',
    completes: 'file',
    options: json,
  },
  summary: {
    usage: 'FILE...',
    help: 'print the summary of a film as a tree, with times',
    completes: 'file',
    options: summaryOptions,
  },
  faces: {
    help: 'find faces, group them into people, name them',
    actions: {
      ...faceActions,
      delete: {
        usage: 'JOB',
        help: 'remove a clustering and its faces, not the footage',
        options: {
          person: { type: 'string', value: 'WHO', help: 'only this person, by name or cluster id' },
          ...removing,
        },
      },
    },
  },
  export: {
    help: 'write timelines, clips, sidecars and documents',
    actions: {
      ...exportActions,
      transcript: {
        usage: 'FILE...',
        help: 'the same as transcript export',
        completes: 'file',
        options: exportOptions,
      },
    },
  },
  tasks: {
    help: 'list, show, resume and cancel analyses',
    options: json,
    actions: {
      list: { usage: '[list] [--json]', help: 'list analyses, newest first', options: json },
      show: { usage: 'ID [--json]', help: 'show one, with the result of every file', options: json },
      resume: {
        usage: 'ID',
        help: 'continue one that was stopped or interrupted',
        options: { force: { ...switchedOn, help: 'also try files that crashed the engine or hung' } },
      },
      cancel: { usage: '[ID]', help: 'stop the one that a service runs, or only this one' },
    },
  },
  watch: { help: 'analyse what arrives in folders', options: json, actions: watchActions },
  ...followingCommands,
  list: {
    usage: '[PATH]',
    help: 'list what is analysed, by which model and when',
    completes: 'folder',
    options: {
      max: { type: 'string', value: 'N', help: 'at most N media (all)' },
      offset: { type: 'string', default: '0', value: 'N', help: 'skip the first N' },
      ...json,
    },
  },
  forget: {
    usage: 'PATH...',
    help: 'remove the analysis of files or folders, not the footage',
    completes: 'file',
    options: removing,
  },
  prune: { usage: '', help: 'remove analyses of files that no longer exist', options: removing },
  move: {
    usage: 'OLD NEW',
    help: 'update the paths of files and folders that you have renamed',
    completes: 'folder',
    options: { 'dry-run': removing['dry-run'], ...json },
  },
  ...movingCommands,
  disk: { usage: '[--json]', help: 'show what analyses and models take on disk', options: json },
  thumbnails: {
    usage: 'FILE',
    help: 'write pictures of a film as JPEG files',
    completes: 'file',
    options: {
      at: { ...many, value: 'SECONDS', help: 'the picture at this time (may be repeated)' },
      scene: {
        type: 'string',
        value: 'START-END',
        help: 'one picture a second of a range, in seconds or HH:MM:SS',
      },
      out: {
        type: 'string',
        default: '.',
        value: 'DIR',
        completes: 'folder',
        help: 'write into this folder (the current one)',
      },
      'max-size': { type: 'string', default: '480', value: 'N', help: 'longest side in pixels (480)' },
      json: { ...switchedOn, help: 'print the paths as JSON' },
    },
  },
  ...serviceCommands,
  models: {
    help: 'list, download, choose, test, remove and verify models',
    options: {
      ...json,
      use: { ...switchedOn, help: 'with pull: make it the visual model of every command' },
    },
    actions: {
      list: {
        usage: '[--json]',
        help: 'list models, what they are for, and which are recommended',
        options: json,
      },
      pull: {
        usage: 'KEY...',
        help: 'download models; KEY may be faces, faces-npm (from the npm registry) or sight',
        completes: ['faces', 'faces-npm', 'sight'],
        options: { use: switchedOn },
      },
      use: { usage: 'KEY', help: 'make a model the visual model of every command' },
      remove: { usage: 'KEY...', help: 'remove downloaded models' },
      verify: { usage: 'KEY...', help: 'compare the files of downloaded models with their checksums' },
      check: { usage: 'KEY...', help: 'test models with questions whose answers are known' },
      describe: { usage: 'KEY', help: 'print a model.json to start one of your own from' },
      add: { usage: 'FOLDER', completes: 'folder', help: 'check and test a model of your own, and add it' },
    },
  },
  config: { usage: '[--json]', help: 'show every setting and where its value comes from', options: json },
  doctor: {
    usage: '[--json] [--fix gpu]',
    help: 'check this machine, and show how to fix what is missing',
    options: {
      ...json,
      ...checkedCluster,
      fix: { type: 'string', value: 'gpu', help: 'fetch what models need to run on an NVIDIA device' },
    },
  },
  setup: {
    usage: '',
    help: 'choose what framehound can do, and download it',
    options: {
      all: { ...switchedOn, help: 'everything, faces too' },
      only: {
        ...many,
        value: 'KIND...',
        completes: setupKindNames,
        help: `of ${setupKindNames.join(', ')}`,
      },
      none: { ...switchedOn, help: 'nothing; asks no question' },
    },
  },
  tour: {
    usage: '[PATH...]',
    help: 'try everything on a sample library, or on your folder',
    completes: 'file',
    options: { force: { ...switchedOn, help: 'analyse again what is stored' } },
  },
  completion: {
    usage: 'SHELL',
    help: 'print a completion script for bash, zsh or fish',
    completes: ['bash', 'zsh', 'fish'],
  },
} as const satisfies Readonly<Record<string, Action>>;

export type CommandName = keyof typeof commandTable;
