// A task as lines of JSON, one an event, for programs. The fields stand in docs/guide.md.
import type { AnalysisEvent, TaskError } from '../actors/analysis/contract.ts';
import type { ClosingProgress, FileProgress, TaskProgress } from '../actors/analysis/progress.ts';
import { amountFields, fileFields, rounded } from '../actors/analysis/progress-fields.ts';
import { fileResult, workKey } from '../actors/analysis/result.ts';
import { stageKinds } from '../actors/analysis/stages/kinds.ts';
import type { Clock } from '../runtime/clock.ts';
import { toFields } from '../runtime/errors.ts';
import { conflate } from '../runtime/sync/conflate.ts';
import type { Found } from './find-media.ts';
import type { ProgressView } from './progress-view.ts';
import type { Report } from './report.ts';

/** Between two events of the same file, and of the whole. */
const EVERY_MS = 500;

export interface JsonView extends ProgressView {
  /** What the paths that were named came to. */
  found(found: Found): void;
  /** What the command itself tells, before the last line. */
  more(event: string, fields: object): void;
  /** The last line of a task that came to an end of its own. */
  report(report: Report, exitCode: number): void;
  /** The last line of one that could not be begun, or was lost. */
  broke(error: unknown, exitCode: number): void;
}

/** `out` is given whole lines. */
export function createJsonView(out: (text: string) => void, clock: Clock): JsonView {
  const line = (event: string, fields: object) => out(`${JSON.stringify({ event, ...fields })}\n`);
  let latest: TaskProgress | undefined;
  const files = conflate<string, FileProgress>(clock, EVERY_MS, (file) => {
    const { path, type, percentage } = file;
    line('file', { path, type, percentage, ...fileFields(stageKinds, file) });
  });
  const whole = conflate<'task', TaskProgress>(clock, EVERY_MS, (task) => line('progress', wholeOf(task)));
  const closings = conflate<string, ClosingProgress>(clock, EVERY_MS, ({ name, type, percentage }) =>
    line('closing', { name, type, percentage }),
  );
  const flush = () => {
    files.flush();
    closings.flush();
    whole.flush();
  };
  return {
    event: (event: AnalysisEvent) => {
      if (event.type === 'file') files.put(workKey(event.file), event.file);
      else if (event.type === 'task') {
        latest = event.task;
        whole.put('task', event.task);
      } else if (event.type === 'closing')
        closings.put(`${event.closing.type} ${event.closing.name}`, event.closing);
      else {
        // A file is told of no more once it has ended.
        files.flush();
        closings.flush();
        line('result', fileResult(stageKinds, event.result));
      }
    },
    end: flush,
    found: ({ files: paths, failures }) => {
      for (const { path, error } of failures) {
        line('unreadable', { path, error: { code: error.code, message: error.message } });
      }
      line('found', { files: paths.length, unreadable: failures.length });
    },
    more: (event, fields) => {
      flush();
      line(event, fields);
    },
    report: ({ cancelled, error, counts, progress = latest, model_key }, exit_code) => {
      flush();
      const state = error ? 'failed' : cancelled ? 'cancelled' : 'completed';
      const wholeTask = progress ? wholeOf(progress) : null;
      const { files = counts.done, jobs = counts.jobs_done } = progress ?? {};
      const all = { ...counts, files, jobs };
      line('end', { state, exit_code, error, counts: all, model_key, progress: wholeTask });
    },
    broke: (thrown, exit_code) => {
      flush();
      const { code, meaning, message } = toFields(thrown);
      const error: TaskError = { code, error: meaning, message };
      const state = code === 'CANCELLED' ? 'cancelled' : 'failed';
      const wholeTask = latest ? wholeOf(latest) : null;
      line('end', { state, exit_code, error, counts: null, model_key: null, progress: wholeTask });
    },
  };
}

function wholeOf(task: TaskProgress) {
  const { files, files_done, jobs, jobs_done, surveyed, percentage, stages } = task;
  const { elapsed_seconds, speed, estimated_remaining_seconds: left } = task;
  return {
    percentage: rounded(percentage),
    files,
    files_done,
    jobs,
    jobs_done,
    surveyed,
    ...amountFields(stageKinds, stages),
    elapsed_seconds: rounded(elapsed_seconds),
    estimated_remaining_seconds: left === null ? null : rounded(left),
    speed: rounded(speed),
  };
}
