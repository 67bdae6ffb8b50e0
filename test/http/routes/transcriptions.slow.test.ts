import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { TranscriptSegment } from '../../../actors/index/transcripts/contract.ts';
import { createSearch, type SearchParts } from '../../../actors/search/search.ts';
import type {
  TranscriptionsAnswer,
  TranscriptRangeAnswer,
  TranscriptSearchAnswer,
} from '../../../actors/search/transcripts/contract.ts';
import { analysisDataRoutes } from '../../../http/routes/library.ts';
import { mediaRoutes } from '../../../http/routes/media.ts';
import { facetRoutes } from '../../../http/routes/search.ts';
import { transcriptionRoutes } from '../../../http/routes/transcriptions.ts';
import { createLog } from '../../../runtime/log.ts';
import { indexActor } from '../../actors/index/handlers.ts';
import { segments, transcribe } from '../../actors/index/transcripts/speech.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { inject } from '../inject.ts';

/** Routes, coordinator and index are real. The media are gone: what is stored of them is enough. */
async function served(t: TestContext) {
  const [index, cache_dir] = [await indexActor(t), temporaryFolder(t)];
  const unasked = { ask: async (name: string) => assert.fail(`${name} is asked`) };
  const search = createSearch({
    index: { ask: (name: never, request: never) => index.call(name, request) },
    embedder: unasked,
    textEmbedder: unasked,
    decoder: unasked,
    thumbnailDecoders: [],
    clock: manualClock(),
    log: createLog('search', () => {}),
  } as unknown as SearchParts);
  const call = inject([...transcriptionRoutes, ...analysisDataRoutes, ...facetRoutes, ...mediaRoutes], {
    search,
  });
  const ask = async <A>(path: string, body: Record<string, unknown>, method = 'POST') => {
    const { status, body: said } = await call(`/api/v1${path}`, { cache_dir, ...body }, { method });
    assert.equal(status, 200, JSON.stringify(said));
    return said as A;
  };
  const refused = async (path: string, body: Record<string, unknown>, method = 'POST') => {
    const { status, body: said } = await call(`/api/v1${path}`, { cache_dir, ...body }, { method });
    return [status, (said as { error: string }).error];
  };
  const store = (hash: string, path: string, said: readonly TranscriptSegment[]) =>
    transcribe(index, cache_dir, hash, said, path);
  return { index, cache_dir, ask, refused, store };
}

test('transcriptions are answered by path, with speakers where there was diarization', async (t) => {
  const { ask, refused, store, cache_dir } = await served(t);
  await store(
    'aa',
    '/f/a.mp4',
    segments([' one', ' two', ' three'], ['SPEAKER_00', 'SPEAKER_01', 'SPEAKER_00']),
  );
  await store('bb', '/f/b.wav', segments([' four']));
  const assignments = [{ speaker: 'SPEAKER_01', name: 'Ann' }];
  const named = await ask('/transcriptions/speakers', { hash_str: 'aa', assignments }, 'PUT');
  assert.deepEqual(named, {
    updated: 1,
    changes: { SPEAKER_01: 'Ann' },
    speaker_names: { SPEAKER_01: 'Ann' },
  });
  const media_paths = ['/f/a.mp4', '/f/x/../b.wav', '/f/none.mov'];
  const answer = await ask<TranscriptionsAnswer>('/transcriptions', { media_paths });
  const lines = [
    [0, ' one', 1.5, '/f/a.mp4'],
    [2, ' two', 3.5, '/f/a.mp4'],
    [4, ' three', 5.5, '/f/a.mp4'],
  ];
  assert.deepEqual(answer, {
    transcriptions: { '/f/a.mp4': lines, '/f/x/../b.wav': [[0, ' four', 1.5, '/f/x/../b.wav']] },
    transcription_data: {
      '/f/a.mp4': {
        segments: lines,
        hash_str: 'aa',
        speakers: {
          SPEAKER_00: { segment_indices: [0, 2] },
          SPEAKER_01: { segment_indices: [1], display_name: 'Ann' },
        },
      },
    },
    transcription_languages: {
      '/f/a.mp4': { language: 'en', other_languages: [] },
      '/f/x/../b.wav': { language: 'en', other_languages: [] },
    },
  });
  const gone = { cache_dir: join(cache_dir, 'none', 'deep'), media_paths };
  assert.deepEqual((await refused('/transcriptions', gone))[0], 503);
  assert.deepEqual((await refused('/transcriptions', { ...gone, media_paths: [] }))[0], 503);
});

