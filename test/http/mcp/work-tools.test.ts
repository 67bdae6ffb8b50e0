// The tools that begin, follow and write something.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type Answers, call, FILM, HASH, jpeg, page, record, refusal } from './fake-client.ts';

test('analyze takes all media of folders, and waits for the model; it never takes the place of another task', async () => {
  const folders: Record<string, object> = {
    '/media': { total: 2, folders: [{ path: '/media/a' }], files: [{ media_path: '/media/1.mp4' }] },
    '/media/a': { total: 1, folders: [], files: [{ media_path: '/media/a/2.mp4' }] },
  };
  let tries = 0;
  const answers: Answers = {
    listMedia: ({ folder }: { folder: string }) => {
      if (folders[folder]) return folders[folder];
      throw refusal(400, 'Invalid folder', 'it is none');
    },
    listTasks: () => ({ tasks: [] }),
    analyze: () => {
      if (++tries < 3) throw refusal(503, 'Models are still loading', 'soon');
      return { task_id: 't1', message: 'x' };
    },
  };
  const input = { paths: ['/media', '/film.mp4'], what: ['pictures', 'speech'] };
  const { text, asked } = await call('analyze', input, answers);
  assert.match(text, /^Task t1 has started on 3 files \(pictures, speech\)\./);
  const files = ['/film.mp4', '/media/1.mp4', '/media/a/2.mp4'];
  assert.deepEqual(asked('analyze').at(-1)!.input, {
    cache_dir: '/analysis',
    visual_media_paths: files,
    transcription_jobs: files.map((path) => ({ path, language: 'auto' })),
  });
  const running = { task_id: 't0', state: 'running', progress: 40.4, request: { types: ['video'] } };
  const busy = await call('analyze', input, { ...answers, listTasks: () => ({ tasks: [running] }) });
  assert.equal(busy.isError, true);
  assert.match(busy.text, /^Task t0 is running \(40%\).*"wait_seconds"/);
  assert.equal(busy.asked('analyze').length, 0);
  for (const type of ['clips', 'pull', 'proxy']) {
    const other = { ...running, request: { types: [type] } };
    const begun = await call('analyze', input, { ...answers, listTasks: () => ({ tasks: [other] }) });
    assert.equal(begun.isError, false, `${type} runs beside an analysis: ${begun.text}`);
  }
});

test('task tells how far it is while it waits', async () => {
  const counts = { files: 4, done: 1, failed: 0, jobs: 0, jobs_done: 0, jobs_failed: 0 };
  const detail = { task_id: 't1', counts, request: { types: ['video'] }, results: [], error: null };
  const left = { estimated_remaining_seconds: 9, queue_position: null };
  const percents = [10, 10, 40, 40];
  const getTask = () => {
    const progress = percents.shift();
    return {
      ...detail,
      ...left,
      state: progress === undefined ? 'completed' : 'running',
      progress: progress ?? 100,
    };
  };
  const { progress, data } = await call('task', { id: 't1', wait_seconds: 10 }, { getTask });
  assert.deepEqual(
    progress.map(([percent]) => percent),
    [10, 10, 40, 40],
  );
  assert.match(progress[0]![1], /^t1 running 10% \(video\): 1 of 4 done, about 9 s left$/);
  const [one] = (data as { tasks: object[] }).tasks;
  assert.deepEqual(one, {
    ...{ task_id: 't1', state: 'completed', progress: 100, done: 1, total: 4, failed: 0 },
    estimated_remaining_seconds: 9,
  });
});

test('analyze groups faces from two pictures on, and leaves a clustering as it is', async () => {
  const job = { name: 'people', eps: 0.4, min_samples: 5 };
  for (const [jobs, how] of [
    [[], { face_min_samples: 2 }],
    [[job], { face_eps: 0.4, face_min_samples: 5 }],
  ] as const) {
    const answers: Answers = {
      listMedia: () => ({ total: 1, folders: [], files: [{ media_path: '/media/1.mp4' }] }),
      listTasks: () => ({ tasks: [] }),
      faceClusters: () => ({ jobs }),
      analyze: () => ({ task_id: 't1', message: 'x' }),
    };
    const { asked } = await call('analyze', { paths: ['/media'], what: ['faces'] }, answers);
    const face_media_paths = ['/media/1.mp4'];
    assert.deepEqual(asked('analyze')[0]!.input, {
      cache_dir: '/analysis',
      face_clustering_jobs: [{ cluster_job_name: 'people', ...how, face_media_paths }],
    });
  }
});

