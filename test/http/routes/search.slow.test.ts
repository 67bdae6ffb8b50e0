import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after } from 'node:test';
import type { Search } from '../../../actors/search/contract.ts';
import { analysisDataRoutes } from '../../../http/routes/library.ts';
import { searchRoutes } from '../../../http/routes/search.ts';
import { world } from '../../actors/analysis/fakes.ts';
import { inject } from '../inject.ts';

const state = { summarizing: false };
const w = await world(
  [
    { name: 'a', frames: 3 },
    { name: 'b', frames: 3 },
  ],
  { summarizing: () => state.summarizing },
);
await w.run();
after(() => w.end());
const [a, b] = w.paths as [string, string];
const cache_dir = join(w.folder, 'cache');
const routes = [...searchRoutes, ...analysisDataRoutes];
const call = inject(routes, { search: w.search });

interface Answer {
  readonly matches: readonly Record<string, unknown>[];
  readonly toast_warning?: string;
}
const three = {
  text: { cache_dir, query: 'four' },
  image: { cache_dir, image_path: a },
  frame: { cache_dir, media_path: a, time_seconds: 1 },
};
const kinds = ['text', 'image', 'frame'] as const;
const ask = (kind: keyof typeof three, more: Record<string, unknown> = {}) =>
  call(`/api/v1/search/${kind}`, { ...three[kind], ...more });
const said = (body: unknown) => {
  const { error, message } = body as { error: string; message: string };
  return `${error}: ${message}`;
};
const load = (more: Record<string, unknown> = {}) =>
  call('/api/v1/analysis-data/load', { cache_dir, ...more });

test('without a visual model nothing is loaded or searched: 503, and asking again does not help', async () => {
  const untouched = await world([]);
  const bare = inject(routes, { search: untouched.search });
  for (const answer of [
    await bare('/api/v1/analysis-data/load', { cache_dir }),
    await bare('/api/v1/analysis-data/load-for-media', { cache_dir, media_paths: [a] }),
    ...(await Promise.all(kinds.map((kind) => bare(`/api/v1/search/${kind}`, three[kind])))),
  ]) {
    assert.equal(answer.status, 503, said(answer.body));
    assert.match(said(answer.body), /No visual model is loaded/);
    assert.equal(answer.headers['retry-after'], undefined);
  }
  await untouched.end();
});

test('before its folder is loaded every search is a 400 that says what to do', async () => {
  for (const kind of kinds) {
    const answer = await ask(kind);
    assert.deepEqual([answer.status, (answer.body as { error: string }).error], [400, 'Invalid cache_dir']);
    assert.match(said(answer.body), /load it first/);
  }
});

test('a folder is loaded, media are added to it and to no other; however its path is spelt', async () => {
  const loaded = await load({ cache_dir: `${cache_dir}//` });
  assert.equal(loaded.status, 200);
  assert.match((loaded.body as { message: string }).message, /^2 media/);
  const add = (dir: string) =>
    call('/api/v1/analysis-data/load-for-media', { cache_dir: dir, media_paths: [a, '/not/analysed'] });
  const added = await add(`${cache_dir}/../cache`);
  assert.equal(added.status, 200);
  assert.deepEqual((added.body as { missing: string[] }).missing, ['/not/analysed']);
  const other = await add(join(w.folder, 'other'));
  assert.equal(other.status, 409);
  assert.equal(other.headers['retry-after'], undefined);
  const speech = await call('/api/v1/analysis-data/load-transcriptions', { cache_dir });
  assert.deepEqual([speech.status, (speech.body as { transcriptions: number }).transcriptions], [200, 0]);
});

test('each search answers matches with the eight fields and no score, best first', async () => {
  for (const kind of kinds) {
    const { status, body } = await ask(kind);
    assert.equal(status, 200, said(body));
    const { matches, ...rest } = body as Answer;
    assert.deepEqual(rest, {});
    assert.equal(matches.length, 2);
    for (const match of matches) {
      assert.deepEqual(
        Object.entries(match)
          .map(([name, value]) => `${name} ${typeof value}`)
          .sort(),
        [
          'frame_idx string',
          'hash_str string',
          'image string',
          'original_index number',
          'scene_end_timestamp string',
          'scene_start_timestamp string',
          'timestamp string',
          'video_path string',
        ],
      );
      assert.equal(match['scene_end_timestamp'], '01:01:00');
    }
  }
});

