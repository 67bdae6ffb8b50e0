// Counts what tasks of analysis do, from what they tell. Pure.
import type { EndState, FileOutcome, TaskListener } from '../../actors/analysis/contract.ts';
import { type Family, single } from './exposition.ts';

export interface TaskMeter {
  readonly listener: TaskListener;
  families(): Family[];
}

const outcomes: Readonly<Record<FileOutcome, true>> = {
  analyzed: true,
  stored: true,
  no_picture: true,
  no_sound: true,
  failed: true,
  cancelled: true,
};
const ends: Readonly<Record<EndState, true>> = {
  completed: true,
  cancelled: true,
  failed: true,
  interrupted: true,
};

export function createTaskMeter(): TaskMeter {
  const files = zeros(outcomes);
  const tasks = zeros(ends);
  const running = new Map<string, { frames: number; heard: number }>();
  let frames = 0;
  let heard = 0;
  let missing = 0;
  const listener: TaskListener = (task_id, event) => {
    if (event.type === 'start') running.set(task_id, { frames: 0, heard: 0 });
    else if (event.type === 'end') {
      running.delete(task_id);
      tasks[event.state]++;
    } else if (event.type === 'result') {
      files[event.result.outcome]++;
      missing += event.result.missing_frames;
    } else if (event.type === 'task') {
      // A file that is given up takes its frames and seconds back; a counter must not, so those that follow fill the gap first.
      const before = running.get(task_id) ?? { frames: 0, heard: 0 };
      const now = {
        frames: Math.max(before.frames, event.task.frames),
        heard: Math.max(before.heard, event.task.heard_seconds),
      };
      frames += now.frames - before.frames;
      heard += now.heard - before.heard;
      running.set(task_id, now);
    }
  };
  return {
    listener,
    families: () => [
      single('counter', 'framehound_frames_total', 'Grid frames looked at.', frames),
      single('counter', 'framehound_missing_frames_total', 'Grid frames that could not be decoded.', missing),
      counters('framehound_files_total', 'Files of tasks, by how they ended.', 'outcome', files),
      single('counter', 'framehound_audio_seconds_total', 'Seconds of sound listened to.', heard),
      counters('framehound_tasks_total', 'Runs of tasks, by how they ended.', 'state', tasks),
      single('gauge', 'framehound_tasks_running', 'Tasks that run now.', running.size),
    ],
  };
}

function zeros<K extends string>(names: Readonly<Record<K, true>>): Record<K, number> {
  return Object.fromEntries(Object.keys(names).map((name) => [name, 0])) as Record<K, number>;
}

function counters(
  name: string,
  help: string,
  label: string,
  values: Readonly<Record<string, number>>,
): Family {
  const samples = Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));
  return { type: 'counter', name, help, samples };
}