test('analyze looks into a folder once, however many links lead to it, and takes many files in turns', async () => {
  const names = Array.from({ length: 5002 }, (_, i) => ({ media_path: `/media/${i}.mp4` }));
  const answers: Answers = {
    listMedia: ({ folder, offset, limit }: { folder: string; offset: number; limit: number }) => {
      if (folder.length > 100) throw refusal(400, 'Invalid folder', 'too many links');
      const real = folder.replaceAll('/again', '');
      const folders = offset === 0 ? [{ path: `${folder}/again` }] : [];
      const at = Math.max(0, offset - 1);
      const files = names
        .slice(at, at + limit - folders.length)
        .map(({ media_path }) => ({ media_path: media_path.replace('/media', folder) }));
      return { total: names.length + 1, folders, files, real_path: real };
    },
    listTasks: () => ({ tasks: [] }),
    analyze: () => ({ task_id: 't1', message: 'x' }),
  };
  const first = await call('analyze', { paths: ['/media'] }, answers);
  assert.match(first.text, /on 5000 files \(pictures\)\. The folders hold more files: .* cursor "5000"\./);
  const second = await call('analyze', { paths: ['/media'], cursor: '5000' }, answers);
  assert.deepEqual(second.asked('analyze')[0]!.input['visual_media_paths'], [
    '/media/5000.mp4',
    '/media/5001.mp4',
  ]);
  assert.doesNotMatch(second.text, /cursor/);
  const third = await call('analyze', { paths: ['/media'], cursor: '9999' }, answers);
  assert.equal(third.text, 'paths: they contain only 9999 files');
});

test('analyze follows no link that leads to more than what is named', async () => {
  const real: Readonly<Record<string, string>> = { '/media/up': '/', '/media/away': '/far' };
  const answers: Answers = {
    listMedia: ({ folder }: { folder: string }) => ({
      total: 1,
      folders:
        folder === '/media'
          ? Object.keys(real).map((path) => ({ path, is_wide_link: real[path] === '/' }))
          : [],
      files: [{ media_path: `${folder}/a.mp4` }],
      real_path: real[folder] ?? folder,
    }),
    listTasks: () => ({ tasks: [] }),
    analyze: () => ({ task_id: 't1', message: 'x' }),
  };
  const { asked } = await call('analyze', { paths: ['/media'] }, answers);
  assert.deepEqual(asked('analyze')[0]!.input['visual_media_paths'], ['/media/a.mp4', '/media/away/a.mp4']);
});

test('task names the files that failed however many others are before them, a page at a time', async () => {
  const counts = { files: 12_000, done: 12_000, failed: 2, jobs: 1, jobs_done: 1, jobs_failed: 0 };
  const results = Array.from({ length: 12_000 }, (_, i) => ({
    path: `/media/${i}.mp4`,
    type: 'video',
    outcome: i < 11_998 ? 'stored' : 'failed',
    error: i < 11_998 ? null : { message: `broken ${i}` },
  }));
  const answers: Answers = {
    getTask: ({ offset, limit }: { offset: number; limit: number }) => ({
      task_id: 't1',
      state: 'completed',
      progress: 100,
      counts,
      request: { types: ['video'] },
      estimated_remaining_seconds: null,
      error: null,
      results: results.slice(offset, offset + limit),
    }),
  };
  const first = await call('task', { id: 't1', limit: 1 }, answers);
  assert.match(first.text, /^t1 completed 100% \(video\): 12001 of 12001 done, 2 of them failed\n/);
  assert.match(first.text, /Failed:\n11998\.mp4 \(video\): broken 11998\nMore: call again with cursor "1"\./);
  const second = await call('task', { id: 't1', limit: 1, cursor: '1' }, answers);
  assert.match(second.text, /Failed:\n11999\.mp4 \(video\): broken 11999$/);
});

