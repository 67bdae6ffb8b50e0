import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError } from '../../../http/client/error.ts';
import { runTool } from '../../../http/mcp/run-tool.ts';
import { tools } from '../../../http/mcp/tools.ts';
import { type Answers, FILM, fakeDesk, HASH, jpeg, library, none, page, record } from './fake-client.ts';

const named = (name: string) => tools.find((one) => one.name === name)!;

/** The answer of a tool, and what it asked the service. */
async function call(name: string, input: object, answers: Answers = {}) {
  const desk = fakeDesk({ ...library, ...answers });
  const answer = await runTool(named(name), input, desk, none);
  return { ...answer, asked: (operation: string) => desk.asked.filter((one) => one.name === operation) };
}

const refusal = (status: number, error: string, message: string) =>
  new ApiError({ status, headers: new Headers() } as Response, { error, message });

const moment = (second: number, reasons: object[] = [{ kind: 'seen', rank: second }]) => ({
  moment_id: `${HASH}@${second}`,
  hash_str: HASH,
  media_path: FILM,
  kind: 'video',
  time_seconds: second,
  start_seconds: second,
  end_seconds: second + 4,
  reasons,
});
const moments = (count: number) => ({
  moments: Array.from({ length: count }, (_, i) => moment(i + 1)),
  counts: { seen: count, said: 0, person: 0 },
});

test('find_moments says a moment a line, with its reasons, and what to send for more', async () => {
  const said = {
    kind: 'said',
    rank: 1,
    text: 'to the "harbour"',
    speaker: 'SPEAKER_00',
    speaker_name: 'Ann',
  };
  const explanation = { band: 'likely', parts: [{ part: 'text', band: 'likely' }] };
  const reasons = [{ kind: 'seen', rank: 3, explanation }, said, { kind: 'person', rank: 2, name: 'Ann' }];
  const searchMoments = () => ({ ...moments(9), moments: [moment(12, reasons), ...moments(9).moments] });
  const { text, isError, asked } = await call(
    'find_moments',
    { text: 'harbour', limit: 3 },
    { searchMoments },
  );
  assert.equal(isError, false);
  const [head, first, ...rest] = text.split('\n');
  assert.equal(head, 'Moments 1-3, best first.');
  assert.equal(
    first,
    `${HASH}@12 harbour.mp4 at 00:00:12, scene 00:00:12-00:00:16 (12-16 s): seen (likely), rank 3; said by Ann, rank 1: "to the 'harbour'"; Ann is seen, rank 2`,
  );
  assert.equal(rest.at(-1), 'More: call again with cursor "3".');
  assert.deepEqual(asked('loadAnalysisData')[0]!.input, { cache_dir: '/analysis' });
  assert.deepEqual(asked('searchMoments')[0]!.input, {
    cache_dir: '/analysis',
    query: 'harbour',
    limit: 4,
    explain: true,
  });
});

test('find_moments hands on everything that it takes, media by name and a moment by its id', async () => {
  const input = {
    like: `${HASH}@7`,
    text: 'boats',
    exclude: ['cars'],
    kinds: ['seen'],
    people: ['Ann'],
    people_mode: 'any',
    media: ['harbour.mp4'],
    from: 10.5,
    to: 20.5,
    filters: [{ facet: 'year', values: ['2024'] }],
    cursor: '8',
  };
  const { asked, text } = await call('find_moments', input, { searchMoments: () => moments(20) });
  assert.deepEqual(asked('searchMoments')[0]?.input, {
    cache_dir: '/analysis',
    query: 'boats',
    like: { hash_str: HASH, time_seconds: 7 },
    exclude: ['cars'],
    kinds: ['seen'],
    media_paths: [FILM],
    segments_to_frame_indices: { [FILM]: [10, 21] },
    people_filter: [{ person_name: 'Ann' }],
    people_filter_mode: 'or',
    metadata_filter_request: { filters: [{ facet_id: 'year', operator: 'is_any_of', values: ['2024'] }] },
    limit: 17,
    explain: true,
  });
  assert.match(text, /^Moments 9-16, best first\./);
});

test('pictures come only when they are asked for, and each line says which one is its own', async () => {
  const thumbnails = ({ requests }: { requests: unknown[] }) => ({
    thumbnails: requests.map((_, i) => ({ thumbnail: i === 1 ? null : jpeg(4000) })),
  });
  const answers = { searchMoments: () => moments(3), thumbnails };
  const plain = await call('find_moments', { text: 'x' }, answers);
  assert.equal(plain.pictures.length, 0);
  assert.equal(plain.asked('thumbnails').length, 0);
  const shown = await call('find_moments', { text: 'x', thumbnails: 'small' }, answers);
  assert.equal(shown.pictures.length, 2);
  const lines = shown.text.split('\n');
  assert.match(lines[1]!, /\[picture 1\]$/);
  assert.doesNotMatch(lines[2]!, /picture/);
  assert.match(lines[3]!, /\[picture 2\]$/);
});

