// The options of `framehound summary`, and those of `analyze` that ask for summaries, as the table of commands has them.
import { presets, priorityHints } from '../actors/summarizer/contract.ts';

const switchedOn = { type: 'boolean', default: false } as const;

export const summaryOptions = {
  analysis: {
    type: 'string',
    value: 'NAME|ID',
    help: 'which of several summaries of a file (the latest)',
  },
  collection: { type: 'string', value: 'NAME|ID', help: 'all summaries of a collection, instead of files' },
  list: { ...switchedOn, help: 'only which summaries there are: of files, of a collection, or all' },
  find: {
    type: 'string',
    value: 'WORDS',
    help: 'nodes whose texts hold the words, of files, a collection or all; so many at most (50)',
  },
  max: { type: 'string', value: 'N', row: 'shared, only with it' },
  node: { type: 'string', value: 'ID', help: 'begin at this node; go down so many levels (all)' },
  depth: { type: 'string', value: 'N', row: 'shared' },
  evidence: { ...switchedOn, help: 'also what the texts were made of: frames, words, people' },
  markdown: { ...switchedOn, help: 'as Markdown for notes; the whole tree as JSON, a line each' },
  json: { ...switchedOn, row: 'shared' },
  page: {
    type: 'string',
    value: 'FILE.html',
    completes: 'file',
    help: 'write one page with pictures, and show it in a browser; nothing is written over',
  },
  open: { ...switchedOn, row: 'shared, only with it' },
  vtt: {
    type: 'string',
    value: 'FILE',
    completes: 'file',
    help: 'write chapters as WebVTT, of the level --depth (1); - prints them',
  },
  delete: { ...switchedOn, help: 'remove the summaries; do not ask, or only say what would be done' },
  yes: { ...switchedOn, row: 'shared, only with it' },
  'dry-run': { ...switchedOn, row: 'shared, only with it' },
} as const;

export const summaryWishOptions = {
  summary: { ...switchedOn, help: 'then summarise them; what for (general_understanding)' },
  'summary-preset': { type: 'string', value: 'P', completes: presets, row: 'shared' },
  'summary-hint': {
    type: 'string',
    multiple: true,
    default: [] as string[],
    value: 'H',
    completes: priorityHints,
    help: 'what matters besides, several times; what it is for, in words',
  },
  'summary-instructions': { type: 'string', value: 'TEXT', row: 'shared' },
  'summary-model': { type: 'string', value: 'KEY', help: 'the language model that writes (the advised one)' },
  'summary-name': {
    type: 'string',
    value: 'NAME',
    help: 'what the summaries are called (the preset), and the collection they go into',
  },
  collection: { type: 'string', value: 'NAME', row: 'shared' },
} as const;
