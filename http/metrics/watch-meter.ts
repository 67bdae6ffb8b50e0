// What is watched and how far it is, from how the watch folders stand. Sums over all folders: how many there
// are is up to the people who add them, and a label for each would be a series for every one there ever was.
import {
  type FolderStats,
  type WatchFolderList,
  type WatchState,
  watchStates,
} from '../../actors/watcher/folders/contract.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Family, single } from './exposition.ts';

export interface WatchMeter {
  /** Nothing when the configuration cannot be read, or not in time: other metrics do not wait for a disk. */
  families(): Promise<Family[]>;
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

function watchFamilies({ watch_folders: folders, service_status: status }: WatchFolderList): Family[] {
  const all = Object.values(status.folder_stats);
  const sum = (of: (stats: FolderStats) => number) => all.reduce((total, stats) => total + of(stats), 0);
  const enabled = folders.filter((folder) => folder.enabled);
  const away = enabled.filter(({ id }) => (status.folder_stats[id]?.paused_until ?? null) !== null).length;
  return [
    byState('framehound_watch_state', 'State of the watch-folder service: 1 for the one it is in.', {
      ...(Object.fromEntries(watchStates.map((state) => [state, 0])) as Record<WatchState, number>),
      [status.state]: 1,
    }),
    byState('framehound_watch_folders', 'Watch folders; away: enabled, and cannot be reached now.', {
      enabled: enabled.length - away,
      away,
      disabled: folders.length - enabled.length,
    }),
    byState('framehound_watch_files', 'Files in watch folders.', {
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

function byState(name: string, help: string, values: Readonly<Record<string, number>>): Family {
  const samples = Object.entries(values).map(([state, value]) => ({ labels: { state }, value }));
  return { type: 'gauge', name, help, samples };
}
