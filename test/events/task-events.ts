// Events of tasks, as tests need them.
import type { TaskEvent, WorkOutcome, WorkResult } from '../../actors/analysis/contract.ts';
import { type Amounts, type Counted, progressOf } from '../../actors/analysis/progress.ts';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import type { EndState } from '../../actors/analysis/tasks/contract.ts';

export function progress(
  percentage: number,
  more: Partial<Counted> = {},
  speech: Amounts = { done: 0, all: 0 },
): TaskEvent {
  const amounts = { video: { done: 30, all: 120 }, speech };
  const types = ['video'];
  const counted = { types, files: 4, files_done: 1, surveyed: true, percentage, elapsed_seconds: 3, amounts };
  return { type: 'task', task: progressOf(stageKinds, { ...counted, ...more }) };
}

/** A file that ended well, or holds nothing of the kind. */
export function ending(path: string, outcome: WorkOutcome = 'analyzed', type = 'video'): TaskEvent {
  const reason = outcome === 'not_applicable' ? 'no_picture' : null;
  return { type: 'result', result: { ...resultOf(path), type, outcome, reason, error: null } };
}

export function end(state: EndState): TaskEvent {
  const error = { code: 'DISK_FULL', error: 'The disk is full', message: '/c: the disk is full' };
  return { type: 'end', state, error: state === 'failed' ? error : null };
}

export function failure(path: string): TaskEvent {
  return { type: 'result', result: resultOf(path) };
}

function resultOf(path: string): WorkResult {
  return {
    path,
    type: 'video',
    hash_str: null,
    outcome: 'failed',
    reason: null,
    facts: { frames: 0, missing_frames: 0 },
    duration_seconds: 0,
    error: { code: 'UNREADABLE', message: `${path}: cannot be read` },
  };
}