test('explain adds bands to the same matches, and says what was lowered by which exclude', async () => {
  for (const kind of kinds) {
    const plain = (await ask(kind)).body as Answer;
    const { status, body } = await ask(kind, { explain: true });
    assert.equal(status, 200, said(body));
    const { matches } = body as Answer;
    assert.deepEqual(
      matches.map(({ explanation: _, ...rest }) => rest),
      plain.matches,
    );
    assert.deepEqual((await ask(kind, { explain: false })).body, plain);
    const part = { part: kind === 'text' ? 'text' : 'picture', band: 'strong' };
    for (const { explanation } of matches) assert.deepEqual(explanation, { band: 'strong', parts: [part] });
  }
  const { body } = await ask('text', { explain: true, exclude: ['xyzzy', 'four'] });
  assert.deepEqual((body as Answer).matches[0]?.['explanation'], {
    band: 'weak',
    parts: [
      { part: 'text', band: 'strong' },
      { part: 'exclude', text: 'xyzzy', effect: 'none' },
      { part: 'exclude', text: 'four', effect: 'lowered' },
    ],
  });
  const half = (await ask('text', { explain: true, query: 'four xyzzy' })).body as Answer;
  assert.equal((half.matches[0]!['explanation'] as { band: string }).band, 'weak');
});

test('min_band leaves out what is less sure and counts it, and is not told of otherwise', async () => {
  for (const kind of kinds) {
    const plain = (await ask(kind)).body as Answer;
    assert.ok(plain.matches.length > 0);
    for (const min_band of ['strong', 'likely', 'weak'] as const)
      assert.deepEqual((await ask(kind, { min_band })).body, { ...plain, weaker: 0 });
    assert.deepEqual((await ask(kind, { min_band: null })).body, plain);
  }
  const half = { query: 'four xyzzy' };
  const all = (await ask('text', half)).body as Answer;
  for (const min_band of ['strong', 'likely'] as const) {
    const { body } = await ask('text', { ...half, min_band });
    assert.deepEqual(body, { ...all, matches: [], weaker: all.matches.length });
  }
  assert.equal((await ask('text', { min_band: 'sure' })).status, 400);
});

test('a preview that is lost is an empty text, and the warning counts it', async () => {
  const { matches, toast_warning } = (await ask('text', { query: 'x'.repeat(99) })).body as Answer;
  assert.deepEqual(
    matches.map(({ image }) => image),
    ['', ''],
  );
  assert.match(toast_warning ?? '', /without a preview: 2/);
});

test('media_paths, their ranges and search_all limit each search alike, however paths are spelt', async () => {
  const odd = `${w.folder}/x/..//a`;
  const rows: [more: Record<string, unknown>, paths: string[]][] = [
    [{ media_paths: [] }, [a, b]],
    [{ media_paths: [b] }, [b]],
    [{ media_paths: [b, b] }, [b]],
    [{ media_paths: [odd] }, [a]],
    [{ media_paths: [b], search_all: true }, [a, b]],
    [{ media_paths: ['/not/analysed'] }, []],
    [{ segments_to_frame_indices: { a: [1, 2] } }, [a]],
    [{ segments_to_frame_indices: { [odd]: [[0, 1]] } }, [a]],
    [{ segments_to_frame_indices: { a: [1, 2], [b]: [[0, 1]] }, search_all: true }, [a, b]],
    [{ media_paths: [odd, b], segments_to_frame_indices: { [odd]: [0, 1] } }, [a]],
    [{ metadata_filter_request: null }, [a, b]],
    [{ metadata_filter_request: {} }, [a, b]],
  ];
  for (const kind of kinds) {
    for (const [more, paths] of rows) {
      const { status, body } = await ask(kind, more);
      assert.equal(status, 200, said(body));
      const found = (body as Answer).matches.map(({ video_path }) => video_path);
      assert.deepEqual(found, paths, `${kind} ${JSON.stringify(more)}`);
    }
  }
  const { toast_warning } = (await ask('text', { media_paths: [b, '/not/analysed'] })).body as Answer;
  assert.match(toast_warning ?? '', /Not analysed yet: \/not\/analysed/);
});

