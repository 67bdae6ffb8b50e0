// The commands of the terminal, declared once: the help, the completion scripts and what the commands parse
// are read off this table. The settings that every command takes are in settings.ts.

import { documentFormats } from '../actors/exporter/contract.ts';
import { setupKindNames } from '../actors/models/advice.ts';
import { checkedCluster } from './cluster-options.ts';
import {
  faceActions,
  filterValue,
  json,
  many,
  movingCommands,
  serviceCommands,
  speechOptions,
  summaryOptions,
  summaryRequestOptions,
  switchedOn,
  watchActions,
} from './command-options.ts';
import { exportActions, formats } from './export-options.ts';
import { followingCommands } from './following-options.ts';

export interface Option {
  /** `type`, `multiple` and `default`: as `parseArgs` of Node takes them. */
  readonly type: 'boolean' | 'string';
  readonly multiple?: boolean;
  readonly default?: boolean | string | string[];
  /** Name of its value in the help; required for an option that is a string. */
  readonly value?: string;
  /** Completion of its value. */
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
  /** Completion of its arguments. */
  readonly completes?: Completion;
  /** Flags of settings worth a row here, and the text of that row. */
  readonly settings?: { readonly usage: string; readonly help: string };
  readonly actions?: Readonly<Record<string, Action>>;
}

const manyFiles = {
  ...many,
  value: 'FILE',
  completes: 'file',
} as const;

const removing = {
  yes: { ...switchedOn, help: 'do not ask' },
  'dry-run': { ...switchedOn, help: 'only print what would be done' },
  ...json,
} as const;

const transcriptOptions = {
  speaker: {
    type: 'string',
    value: 'NAME',
    help: 'only what this speaker says',
  },
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
      exclude: {
        ...many,
        value: 'TEXT',
        help: 'rank what looks like this lower (may be repeated)',
      },
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
      'per-film': {
        type: 'string',
        value: 'N',
        help: 'at most N matches of one film (3), or all',
      },
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
  watch: {
    help: 'analyse what arrives in folders',
    options: json,
    actions: watchActions,
  },
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
  prune: {
    usage: '',
    help: 'remove analyses of files that no longer exist',
    options: removing,
  },
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
      at: {
        ...many,
        value: 'SECONDS',
        help: 'the picture at this time (may be repeated)',
      },
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
