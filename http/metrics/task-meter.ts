// Counts what tasks of analysis do, from what they tell.
import type { TaskListener } from '../../actors/analysis/contract.ts';
import { outcomeWord } from '../../actors/analysis/result.ts';
import { outcomeWords } from '../../actors/analysis/schemas.ts';
import type { StageKind } from '../../actors/analysis/stages/kind.ts';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import { endStates } from '../../actors/analysis/tasks/contract.ts';
import { type Family, single } from './exposition.ts';

export interface TaskMeter {
  readonly listener: TaskListener;
  families(): Family[];
}

/** `kinds`: the kinds of work there are. */
export function createTaskMeter(kinds: readonly StageKind[] = stageKinds): TaskMeter {
  const files = zeros(outcomeWords(kinds));
  const jobs = zeros(['analyzed', 'stored', 'failed', 'cancelled']);
  const tasks = zeros(endStates);
  const done = zeros(kinds.map(({ type }) => type));
  const results = zeros(kinds.flatMap(({ metrics }) => metrics.results.map(({ name }) => name)));
  /** The most each running task has told, by type. */
  const running = new Map<string, Record<string, number>>();
  const waiting = new Set<string>();
  const listener: TaskListener = (task_id, event) => {
    if (event.type === 'queued') waiting.add(task_id);
    else if (event.type === 'start') {
      waiting.delete(task_id);
      running.set(task_id, {});
    } else if (event.type === 'end') {
      waiting.delete(task_id);
      running.delete(task_id);
      add(tasks, event.state, 1);
    } else if (event.type === 'result') {
      add(event.result.closing ? jobs : files, outcomeWord(event.result), 1);
      const kind = kinds.find(({ type }) => type === event.result.type);
      for (const { name, count } of kind?.metrics.results ?? [])
        add(results, name, count(event.result.facts));
    } else if (event.type === 'task') {
      // A file that is given up takes its amount back; a counter must not, so the files that follow fill the
      // gap first.
      const most = running.get(task_id) ?? {};
      for (const [type, stage] of Object.entries(event.task.stages)) {
        const before = most[type] ?? 0;
        most[type] = Math.max(before, stage.done);
        add(done, type, most[type] - before);
      }
      running.set(task_id, most);
    }
  };
  return {
    listener,
    families: () => [
      ...kinds.flatMap(({ type, metrics }) => [
        ...(metrics.done ? [single('counter', metrics.done.name, metrics.done.help, done[type] ?? 0)] : []),
        ...metrics.results.map(({ name, help }) => single('counter', name, help, results[name] ?? 0)),
      ]),
      counters('framehound_files_total', 'Files of tasks, by how they ended.', 'outcome', files),
      counters(
        'framehound_jobs_total',
        'Jobs: clusterings of faces, clips, proxies and models to download, by how they ended.',
        'outcome',
        jobs,
      ),
      counters('framehound_tasks_total', 'Runs of tasks, by how they ended.', 'state', tasks),
      single('gauge', 'framehound_tasks_running', 'Tasks that run now.', running.size),
      single('gauge', 'framehound_tasks_queued', 'Tasks that wait for their turn.', waiting.size),
    ],
  };
}

function zeros(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

function add(counts: Record<string, number>, name: string, amount: number): void {
  counts[name] = (counts[name] ?? 0) + amount;
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
