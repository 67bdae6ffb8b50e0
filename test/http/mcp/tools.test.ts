import assert from 'node:assert/strict';
import test from 'node:test';
import { type Answers, call, FILM, HASH, jpeg, library, page, record, refusal } from './fake-client.ts';

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
  counts: { seen: count, said: 0, person: 0, written: 0 },
});

test('find_moments quotes what is written in a picture', async () => {
  const written = { kind: 'written', rank: 1, text: 'Harbour “Authority”', score: 0.97, box: [0, 0, 1, 1] };
  const searchMoments = () => ({ ...moments(0), moments: [moment(12, [written])] });
  const { text } = await call('find_moments', { text: 'harbour', kinds: ['written'] }, { searchMoments });
  assert.match(text, /: written there, rank 1: "Harbour “Authority”"$/m);
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
    min_band: 'likely',
    query: 'harbour',
    limit: 4,
    explain: true,
  });
});

test('find_moments counts what hardly stands out, and says how to get it', async () => {
  const searchMoments = () => ({ ...moments(1), weaker: 12 });
  const { text } = await call('find_moments', { text: 'harbour' }, { searchMoments });
  assert.match(text, /^Moments 1-1, .*\n12 weak matches were omitted; .* weak true\.\n/);
  const nothing = { ...moments(0), weaker: 1 };
  const none = await call('find_moments', { text: 'harbour' }, { searchMoments: () => nothing });
  assert.match(none.text, /^Nothing looks like this\..*\n1 weak match was omitted; /);
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
    weak: true,
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

test('find_moments links the picture of each moment that has one, and asks for none', async () => {
  const found = moments(3).moments.map((one, i) => ({ ...one, kind: i === 1 ? 'audio' : 'video' }));
  const searchMoments = () => ({ ...moments(0), moments: found });
  const { previews, pictures, asked } = await call('find_moments', { text: 'x' }, { searchMoments });
  assert.deepEqual(previews, [`${HASH}@1`, `${HASH}@3`]);
  assert.equal(pictures.length + asked('thumbnails').length, 0);
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
    ['find_moments', { query: 'x' }, {}, /has no argument "query".*arguments are text,/],
    ['find_moments', { exlude: ['x'] }, {}, /did you mean exclude\?/],
    ['find_moments', {}, {}, /one of text, image_path, like, people and filters is required/],
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
    ['task', { action: 'cancel' }, {}, /id: is required for cancel/],
    ['task', { wait_seconds: 45 }, {}, /id: is required for wait_seconds/],
    [
      'analyze',
      { paths: [FILM], what: ['faces'] },
      {
        listMedia: () => {
          throw refusal(400, 'Invalid folder', 'it is none');
        },
        listTasks: () => ({ tasks: [] }),
        faceClusters: () => ({ jobs: [] }),
        analyze: () => {
          throw refusal(
            400,
            'No face models are downloaded',
            'No face detector: framehound models pull faces',
          );
        },
      },
      /pull faces\. A person must download it; until then, omit it from what\.$/,
    ],
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

test('where a note says why nothing was found, other words are not what is missing', async () => {
  const nothing = { moments: [], counts: { seen: 0, said: 0, person: 0, written: 0 } };
  const plain = await call('find_moments', { text: 'x' }, { searchMoments: () => nothing });
  assert.equal(plain.text, 'No moments were found. Try other words, or fewer conditions.');
  const searchMoments = () => ({ ...nothing, toast_warning: 'Search again when the summaries are finished' });
  const noted = await call('find_moments', { text: 'x' }, { searchMoments });
  assert.equal(noted.text, 'No moments were found.\nNote: Search again when the summaries are finished');
});

test('who tells the ids of those who have no name, which it takes as it takes a name', async () => {
  const ids = Array.from({ length: 23 }, (_, i) => `c${i}`);
  const job = (names: object) => ({ name: 'people', cluster_ids: ids, num_clusters: ids.length, names });
  const faceClusters = (names: object) => ({ faceClusters: () => ({ jobs: [job(names)] }) });
  const nobody = await call('who', {}, faceClusters({}));
  assert.match(nobody.text, /^Nobody has a name yet\. .*\nPerson, clustering:\n/);
  assert.match(nobody.text, /by id: c0, c1, .*, c19 and 3 more\), people$/);
  const named = await call('who', {}, faceClusters({ c0: 'Ann', c1: 'Ann' }));
  assert.match(named.text, /^Person, clustering:\nAnn, people\n\(.* by id: c2, .* and 1 more\), people$/);
  const none = await call('who', {}, { faceClusters: () => ({ jobs: [{ ...job({}), cluster_ids: [] }] }) });
  assert.match(none.text, /^Nobody has a name yet/);
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

test('a file is described with things and printed lines, and what is uncertain says so', async () => {
  const range = (start_seconds: number, end_seconds: number) => ({ start_seconds, end_seconds });
  const mediaSeen = () => ({
    ...{ hash_str: HASH, media_path: FILM, things_from: 'file', lines_from: 'previews' },
    things: [
      { class: 'cake', measured: false, score: 0.9, ranges: [[0, 9]] },
      { class: 'dog', measured: true, score: 0.7, ranges: [[2, 4]] },
    ],
    shots: [{ size: 'close_up', ...range(3, 5) }],
    lines: [
      { text: 'HARBOUR', score: 0.95, ...range(1, 3) },
      { text: 'HARB0', score: 0.6, ...range(4, 5) },
    ],
  });
  const mediaMetadata = () => ({ media_properties: {} });
  const { text } = await call('describe_media', { media: FILM }, { mediaSeen, mediaMetadata });
  assert.match(text, /in stored previews, not in the file/);
  assert.match(text, /\nShows: dog at .*\nPerhaps shows: cake at /);
  assert.match(text, /\nPerhaps close-up shots of people: /);
  assert.match(text, /\nPrinted: "HARBOUR" at /);
  assert.doesNotMatch(text, /HARB0/);
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
    /name of several files; give one of these hashes: .*\/media\/harbour\.mp4.*\/other\/harbour\.mp4/,
  );
});

test('of a path that holds another file by now the one that lies there is meant, by path and by name', async () => {
  const before = { ...record, hash_str: '11aa22bb-1', replaced: true };
  const listLibrary = () => ({ ...page, total: 2, media: [before, record] });
  for (const media of [FILM, 'harbour.mp4', `${HASH}@3`]) {
    const { text } = await call('read_transcript', { media }, { listLibrary });
    assert.match(text, /^Nobody speaks in this range of harbour\.mp4/, text);
  }
  const asked = (await call('read_transcript', { media: FILM }, { listLibrary })).asked(
    'transcriptionsRange',
  );
  assert.equal(asked.at(-1)!.input['hash_str'], HASH);
  const transcriptionsRange = () => ({ media_path: FILM });
  const former = await call(
    'find_moments',
    { text: 'x', media: ['11aa22bb-1'] },
    { listLibrary, transcriptionsRange },
  );
  assert.match(
    former.text,
    new RegExp(`^media\\[0\\]: .*Another file is now at its path .*harbour\\.mp4, ${HASH}\\.$`),
  );
  assert.equal(former.asked('searchMoments').length, 0);
  const listed = await call('list_library', { name: 'harbour' }, { listLibrary });
  assert.match(listed.text, /^Of 2 files those with "harbour" in their name\./);
  assert.match(listed.text, /11aa22bb-1 .*; another file is now at its path\n/);
});