test('a range is paged, and says whether there is anything', async (t) => {
  const { ask, refused, store } = await served(t);
  const texts = Array.from({ length: 300 }, (_, i) => ` segment ${i}`);
  texts[250] = 'x'.repeat(30_000);
  await store('aa', '/f/a.mp4', segments(texts, ['S']));
  await store('bb', '/f/b.mp4', []);
  const range = (body: object) =>
    ask<TranscriptRangeAnswer>('/transcriptions/range', { start_seconds: 0, end_seconds: 9999, ...body });
  const indices: number[] = [];
  const sizes: number[] = [];
  for (let after: number | null | undefined; after !== null && sizes.length < 9; ) {
    const page: TranscriptRangeAnswer = await range({ hash_str: 'aa', after_segment_index: after });
    assert.deepEqual(
      [page.transcript_status, page.media_path, page.hash_str],
      ['available', '/f/a.mp4', 'aa'],
    );
    indices.push(...page.segments.map(({ segment_index }) => segment_index));
    sizes.push(page.segments.length);
    if (page.segments[0]!.segment_index === 250) {
      assert.deepEqual(page.truncated_segment_indices, [250]);
      assert.equal(page.segments[0]!.original_character_count, 30_000);
    }
    after = page.next_after_segment_index;
  }
  assert.deepEqual(indices, [...texts.keys()]);
  assert.deepEqual(sizes, [120, 120, 10, 1, 49]);
  const some = await range({
    media_path: '/f/a.mp4',
    start_seconds: 3.5,
    end_seconds: 4.5,
    max_segments: 500,
  });
  assert.deepEqual(
    some.segments.map(({ segment_index, speaker }) => [segment_index, speaker]),
    [[2, '']],
  );
  const first = await range({ hash_str: 'aa', max_segments: 1 });
  assert.deepEqual([first.segments[0]!.speaker, first.segments[0]!.speaker_name], ['S', 'S']);
  assert.equal((await range({ hash_str: 'bb' })).transcript_status, 'empty');
  assert.equal((await range({ hash_str: 'cc' })).transcript_status, 'not_available');
  const none = await range({ media_path: '/f/none.mp4' });
  assert.deepEqual([none.transcript_status, none.hash_str, none.segments], ['not_available', null, []]);
  const at = { hash_str: 'aa', start_seconds: 0, end_seconds: 1 };
  for (const [wrong, field] of [
    [{ max_segments: 0 }, 'max_segments'],
    [{ max_segments: 501 }, 'max_segments'],
    [{ start_seconds: 1 }, 'end_seconds'],
    [{ hash_str: undefined }, 'hash_str'],
    [{ hash_str: '../x' }, 'hash_str'],
  ] as const) {
    assert.deepEqual(await refused('/transcriptions/range', { ...at, ...wrong }), [400, `Invalid ${field}`]);
  }
});

/** Two transcriptions, one with speakers, the first of them Ann; loaded. */
async function servedSpeech(t: TestContext) {
  const { ask, refused, store } = await served(t);
  await store('aa', '/f/a.mp4', segments([' Die Straße', ' strasse'], ['SPEAKER_00', 'SPEAKER_01']));
  await store('bb', '/f/b.mp4', segments([' STRASSE']));
  const find = (body: object) =>
    ask<TranscriptSearchAnswer>('/search/transcript', { query: 'Strasse', ...body });
  const unloaded = await refused('/search/transcript', { query: 'x' });
  const loaded = await ask<{ message: string }>('/analysis-data/load-transcriptions', {});
  const assignments = [{ speaker: 'SPEAKER_00', name: 'Ann' }];
  await ask('/transcriptions/speakers', { hash_str: 'aa', assignments }, 'PUT');
  return { find, refused, unloaded, loaded };
}

test('what is said is found in any case and with all fields of a match', async (t) => {
  const { find, unloaded, loaded } = await servedSpeech(t);
  assert.deepEqual(unloaded, [400, 'Invalid cache_dir']);
  assert.deepEqual(loaded, {
    message: '2 transcriptions with 3 segments are loaded',
    transcriptions: 2,
    segments: 3,
    unreadable: [],
  });
  const { matches, total, toast_warning } = await find({ max_results: 1 });
  assert.deepEqual([total, toast_warning], [3, 'File not found at its known path: /f/a.mp4']);
  assert.deepEqual(matches, [
    {
      media_path: '/f/a.mp4',
      hash_str: 'aa',
      start_seconds: 0,
      end_seconds: 1.5,
      text: ' Die Straße',
      start_timestamp: '00:00:00',
      end_timestamp: '00:00:01',
      speaker: 'SPEAKER_00',
      speaker_name: 'Ann',
      speakers: ['SPEAKER_00'],
      media_type: 'video',
      segment_index: 0,
    },
  ]);
});

