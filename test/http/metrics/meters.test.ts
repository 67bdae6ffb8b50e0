import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type FolderStats,
  type WatchFolderList,
  watchErrors,
} from '../../../actors/watcher/folders/contract.ts';
import { renderFamilies, single } from '../../../http/metrics/exposition.ts';
import { createWatchMeter } from '../../../http/metrics/meters.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { until } from '../../until.ts';
import { emptyStatus } from '../fake-watch-folders.ts';
import { readExposition } from './exposition.ts';

const stats = (more: Partial<FolderStats> = {}): FolderStats => ({
  files_pending: 1,
  files_analyzed: 20,
  files_failed: 3,
  files_filtered: 4,
  last_poll_time: 0,
  last_error: null,
  paused_until: null,
  failures: [],
  ...more,
});

const listed: WatchFolderList = {
  watch_folders: (
    [
      ['a', true, 50],
      ['b', true, 40],
      ['c', false, 0],
    ] as const
  ).map(([id, enabled, last_poll_time]) => ({ id, enabled, last_poll_time })) as never,
  service_status: emptyStatus({
    state: 'paused',
    files_processed_this_session: 7,
    folder_stats: { a: stats(), b: stats({ paused_until: 60 }), c: stats({ paused_until: 60 }) },
  }),
};

async function samplesOf(list: () => Promise<WatchFolderList>) {
  const text = renderFamilies([
    single('gauge', 'another', 'Another.', 1),
    ...(await createWatchMeter(list, manualClock()).families()),
  ]);
  return Object.fromEntries([...readExposition(text).values()].flatMap(({ samples }) => [...samples]));
}

test('what is watched is told in sums over all folders, without a label for any of them', async () => {
  assert.deepEqual(await samplesOf(async () => listed), {
    another: 1,
    'framehound_watch_state{state="stopped"}': 0,
    'framehound_watch_state{state="running"}': 0,
    'framehound_watch_state{state="stopping"}': 0,
    'framehound_watch_state{state="paused"}': 1,
    'framehound_watch_state{state="waiting"}': 0,
    'framehound_watch_folders{state="enabled"}': 1,
    'framehound_watch_folders{state="away"}': 1,
    'framehound_watch_folders{state="disabled"}': 1,
    'framehound_watch_files{state="pending"}': 3,
    'framehound_watch_files{state="analyzed"}': 60,
    'framehound_watch_files{state="failed"}': 9,
    'framehound_watch_files{state="filtered"}': 12,
    framehound_watch_files_processed_total: 7,
    framehound_watch_oldest_poll_time_seconds: 40,
  });
});

test('without an enabled folder there is no time at which it was listed', async () => {
  const samples = await samplesOf(async () => ({ watch_folders: [], service_status: emptyStatus() }));
  assert.equal(samples['framehound_watch_oldest_poll_time_seconds'], undefined);
  assert.equal(samples['framehound_watch_files{state="pending"}'], 0);
});

test('a configuration that cannot be read leaves the other metrics as they are', async () => {
  const list = () => Promise.reject(watchErrors.WATCH_FOLDERS_DAMAGED());
  assert.deepEqual(await samplesOf(list), { another: 1 });
});

test('a disk that hangs is waited for a second, and not asked again meanwhile', async () => {
  const clock = manualClock();
  const answer = Promise.withResolvers<WatchFolderList>();
  let asked = 0;
  const list = () => {
    asked++;
    return answer.promise;
  };
  const meter = createWatchMeter(list, clock);
  for (const _ of [1, 2]) {
    const late = meter.families();
    clock.advance(1000);
    assert.deepEqual(await late, []);
  }
  assert.equal(asked, 1);
  answer.resolve(listed);
  await until(async () => (await meter.families()).length > 0);
  assert.equal(clock.waiting, 0);
});
