// The options of `framehound summary`, and those of `analyze` that ask for summaries, as the table of
// commands has them.
import { presets, priorityHints } from '../actors/summarizer/contract.ts';

const switchedOn = { type: 'boolean', default: false } as const;

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
  page: {
    type: 'string',
    value: 'FILE.html',
    completes: 'file',
    help: 'write a page with pictures; open it in a browser',
  },
  open: { ...switchedOn, row: 'shared, only with it' },
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
    type: 'string',
    multiple: true,
    default: [] as string[],
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