test('what is said is found by speaker, in media, in times and by filters', async (t) => {
  const { find } = await servedSpeech(t);
  const filter = (extension: string) => ({ filters: [{ facet_id: 'file.extension', values: [extension] }] });
  for (const [body, found] of [
    [{}, ['aa:0', 'aa:1', 'bb:0']],
    [{ speaker: 'ann' }, ['aa:0']],
    [{ speaker_name: 'SPEAKER_01' }, ['aa:1']],
    [{ speaker_name: 'Eva' }, []],
    // search_all is true unless said otherwise.
    [{ media_paths: ['/f/b.mp4'] }, ['aa:0', 'aa:1', 'bb:0']],
    [{ media_paths: ['/f//b.mp4', '/none'], search_all: false }, ['bb:0']],
    [{ segments_to_time_ranges: { '/f/./a.mp4': [1.5, 2.25] } }, ['aa:1']],
    [
      {
        segments_to_time_ranges: {
          aa: [
            [0, 1],
            [3, 9],
          ],
          bb: [1, 2],
        },
      },
      ['aa:0', 'aa:1', 'bb:0'],
    ],
    [{ metadata_filter_request: filter('mp4') }, ['aa:0', 'aa:1', 'bb:0']],
    [{ metadata_filter_request: filter('mov') }, []],
    [{ metadata_filter_request: { ...filter('mp4'), scope: { hash_strs: ['bb'] } } }, ['bb:0']],
    [{ metadata_filter_request: { ...filter('mp4'), scope: { mode: 'global', media_type: 'visual' } } }, []],
  ] as const) {
    const answer = await find(body);
    const at = answer.matches.map(({ hash_str, segment_index }) => `${hash_str}:${segment_index}`);
    assert.deepEqual(at, found, JSON.stringify(body));
  }
});

test('a search of speech that cannot be meant is a 400 that names the field', async (t) => {
  const { refused } = await servedSpeech(t);
  for (const [wrong, field] of [
    [{ query: ' ' }, 'query'],
    [{ speaker: 'a', speaker_name: 'b' }, 'speaker'],
    [{ segments_to_time_ranges: { aa: [] } }, 'segments_to_time_ranges'],
    [{ segments_to_time_ranges: { aa: [2, 2] } }, 'segments_to_time_ranges'],
    [{ segments_to_time_ranges: { cc: [1, 2] } }, 'segments_to_time_ranges'],
    [
      { segments_to_time_ranges: { aa: [0, 1] }, media_paths: ['/f/b.mp4'], search_all: false },
      'segments_to_time_ranges',
    ],
    [{ max_results: 0 }, 'max_results'],
    [{ media_paths: ['b'], search_all: false }, 'media_paths[0]'],
  ] as const) {
    assert.deepEqual(await refused('/search/transcript', { query: 'x', ...wrong }), [
      400,
      `Invalid ${field}`,
    ]);
  }
});

test('facets of what can be searched by speech are those of the loaded transcriptions', async (t) => {
  const { ask, store } = await served(t);
  await store('aa', '/f/a.mp4', segments([' x']));
  const count = async (media_type: string) => {
    const body = { search_all: true, media_type };
    return (await ask<{ coverage: { scope_count: number } }>('/metadata/facets', body)).coverage.scope_count;
  };
  assert.deepEqual([await count('speech'), await count('any')], [0, 0]);
  await ask('/analysis-data/load-transcriptions', {});
  assert.deepEqual([await count('speech'), await count('any'), await count('visual')], [1, 1, 0]);
});

test('names go to speakers that are there, of media with a transcript', async (t) => {
  const { refused, ask, store } = await served(t);
  await store('aa', '/f/a.mp4', segments([' x'], ['SPEAKER_00']));
  const name = (hash_str: string, speaker: string, to: string | null = 'Ann') =>
    ['/transcriptions/speakers', { hash_str, assignments: [{ speaker, name: to }] }, 'PUT'] as const;
  assert.deepEqual(await refused(...name('aa', 'SPEAKER_09')), [400, 'Invalid assignments[0].speaker']);
  assert.deepEqual(await refused(...name('bb', 'SPEAKER_00')), [400, 'Invalid hash_str']);
  const speaker_names = async (to: string | null) =>
    (await ask<{ speaker_names: object }>(...name('aa', 'SPEAKER_00', to))).speaker_names;
  assert.deepEqual(await speaker_names('Ann'), { SPEAKER_00: 'Ann' });
  assert.deepEqual(await speaker_names(null), {});
  assert.deepEqual(
    await ask('/cache-paths', { hash_str: 'aa' }).then((paths) => Object.keys(paths as object)),
    ['visual_cache_path', 'audio_cache_path'],
  );
});
