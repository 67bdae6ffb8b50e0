// Every tool, in the order in which an assistant reads them.
import type { Tool } from './tool.ts';
import { analyze } from './tools/analyze.ts';
import { describeMedia } from './tools/describe-media.ts';
import { findMoments } from './tools/find-moments.ts';
import { findSpoken } from './tools/find-spoken.ts';
import { listLibrary } from './tools/list-library.ts';
import { look } from './tools/look.ts';
import { makeTimeline } from './tools/make-timeline.ts';
import { readTranscript } from './tools/read-transcript.ts';
import { task } from './tools/task.ts';
import { who } from './tools/who.ts';

export const tools: readonly Tool[] = [
  findMoments,
  findSpoken,
  look,
  readTranscript,
  describeMedia,
  listLibrary,
  who,
  analyze,
  task,
  makeTimeline,
];
