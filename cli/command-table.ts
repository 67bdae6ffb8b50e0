// The commands of the terminal, declared once: the help text, the completion scripts and the options that the commands
// themselves parse are read off this table. The settings that every command takes are in settings.ts.

import { documentFormats } from '../actors/exporter/contract.ts';
import { timelineFormats } from '../actors/exporter/timeline/contract.ts';
import { faceActions } from './face-actions.ts';
import { serviceCommands } from './service-commands.ts';
import { speechOptions } from './speech-options.ts';
import { summaryOptions, summaryWishOptions } from './summary-options.ts';
import { watchActions } from './watch-actions.ts';

export interface Option {
  /** `type`, `multiple` and `default`: as `parseArgs` of Node takes them. */
  readonly type: 'boolean' | 'string';
  readonly multiple?: boolean;
  readonly default?: boolean | string | string[];
  /** What the help calls its value; an option that is a string has one. */
  readonly value?: string;
  /** What completes its value. */
  readonly completes?: Completion;
  /** The text of its row in the help. Without it, the usage of its command names it, or the row of another one. */
  readonly help?: string;
  /** Shown in the row of the option before it. */
  readonly row?: 'shared' | 'shared, only with it';
}

/** Paths of files, of folders, or one of these words. */
export type Completion = 'file' | 'folder' | readonly string[];
export type Options = Readonly<Record<string, Option>>;

/** A command, or one of the actions a command knows by a word of their own. */
export interface Action {
  /** What follows its name in the help; without it the help has no line of its own for it. */
  readonly usage?: string;
  readonly help: string;
  readonly options?: Options;
  /** What completes its arguments. */
  readonly completes?: Completion;
  /** Flags of settings worth a row here, and the text of that row. */
  readonly settings?: { readonly usage: string; readonly help: string };
  readonly actions?: Readonly<Record<string, Action>>;
}

const switchedOn = { type: 'boolean', default: false } as const;
const json = { json: switchedOn };
const manyFiles = {
  type: 'string',
  multiple: true,
  default: [] as string[],
  value: 'FILE',
  completes: 'file',
} as const;

const removing = {
  yes: { ...switchedOn, help: 'do not ask; only say what would be done' },
  'dry-run': { ...switchedOn, row: 'shared' },
  ...json,
} as const;

const transcriptOptions = {
  speaker: {
    type: 'string',
    value: 'NAME',
    help: 'only by this speaker, only in this file (may be repeated)',
  },
  media: { ...manyFiles, row: 'shared' },
  max: { type: 'string', default: '50', value: 'N', help: 'matches at most (50); answer as JSON' },
  json: { ...switchedOn, row: 'shared' },
} as const;

/** A flag is completed the same way wherever it stands. */
const formats = [...documentFormats, ...timelineFormats];

const exportOptions = {
  format: {
    type: 'string',
    value: 'F',
    completes: formats,
    help: `one of ${documentFormats.join(', ')}`,
  },
  out: {
    type: 'string',
    default: '.',
    value: 'DIR',
    completes: 'folder',
    help: 'where to (this folder); nothing is written over; - prints it',
  },
  json: switchedOn,
} as const;

const clipOptions = {
  smart: {
    ...switchedOn,
    help: 'as exact, but only what lies around the cuts is encoded, where that can be',
  },
  copy: { ...switchedOn, help: 'the packets as they are, from the keyframe before; answer as JSON' },
  json: { ...switchedOn, row: 'shared' },
  out: {
    type: 'string',
    default: '.',
    value: 'DIR',
    completes: 'folder',
    help: 'where to (this folder); nothing is written over',
  },
} as const;

