// A task of two films, of which one is done: the progress that views are shown.
import { progressOf } from '../../actors/analysis/progress.ts';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';

export const task = progressOf(stageKinds, {
  types: ['video'],
  files: 2,
  files_done: 1,
  surveyed: true,
  percentage: 25,
  elapsed_seconds: 3,
  amounts: { video: { done: 30, all: 120 }, speech: { done: 0, all: 0 } },
});
