import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { watchErrors } from '../../../actors/watcher/folders/contract.ts';
import {
  folderLines,
  folderMeant,
  serviceLine,
  shortId,
  startHint,
  statusLines,
} from '../../../cli/commands/watch.ts';
import { minuteText } from '../../../cli/terminal.ts';
import { emptyStatus } from '../../http/fake-watch-folders.ts';
import { watchFolder } from './watch-world.ts';

const stats = {
  files_pending: 3,
  files_analyzed: 1204,
  files_failed: 2,
  files_filtered: 4,
  last_poll_time: 1_700_000_100,
  last_error: null,
  paused_until: null,
  failures: [],
};

test('a folder is told with what is done in it, what is left out, and how far it is', () => {
  const folder = watchFolder({
    cache_dir: '/analysis',
    enabled: false,
    enable_audio_analysis: true,
    audio_language: 'german',
    channels: [1, 2],
    preferred_x_model_key: 'subtitles',
    enable_face_analysis: true,
    cluster_job_name: 'Family',
    excluded_extensions: ['.mxf'],
    excluded_filename_globs: ['*_proxy.*'],
    excluded_folder_globs: ['prox*'],
    metadata_filter_request: {
      filters: [{ facet_id: 'technical.hdr', operator: 'is_not', values: ['sdr', 'hlg'] }],
    },
    last_poll_time: 1_700_000_000,
    files_analyzed_count: 7,
  });
  const lines = (more: Record<string, typeof stats>) =>
    folderLines(folder, [folder], more).trimEnd().split('\n');
  const [head, ...facts] = lines({});
  assert.equal(head, '3f2a81c0  /media/footage  (disabled)');
  assert.deepEqual(
    facts.map((fact) => fact.trim()),
    [
      'pictures, speech (german; channels 1, 2; subtitles), faces (Family)',
      'into /analysis',
      'without .mxf, *_proxy.*, prox*/',
      'only technical.hdr is_not sdr|hlg',
      `7 analysed; listed ${minuteText(1_700_000_000)}`,
    ],
  );
  assert.equal(
    lines({ [folder.id]: stats })
      .at(-1)
      ?.trim(),
    `1204 analysed, 3 pending, 2 failed, 4 excluded by its filter; listed ${minuteText(1_700_000_100)}`,
  );
});

test('a folder in which nothing is analysed says so', () => {
  const folder = watchFolder({ enable_visual_analysis: false });
  assert.match(folderLines(folder, [folder]), /nothing is analysed; to change that: framehound watch edit/);
});

test('the service is told in a line, with what it waits for', () => {
  assert.equal(serviceLine(emptyStatus()), 'The watch-folder service is stopped');
  assert.equal(
    serviceLine(
      emptyStatus({
        state: 'paused',
        files_pending: 1,
        files_processed_this_session: 340,
        paused_until: 1.7e9,
      }),
    ),
    `The watch-folder service is paused: 1 file pending, 340 done since the start, continues at ${minuteText(1.7e9)}`,
  );
});

test('the status names the file that is worked on, and of each folder what went wrong in it', () => {
  const [folder, away] = [watchFolder(), watchFolder({ id: 'b', folder_path: '/away' })];
  const failures = [
    { media_path: '/media/footage/a.mp4', error: 'no\nfilm', time: 1 },
    // It names the file itself.
    { media_path: '/media/footage/b.mp4', error: '/media/footage/b.mp4: damaged', time: 1 },
  ];
  const text = statusLines({
    watch_folders: [folder, away],
    service_status: emptyStatus({
      state: 'running',
      current_folder: '/media/footage',
      current_file: '/media/footage/\u001b[2J.mp4',
      task_id: 'task-1',
      last_error: 'the last one',
      folder_stats: {
        [folder.id]: { ...stats, failures },
        b: { ...stats, files_failed: 0, last_error: 'it is not there', paused_until: 1.7e9 },
      },
    }),
  });
  const lines = text.split('\n').map((line) => line.trim());
  assert.deepEqual(lines.slice(0, 4), [
    'The watch-folder service is running',
    'at /media/footage/\\x1b[2J.mp4, task task-1',
    '✗ the last one',
    '3f2a81c0  /media/footage',
  ]);
  assert.equal(lines[5], '✗ /media/footage/a.mp4: no\\x0afilm');
  assert.equal(lines[6], '✗ /media/footage/b.mp4: damaged');
  assert.deepEqual(lines.slice(9), ['✗ it is not there', `next try at ${minuteText(1.7e9)}`, '']);
});

test('a service that is stopped is to be started, unless another process watches', () => {
  assert.match(startHint(emptyStatus()), /framehound watch start$/);
  assert.equal(startHint(emptyStatus({ state: 'waiting' })), '');
  assert.equal(startHint(emptyStatus({ last_error: 'Process 1 on host watches the folders' })), '');
});

const all = [
  { id: 'abcdefgh1', folder_path: '/media/footage' },
  { id: 'abcdefgh2', folder_path: '/media/other' },
  { id: 'x1', folder_path: '/media/other' },
  { id: 'x12345678', folder_path: resolve('here') },
];

test('a folder is meant by its path, its id, or the beginning of an id that no other has', () => {
  for (const [word, id] of [
    ['/media/footage', 'abcdefgh1'],
    ['/media/../media/footage/', 'abcdefgh1'],
    ['here', 'x12345678'],
    ['./here', 'x12345678'],
    ['abcdefgh2', 'abcdefgh2'],
    ['x12', 'x12345678'],
    // A whole id goes before the beginning of another one.
    ['x1', 'x1'],
  ] as const)
    assert.equal(folderMeant(all, word).id, id, word);
});

test('what means no folder, or several, is told with what was probably meant', () => {
  for (const [word, message] of [
    ['abc', /^abc matches 2 watch folders; use one of their ids: abcdefgh1, abcdefgh2$/],
    ['/media/other', /^\/media\/other matches 2 watch folders; use one of their ids: abcdefgh2, x1$/],
    ['/media/fotage', /is not watched; did you mean \/media\/footage\?/],
    ['zzz', /^zzz is not watched; see: framehound watch list$/],
    ['', /is not watched/],
    ['\u001b[2J', /^\\x1b\[2J is not watched/],
  ] as const) {
    assert.throws(
      () => folderMeant(all, word),
      (error: Error) => watchErrors.WATCH_FOLDER_UNKNOWN.is(error) && message.test(error.message),
      word,
    );
  }
  assert.throws(() => folderMeant([], 'a'), /framehound watch add FOLDER/);
});

test('an id is shown as short as it names one folder', () => {
  assert.deepEqual(
    all.map(({ id }) => shortId(id, all)),
    ['abcdefgh1', 'abcdefgh2', 'x1', 'x1234567'],
  );
});