test('look makes pictures smaller until all fit, and leaves out what is no picture', async () => {
  const thumbnails = ({ requests, max_size }: { requests: unknown[]; max_size: number }) => ({
    thumbnails: requests.map((_, i) => ({ thumbnail: i === 2 ? 'not base64!' : jpeg(max_size * 200) })),
  });
  const ids = [1, 2, 3].map((second) => `${HASH}@${second}`);
  const { text, pictures, asked } = await call('look', { moments: ids, width: 512 }, { thumbnails });
  assert.equal(pictures.length, 2);
  assert.match(text, /^Picture 1: .*@1 harbour\.mp4 at 00:00:01\nPicture 2: .*\nNo picture: .*@3/);
  assert.match(text, /The pictures are \d+ px so that all fit/);
  assert.equal(asked('thumbnails')[0]!.input['max_size'], 512);
  assert.ok((asked('thumbnails').at(-1)!.input['max_size'] as number) < 512);
});

test('what an assistant gets wrong is said with the name of the argument and what to do next', async () => {
  const cases: [string, object, Answers, RegExp][] = [
    ['find_moments', { query: 'x' }, {}, /takes no argument "query".*it takes text,/],
    ['find_moments', { exlude: ['x'] }, {}, /did you mean exclude\?/],
    ['find_moments', {}, {}, /one of text, image_path and like is needed/],
    ['find_moments', { text: 'x', limit: 21 }, {}, /limit must be .*call again/],
    ['find_moments', { text: 'x', cursor: '-1' }, {}, /cursor must be the cursor of the answer before/],
    ['find_moments', { text: 'x', media: ['harbor.mp4'] }, {}, /media\[0\].*Did you mean harbour\.mp4\?/],
    ['find_moments', { text: 'x', from: 3 }, {}, /from and to need exactly one file in media/],
    ['look', { moments: ['12'] }, {}, /moments\[0\].*hash@second/],
    ['look', { moments: Array(7).fill(`${HASH}@1`) }, {}, /moments must not have more than 6 items, has 7/],
    ['look', { moments: ['00000000-1@1'] }, {}, /no media "00000000-1".*list_library/],
    [
      'read_transcript',
      { media: '/media/other.mp4' },
      {},
      /no media "\/media\/other.mp4".*analyze adds a file/,
    ],
    ['task', { action: 'cancel' }, {}, /id: cancel needs the id of a task/],
    [
      'find_moments',
      { text: 'x', people: ['Bob'] },
      {
        searchMoments: () => {
          const field = 'people_filter[0].person_name';
          throw refusal(400, `Invalid ${field}`, `${field}: no Bob; did you mean Rob?`);
        },
      },
      /^people\[0\]: no Bob; did you mean Rob\?\. Correct this argument and call again\. who lists the people\.$/,
    ],
    [
      'find_moments',
      { text: 'x', filters: [{ facet: 'y', values: ['z'] }] },
      {
        searchMoments: () => {
          const field = 'metadata_filter_request.filters[0].facet_id';
          throw refusal(400, `Invalid ${field}`, `${field}: there is no facet y`);
        },
      },
      /^filters\[0\]\.facet: there is no facet y\. .*list_library with facets true/,
    ],
    [
      'find_spoken',
      { text: 'x' },
      {
        loadTranscriptions: () => {
          throw refusal(503, 'The analysis folder cannot be opened', 'it is not there');
        },
      },
      /\/analysis/,
    ],
    [
      'who',
      {},
      {
        faceClusters: () => {
          throw refusal(401, 'Authentication required', 'no key');
        },
      },
      /FRAMEHOUND_LICENSE_KEY/,
    ],
  ];
  for (const [name, input, answers, expected] of cases) {
    const { text, isError } = await call(name, input, answers);
    assert.equal(isError, true, text);
    assert.match(text, expected);
    assert.doesNotMatch(text, /\n/, text);
  }
});

test('where nothing is analysed a search says so and what to call', async () => {
  const loadAnalysisData = () => ({ media: 0, transcriptions: 0 });
  const { text } = await call('find_moments', { text: 'x' }, { loadAnalysisData });
  assert.match(text, /^Nothing is analysed in \/analysis yet\. Call analyze/);
  const spoken = await call(
    'find_spoken',
    { text: 'x' },
    { loadTranscriptions: () => ({ transcriptions: 0 }) },
  );
  assert.match(spoken.text, /^Nothing is transcribed/);
});

