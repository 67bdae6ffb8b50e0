// The actions of `framehound watch`, as the table of commands has them.
import { speechOptions } from './speech-options.ts';

const switchedOn = { type: 'boolean', default: false } as const;
const json = { json: switchedOn };

const many = { type: 'string', multiple: true, default: [] as string[] } as const;

const filterValue = "'FACET OPERATOR VALUE|VALUE'";

/** How speech and faces are analysed, where they are. */
const ways = {
  eps: {
    type: 'string',
    value: 'E',
    help: '… how unlike those of one person may be (0.48), how many begin a cluster (5)',
  },
  'min-samples': { type: 'string', value: 'N', row: 'shared' },
  ...speechOptions,
  channels: { ...speechOptions.channels, value: '1,2|mixed' },
} as const;

const { eps, 'min-samples': minSamples, language, speakers, channels, with: model } = ways;

const addOptions = {
  'no-pictures': { ...switchedOn, help: 'not the pictures; write down what is said' },
  speech: { ...switchedOn, row: 'shared' },
  faces: { type: 'string', value: 'JOB', help: 'cluster faces into people, under this name …' },
  ...ways,
  'exclude-extension': { ...many, value: '.EXT', help: 'leave out files of this kind (may be repeated)' },
  'exclude-file': { ...many, value: 'GLOB', help: '… files of such a name, as *_proxy.*' },
  'exclude-folder': {
    ...many,
    value: 'GLOB',
    help: '… folders of such a name at any depth, or of such a path, as day*/proxies',
  },
  filter: {
    ...many,
    value: filterValue,
    help: "only files that pass it, as 'technical.orientation is_not portrait'",
  },
  disabled: { ...switchedOn, help: 'do not watch it yet; answer as JSON' },
  json: { ...switchedOn, row: 'shared' },
} as const;

/** Opposites beside each other. */
const editOptions = {
  pictures: { ...switchedOn, help: 'whether the pictures are analysed' },
  'no-pictures': { ...switchedOn, row: 'shared' },
  speech: { ...switchedOn, help: 'whether what is said is written down' },
  'no-speech': { ...switchedOn, row: 'shared' },
  faces: { type: 'string', value: 'JOB', help: 'whether faces are clustered, and under which name' },
  'no-faces': { ...switchedOn, row: 'shared' },
  eps: { ...eps, help: 'as for watch add' },
  'min-samples': minSamples,
  language: { type: language.type, value: language.value, row: 'shared' },
  speakers: { type: speakers.type, value: speakers.value, completes: speakers.completes, row: 'shared' },
  channels: { type: channels.type, value: channels.value, row: 'shared' },
  with: { type: model.type, value: model.value, completes: model.completes, row: 'shared' },
  'exclude-extension': { ...many, value: '.EXT', help: 'leave these out too; take them in again' },
  'include-extension': { ...many, value: '.EXT', row: 'shared' },
  'exclude-file': { ...many, value: 'GLOB', help: '… files of such a name' },
  'include-file': { ...many, value: 'GLOB', row: 'shared' },
  'exclude-folder': { ...many, value: 'GLOB', help: '… folders of such a name or path' },
  'include-folder': { ...many, value: 'GLOB', row: 'shared' },
  filter: {
    ...many,
    value: filterValue,
    help: 'only files that pass it, instead of the filters so far; all files',
  },
  'no-filter': { ...switchedOn, row: 'shared' },
  'default-cache-dir': {
    ...switchedOn,
    help: 'into the default analysis folder; --cache-dir: into another one',
  },
  enabled: { ...switchedOn, help: 'whether it is watched; answer as JSON' },
  disabled: { ...switchedOn, row: 'shared' },
  json: { ...switchedOn, row: 'shared' },
} as const;

export const watchActions = {
  list: { usage: '[list] [--json]', help: 'the watch folders there are', options: json },
  add: {
    usage: 'FOLDER',
    help: 'analyse what is in it and what comes into it, into --cache-dir, while a service watches',
    completes: 'folder',
    options: addOptions,
  },
  edit: {
    usage: 'FOLDER',
    help: 'change what is given, as for watch add; FOLDER: path, id or the beginning of one',
    completes: 'folder',
    options: editOptions,
  },
  remove: {
    usage: 'FOLDER',
    help: 'do not watch it any more; the footage and its analysis stay',
    completes: 'folder',
    options: {
      yes: { ...switchedOn, help: 'do not ask; only say what would be done' },
      'dry-run': { ...switchedOn, row: 'shared' },
      ...json,
    },
  },
  start: {
    usage: '[--json]',
    help: 'tell the service that runs here, or at --server, to watch',
    options: json,
  },
  stop: { usage: '[--json]', help: 'tell it not to; files that are worked on are finished', options: json },
  status: { usage: '[--json]', help: 'what it does, how far it is, and what failed', options: json },
} as const;