test('an export goes on beside an analysis that runs; another analysis does not', async () => {
  const counts = { done: 0, files: 0, failed: 0, jobs: 1, jobs_done: 0, jobs_failed: 0 };
  const common = { progress: 0, counts, error: null, estimated_remaining_seconds: null };
  const one = (task_id: string, state: string, type: string, queue_position: number | null = null) => {
    return { ...common, task_id, state, queue_position, request: { types: [type] }, results: [] };
  };
  const tasks = [
    one('runs', 'running', 'video'),
    one('cut', 'cancelled', 'clips'),
    one('old', 'cancelled', 'video'),
  ];
  const answers: Answers = {
    listTasks: () => ({ tasks }),
    resumeTask: () => ({ message: 'The task is queued' }),
    getTask: ({ task_id }: { task_id: string }) => one(task_id, 'queued', 'clips', 2),
  };
  const { text, asked } = await call('task', { id: 'cut', action: 'resume' }, answers);
  assert.match(text, /The task is queued\ncut queued \(position 2 in the queue\)/);
  assert.deepEqual(
    asked('resumeTask').map(({ input }) => input),
    [{ task_id: 'cut' }],
  );
  const refused = await call('task', { id: 'old', action: 'resume' }, answers);
  assert.equal(refused.isError, true);
  assert.match(refused.text, /^Task runs is running/);
  assert.equal(refused.asked('resumeTask').length, 0);
});

test('make_timeline places clips one after the other, and leaves out the sound of films that have none', async () => {
  const other = { ...record, hash_str: `${HASH}0`, media_path: '/media/mute.mp4' };
  const kind = (path: string) =>
    [path, { kind: 'video', hash_str: path === FILM ? HASH : other.hash_str }] as const;
  const answers: Answers = {
    listLibrary: () => ({ ...page, media: [record, other] }),
    mediaMetadata: ({ media_paths }: { media_paths: string[] }) => ({
      media_properties: Object.fromEntries(media_paths.map(kind)),
    }),
    exportTimeline: ({ items }: { items: { media_path: string; track: string }[] }) => {
      const at = items.findIndex((item) => item.media_path === other.media_path && item.track === 'audio');
      if (at >= 0)
        throw refusal(
          400,
          `Invalid items[${at}].track`,
          `items[${at}].track is audio, but the file has no sound`,
        );
      return { output_path: '/out/cut-2.xml', total_duration_seconds: 5, fps: 25, item_count: items.length };
    },
  };
  const clips = [
    { media: 'mute.mp4', in: 1, out: 3 },
    { media: `${HASH}@12`, in: 10, out: 13, name: 'boats' },
  ];
  const { text, asked } = await call('make_timeline', { clips, output_path: '/out/cut.xml' }, answers);
  assert.equal(text, 'Written: /out/cut-2.xml\n2 clips, 00:00:05 (5 s) at 25 frames per second');
  const second = {
    media_path: FILM,
    source_start_seconds: 10,
    source_end_seconds: 13,
    timeline_start_seconds: 2,
    name: 'boats',
  };
  assert.deepEqual(asked('exportTimeline').at(-1)!.input['items'], [
    {
      media_path: other.media_path,
      source_start_seconds: 1,
      source_end_seconds: 3,
      timeline_start_seconds: 0,
      track: 'video',
    },
    { ...second, track: 'video' },
    { ...second, track: 'audio' },
  ]);
});

test('of a file that was replaced since its analysis nothing is shown or cut as if it were the same', async () => {
  const now = {
    kind: 'video',
    hash_str: `${HASH}0`,
    width: 640,
    height: 360,
    fps: 25,
    timecode: '00:00:00:00',
  };
  const mediaMetadata = () => ({ media_properties: { [FILM]: now } });
  const clips = [{ media: FILM, in: 1, out: 3 }];
  const cut = await call('make_timeline', { clips, output_path: '/out/cut.xml' }, { mediaMetadata });
  assert.equal(cut.isError, true);
  assert.match(cut.text, /^clips\[0\]\.media: another file is now at \/media\/harbour\.mp4, .*analyze/);
  assert.equal(cut.asked('exportTimeline').length, 0);
  const told = await call('describe_media', { media: HASH }, { mediaMetadata });
  assert.match(told.text, /Another file is now at this path/);
  assert.doesNotMatch(told.text, /640x360/);
  const shown = await call(
    'look',
    { moments: [`${HASH}@3`] },
    { thumbnails: () => ({ thumbnails: [{ thumbnail: jpeg(400) }] }) },
  );
  assert.deepEqual(shown.asked('thumbnails')[0]!.input['requests'], [
    { media_path: FILM, hash_str: HASH, time_seconds: 3 },
  ]);
});