const bad: [kind: keyof typeof three, more: Record<string, unknown>, field: string][] = [
  ...kinds.flatMap((kind): [typeof kind, Record<string, unknown>, string][] => [
    [kind, { segments_to_frame_indices: { a: [] } }, 'segments_to_frame_indices'],
    [kind, { segments_to_frame_indices: { a: [2, 2] } }, 'segments_to_frame_indices'],
    [
      kind,
      {
        segments_to_frame_indices: {
          a: [
            [0, 1],
            [3, 2],
          ],
        },
      },
      'segments_to_frame_indices',
    ],
    [kind, { segments_to_frame_indices: { '/not/analysed': [0, 1] } }, 'segments_to_frame_indices'],
    [kind, { media_paths: [b], segments_to_frame_indices: { a: [0, 1] } }, 'segments_to_frame_indices'],
    [kind, { max_results: 0 }, 'max_results'],
    [kind, { media_paths: ['a'] }, 'media_paths[0]'],
    [kind, { cache_dir: 'cache' }, 'cache_dir'],
  ]),
  ['text', { query: ' ' }, 'query'],
  ['image', { exclude: ['blue'] }, 'exclude'],
  ['image', { exclude: ['blue'], query: '' }, 'exclude'],
  ['image', { image_path: '/no/picture.jpg' }, 'image_path'],
  ['frame', { exclude: ['blue'] }, 'exclude'],
  ['frame', { time_seconds: 3 }, 'time_seconds'],
  ['frame', { media_path: '/no/film.mp4' }, 'media_path'],
];
for (const [kind, more, field] of bad) {
  test(`search by ${kind} with ${JSON.stringify(more)} is a 400 that names ${field}`, async () => {
    const { status, body } = await ask(kind, more);
    assert.deepEqual([status, (body as { error: string }).error], [400, `Invalid ${field}`], said(body));
  });
}

test('exclude is taken with a query', async () => {
  for (const kind of kinds) {
    assert.equal((await ask(kind, { query: 'four', exclude: ['blue'] })).status, 200, kind);
  }
});

test('while a summary is made every visual search is a 400, and works again afterwards', async () => {
  state.summarizing = true;
  for (const kind of kinds) {
    const { status, body } = await ask(kind);
    assert.deepEqual([status, (body as { error: string }).error], [400, 'A summary is being generated']);
  }
  state.summarizing = false;
  assert.equal((await ask('text')).status, 200);
});

test('what is left out is what the contract says; what is sent is handed on', async () => {
  const seen: unknown[] = [];
  const take = async (request: unknown) => {
    seen.push(request);
    return { matches: [] };
  };
  const spied = inject(routes, { search: { text: take, image: take, frame: take } as unknown as Search });
  const common = {
    cache_dir,
    media_paths: [],
    max_results: 50,
    search_all: false,
    exclude: [],
    segments_to_frame_indices: {},
    metadata_filter_request: null,
    people_filter: [],
    people_filter_mode: 'and',
    explain: false,
    text_weight: 1,
  };
  const only = {
    text: { query: 'four' },
    image: { image_path: a },
    frame: { media_path: a, time_seconds: 1 },
  };
  const sent = {
    media_paths: ['/x/a'],
    max_results: 1,
    text_weight: 0.5,
    query: 'red',
    exclude: ['blue'],
    segments_to_frame_indices: { '/x/a': [1, 2], ff: [[0, 9]] },
    metadata_filter_request: { filters: [{ facet_id: 'f.x', values: ['1'] }] },
  };
  for (const kind of kinds) {
    await spied(`/api/v1/search/${kind}`, three[kind]);
    assert.deepEqual(seen.pop(), { ...common, ...only[kind] });
    await spied(`/api/v1/search/${kind}`, { ...three[kind], ...sent });
    assert.deepEqual(seen.pop(), {
      ...common,
      ...only[kind],
      ...sent,
      metadata_filter_request: { filters: [{ facet_id: 'f.x', operator: 'is_any_of', values: ['1'] }] },
    });
  }
});
