// The actions of `framehound watch`, as the table of commands has them.

// The options for transcribing, for the table of commands. Defaults are in each command.

export const speechOptions = {
  language: { type: 'string', value: 'L', help: 'spoken language: english, de, pt-BR, … or auto (english)' },
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
    completes: ['auto', 'faster', 'more accurate', 'x3-asr-0.6b', 'x3-asr-1.7b', 'subtitles'],
    help: 'speech model: auto, faster, more accurate, x3-asr-0.6b, x3-asr-1.7b or subtitles',
  },
} as const;

const switchedOn = { type: 'boolean', default: false } as const;
const json = { json: switchedOn };

const many = { type: 'string', multiple: true, default: [] as string[] } as const;

const filterValue = "'FACET OPERATOR VALUE|VALUE'";

/** How speech and faces are analysed, where they are. */
const ways = {
  eps: {
    type: 'string',
    value: 'E',
    help: 'distance within one person, 0 to 2; lower is stricter (0.48)',
  },
  'min-samples': { type: 'string', value: 'N', help: 'similar faces that start a cluster (5)' },
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