export const commandTable = {
  analyze: {
    usage: 'PATH...',
    help: 'look at films and stills, or folders of them',
    completes: 'file',
    options: {
      ...summaryWishOptions,
      force: { ...switchedOn, help: 'redo what is stored already; tell each event as a line of JSON' },
      json: { ...switchedOn, row: 'shared' },
    },
  },
  transcribe: {
    usage: 'PATH...',
    help: 'write down what is said, and by whom, and print it',
    completes: 'file',
    options: {
      language: { ...speechOptions.language, default: 'english' },
      speakers: { ...speechOptions.speakers, default: 'auto' },
      channels: speechOptions.channels,
      with: { ...speechOptions.with, default: 'auto' },
      force: { ...switchedOn, help: 'redo what is stored; print no transcript' },
      quiet: { ...switchedOn, row: 'shared' },
    },
  },
  transcript: {
    help: 'what was written down: search it, print it, name its speakers',
    actions: {
      search: { usage: 'TEXT', help: 'find what is said', options: transcriptOptions },
      show: {
        usage: 'FILE',
        help: 'print what is stored; name FILE SPEAKER NAME gives a voice its name',
        completes: 'file',
        options: json,
      },
      export: {
        usage: 'FILE...',
        help: 'write what is stored as documents, and print their paths',
        completes: 'file',
        options: exportOptions,
      },
      name: { help: 'give a voice its name', completes: 'file' },
    },
  },
  search: {
    usage: 'TEXT',
    help: 'find moments by what is seen, said and written',
    options: {
      image: {
        type: 'string',
        value: 'FILE',
        completes: 'file',
        help: '… or like a picture; a TEXT given too is combined with it',
      },
      frame: {
        type: 'string',
        value: 'FILE@SECONDS',
        completes: 'file',
        help: '… or like a moment of a film',
      },
      exclude: {
        type: 'string',
        multiple: true,
        default: [] as string[],
        value: 'TEXT',
        help: 'rank lower what looks like this (may be repeated)',
      },
      seen: { ...switchedOn, help: 'only what is seen, said or written (all three)' },
      said: { ...switchedOn, row: 'shared' },
      written: { ...switchedOn, row: 'shared' },
      media: { ...manyFiles, help: 'only in this file (may be repeated)' },
      person: {
        type: 'string',
        multiple: true,
        default: [] as string[],
        value: 'NAME',
        help: 'only where this person is seen (repeated: all of them at once)',
      },
      'any-person': { ...switchedOn, help: 'with several --person: any of them' },
      'cluster-job': { type: 'string', value: 'NAME', help: 'the face clustering that has them' },
      max: { type: 'string', default: '10', value: 'N', help: 'matches at most (10)' },
      'per-film': {
        type: 'string',
        value: 'N',
        help: 'matches of one film at most (3), or all',
      },
      'text-weight': {
        type: 'string',
        default: '1',
        value: 'W',
        help: 'share of the text beside a picture (1)',
      },
      weak: { ...switchedOn, help: 'also what hardly stands out from the rest' },
      timeline: {
        type: 'string',
        value: 'FILE',
        completes: 'file',
        help: 'the scenes as a sequence: .xml, .fcpxml, .edl or .otio',
      },
      json: { ...switchedOn, help: 'answer as JSON, with pictures as base64' },
      previews: { ...switchedOn, row: 'shared, only with it' },
      open: { ...switchedOn, help: 'show the pictures in a browser' },
    },
  },
  summary: {
    usage: 'FILE...',
    help: 'what happens in a film: the stored summary as a tree, with times',
    completes: 'file',
    options: summaryOptions,
  },
  faces: {
    help: 'who is seen: faces clustered into people, with names',
    actions: {
      ...faceActions,
      delete: {
        usage: 'JOB',
        help: 'remove a clustering and its faces; the footage stays',
        options: {
          person: { type: 'string', value: 'WHO', help: 'only this person, by name or cluster id' },
          ...removing,
        },
      },
    },
  },
  export: {
    help: 'what was found, for other programs',
    actions: {
      timeline: {
        usage: 'FILE',
        help: 'a list of scenes (JSON, - reads it) as a sequence of an editing program',
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
            help: 'where to; nothing is written over; - prints it (-)',
          },
          chapters: { ...switchedOn, help: 'mark the chapters that summaries have' },
          json: switchedOn,
        },
      },
      clips: {
        usage: 'FILE START-END...',
        help: 'cut clips out of a film or sound, and print their paths',
        completes: 'file',
        options: clipOptions,
      },
      transcript: { help: 'the same as transcript export', completes: 'file', options: exportOptions },
    },
  },
  tasks: {
    help: 'the analyses so far: list, show, resume, cancel',
    options: json,
    actions: {
      list: { usage: '[list] [--json]', help: 'the analyses so far, newest first', options: json },
      show: { usage: 'ID [--json]', help: 'one of them, with the result of every file', options: json },
      resume: {
        usage: 'ID',
        help: 'goes on with one that was stopped or interrupted',
        options: { force: { ...switchedOn, help: 'try what ended the engine or hung before' } },
      },
      cancel: { usage: '[ID]', help: 'stops the one that a service runs, or this one alone' },
    },
  },
  watch: {
    help: 'folders whose media are analysed as they come',
    options: json,
    actions: watchActions,
  },
  list: {
    usage: '[PATH]',
    help: 'what is analysed, by which model and when',
    completes: 'folder',
    options: {
      max: { type: 'string', value: 'N', help: 'media at most (all), after leaving out so many' },
      offset: { type: 'string', default: '0', value: 'N', row: 'shared' },
      ...json,
    },
  },
  forget: {
    usage: 'PATH...',
    help: 'remove the analysis of files, or of folders of them; the footage stays',
    completes: 'file',
    options: removing,
  },
  prune: {
    usage: '',
    help: 'forget media whose files are gone; a drive that is away is left alone',
    options: removing,
  },
  move: {
    usage: 'OLD NEW',
    help: 'follow footage that was moved: a folder, or one file',
    completes: 'folder',
    options: { 'dry-run': removing['dry-run'], ...json },
  },
  disk: { usage: '[--json]', help: 'what the analysis and the models take on the disk', options: json },
  thumbnails: {
    usage: 'FILE',
    help: 'pictures of a film as JPEG files',
    completes: 'file',
    options: {
      at: {
        type: 'string',
        multiple: true,
        default: [] as string[],
        value: 'SECONDS',
        help: 'of this moment (may be repeated) …',
      },
      scene: {
        type: 'string',
        value: 'START-END',
        help: '… or one a second of a range, in seconds or HH:MM:SS',
      },
      out: {
        type: 'string',
        default: '.',
        value: 'DIR',
        completes: 'folder',
        help: 'where to (this folder), and the longest side, px (480)',
      },
      'max-size': { type: 'string', default: '480', value: 'N', row: 'shared' },
      json: { ...switchedOn, help: 'the paths as JSON' },
    },
  },
  ...serviceCommands,
  models: {
    usage: 'list|pull|use|remove|verify [KEY...]',
    help: 'which models there are, and which are on this machine',
    options: {
      ...json,
      use: { ...switchedOn, help: 'pull KEY, and make it the visual model of every command' },
    },
    actions: {
      list: { help: 'which models there are', options: json },
      pull: {
        help: 'download models and check them; faces, sight: those that these take; faces-npm: from the npm registry',
        completes: ['faces', 'faces-npm', 'sight'],
        options: { use: switchedOn },
      },
      use: { help: 'make a model the visual model of every command' },
      remove: { help: 'remove downloaded models' },
      verify: { help: 'check downloaded models' },
    },
  },
  license: {
    help: 'the keys that open the service',
    actions: {
      issue: {
        usage: '',
        help: 'make a key for the service, printed alone',
        options: {
          tier: {
            type: 'string',
            value: 'pro|basic',
            completes: ['pro', 'basic'],
            help: 'what it opens: the service wants pro',
          },
          name: { type: 'string', default: '', value: 'NAME', help: 'whose it is, and for how long' },
          days: { type: 'string', value: 'D', row: 'shared' },
        },
      },
      list: { usage: '[--json]', help: 'the keys of this machine, without their text', options: json },
      revoke: { usage: 'ID|KEY', help: 'a running service refuses it at once' },
    },
  },
  config: { usage: '[--json]', help: 'every setting and where it comes from', options: json },
  doctor: { usage: '[--json]', help: 'what this machine has, and what is missing', options: json },
  setup: {
    usage: '',
    help: 'downloads the models that see things and read printed words',
    options: {},
  },
  tour: {
    usage: '[PATH...]',
    help: 'the whole job on a sample library, or on your folder',
    completes: 'file',
    options: { force: { ...switchedOn, help: 'redo what is stored already' } },
  },
  completion: {
    usage: 'SHELL',
    help: 'prints what completes these words in bash, zsh or fish',
    completes: ['bash', 'zsh', 'fish'],
  },
} as const satisfies Readonly<Record<string, Action>>;

export type CommandName = keyof typeof commandTable;
