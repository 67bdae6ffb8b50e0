// Counts of tasks and watch folders, as metrics.
import type { TaskListener } from '../../actors/analysis/contract.ts';
import { outcomeWord } from '../../actors/analysis/result.ts';
import { outcomeWords } from '../../actors/analysis/schemas.ts';
import type { StageKind } from '../../actors/analysis/stages/kind.ts';
import { stageKinds } from '../../actors/analysis/stages/kinds.ts';
import { endStates } from '../../actors/analysis/tasks/contract.ts';
import {
  type FolderStats,
  type WatchFolderList,
  type WatchState,
  watchStates,
} from '../../actors/watcher/folders/contract.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type MetricFamily, single } from './exposition.ts';

// Metrics of tasks, from their events.

interface TaskMeter {
  readonly listener: TaskListener;
  families(): MetricFamily[];
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
      by('counter', 'framehound_files_total', 'Files of tasks, by how they ended.', 'outcome', files),
      by(
        'counter',
        'framehound_jobs_total',
        'Jobs: clusterings of faces, clips, proxies and models to download, by how they ended.',
        'outcome',
        jobs,
      ),
      by('counter', 'framehound_tasks_total', 'Runs of tasks, by how they ended.', 'state', tasks),
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

/** A sample for each key of `values`, which is the value of the label. */
function by(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  label: string,
  values: Readonly<Record<string, number>>,
): MetricFamily {
  const samples = Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));
  return { type, name, help, samples };
}

// Metrics of watching, from the state of the watch folders. They are sums over all folders: people add
// folders, and a label for each would make a series for every folder that ever existed.

interface WatchMeter {
  /** Nothing when the configuration cannot be read, or not in time: other metrics do not wait for a disk. */
  families(): Promise<MetricFamily[]>;
}

const LIMIT_MS = 1000;

export function createWatchMeter(list: () => Promise<WatchFolderList>, clock: Clock): WatchMeter {
  let asking: Promise<WatchFolderList | null> | null = null;
  /** One question at a time: one that hangs is not asked again. */
  const ask = () => {
    asking ??= Promise.resolve()
      .then(list)
      .catch(() => null)
      .finally(() => {
        asking = null;
      });
    return asking;
  };
  return {
    families: async () => {
      const late = Promise.withResolvers<null>();
      const forget = clock.after(LIMIT_MS, () => late.resolve(null));
      const answer = await Promise.race([ask(), late.promise]);
      forget();
      return answer === null ? [] : watchFamilies(answer);
    },
  };
}

function watchFamilies({ watch_folders: folders, service_status: status }: WatchFolderList): MetricFamily[] {
  const all = Object.values(status.folder_stats);
  const sum = (of: (stats: FolderStats) => number) => all.reduce((total, stats) => total + of(stats), 0);
  const enabled = folders.filter((folder) => folder.enabled);
  const away = enabled.filter(({ id }) => (status.folder_stats[id]?.paused_until ?? null) !== null).length;
  return [
    by(
      'gauge',
      'framehound_watch_state',
      'State of the watch-folder service: 1 for the one it is in.',
      'state',
      {
        ...(Object.fromEntries(watchStates.map((state) => [state, 0])) as Record<WatchState, number>),
        [status.state]: 1,
      },
    ),
    by(
      'gauge',
      'framehound_watch_folders',
      'Watch folders; away: enabled, and cannot be reached now.',
      'state',
      {
        enabled: enabled.length - away,
        away,
        disabled: folders.length - enabled.length,
      },
    ),
    by('gauge', 'framehound_watch_files', 'Files in watch folders.', 'state', {
      pending: sum((stats) => stats.files_pending),
      analyzed: sum((stats) => stats.files_analyzed),
      failed: sum((stats) => stats.files_failed),
      filtered: sum((stats) => stats.files_filtered),
    }),
    single(
      'counter',
      'framehound_watch_files_processed_total',
      'Files of watch folders that were worked on since the watch-folder service was started.',
      status.files_processed_this_session,
    ),
    {
      type: 'gauge',
      name: 'framehound_watch_oldest_poll_time_seconds',
      help: 'When the enabled folder was listed that was listed longest ago, Unix time; 0 for never.',
      samples:
        enabled.length === 0 ? [] : [{ value: Math.min(...enabled.map((folder) => folder.last_poll_time)) }],
    },
  ];
}