test('find_spoken quotes 300 characters of a hit at most, and says how many hits there are', async () => {
  const hit = (i: number) => ({
    media_path: FILM,
    hash_str: HASH,
    start_seconds: i,
    end_seconds: i + 2.5,
    text: ` ${'word '.repeat(100)}`,
    speaker: 'SPEAKER_00',
    speaker_name: '',
    segment_index: i,
  });
  const searchTranscript = ({ max_results }: { max_results: number }) => ({
    matches: Array.from({ length: max_results }, (_, i) => hit(i)),
    total: 40,
    total_is_exact: true,
  });
  const { text } = await call('find_spoken', { text: 'word', limit: 2, cursor: '2' }, { searchTranscript });
  const lines = text.split('\n');
  assert.equal(lines[0], 'Hits 3-4 of 40.');
  assert.match(
    lines[1]!,
    new RegExp(`^${HASH}@2 harbour\\.mp4 00:00:02-00:00:04 \\(2-4\\.5 s\\) SPEAKER_00: "word `),
  );
  assert.ok(lines[1]!.split(': ')[1]!.length <= 302);
  assert.equal(lines[3], 'More: call again with cursor "4".');
});

test('read_transcript reads on by its cursor and stops at whole passages', async () => {
  const segment = (i: number) => ({
    segment_index: i,
    start_seconds: i * 3,
    end_seconds: i * 3 + 3,
    text: `${i} ${'x'.repeat(1500)}`,
    speaker: '',
    speaker_name: '',
  });
  const all = Array.from({ length: 12 }, (_, i) => segment(i));
  const transcriptionsRange = (input: { after_segment_index?: number; max_segments: number }) => ({
    ...(library.transcriptionsRange!({ hash_str: HASH } as never) as object),
    segments: input.max_segments === 1 ? [] : all.slice((input.after_segment_index ?? -1) + 1),
  });
  const seen: string[] = [];
  let cursor: string | undefined;
  for (let round = 0; round < 5; round++) {
    const { text } = await call(
      'read_transcript',
      { media: HASH, ...(cursor && { cursor }) },
      { transcriptionsRange },
    );
    assert.ok(text.length <= 12_000);
    seen.push(...[...text.matchAll(/^\d\d:\d\d:\d\d \d+: (\d+) /gm)].map(([, nth]) => nth!));
    cursor = /cursor "(\d+)"/.exec(text)?.[1];
    if (cursor === undefined) break;
  }
  assert.deepEqual(
    seen,
    all.map((_, i) => String(i)),
  );
});

test('list_library looks for a name beyond the first page, and its cursor goes on where it stopped', async () => {
  const media = Array.from({ length: 5000 }, (_, i) => ({
    ...record,
    hash_str: `${HASH}${i}`,
    media_path: i % 1000 === 999 ? `/media/harbour ${i}.mp4` : `/media/${i}.mp4`,
  }));
  const listLibrary = ({ offset = 0, limit = 0 }) => ({
    ...page,
    total: media.length,
    media: media.slice(offset, offset + limit),
  });
  const first = await call('list_library', { name: 'HARBOUR', limit: 1 }, { listLibrary });
  assert.match(first.text, /harbour 999\.mp4/);
  assert.match(first.text, /cursor "1000"/);
  const last = await call('list_library', { name: 'harbour', cursor: '4000' }, { listLibrary });
  assert.match(last.text, /harbour 4999\.mp4/);
  assert.doesNotMatch(last.text, /cursor/);
});

test('a name of several media is not guessed', async () => {
  const media = [record, { ...record, hash_str: `${HASH}0`, media_path: '/other/harbour.mp4' }];
  const { text, isError } = await call(
    'describe_media',
    { media: 'harbour.mp4' },
    { listLibrary: () => ({ ...page, media }) },
  );
  assert.equal(isError, true);
  assert.match(
    text,
    /name of several files; give the hash of one: .*\/media\/harbour\.mp4.*\/other\/harbour\.mp4/,
  );
});

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
  assert.match(text, /^Task t1 has begun on 3 files \(pictures, speech\)\./);
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
          `items[${at}].track is audio: the file has no sound`,
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
  assert.match(
    cut.text,
    /^clips\[0\]\.media: another file lies at \/media\/harbour\.mp4 since it was analysed.*analyze/,
  );
  assert.equal(cut.asked('exportTimeline').length, 0);
  const told = await call('describe_media', { media: HASH }, { mediaMetadata });
  assert.match(told.text, /Another file lies at this path since/);
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
