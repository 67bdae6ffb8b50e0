import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { definition as decoder } from '../../../actors/decoder/actor.ts';
import type { decoderContract } from '../../../actors/decoder/contract.ts';
import type { FacetAnswer } from '../../../actors/search/contract.ts';
import { createSearch, type SearchParts } from '../../../actors/search/search.ts';
import { facetRoutes } from '../../../http/routes/search.ts';
import type { Reply } from '../../../runtime/contract.ts';
import { createLog } from '../../../runtime/log.ts';
import { TestTurn } from '../../actors/decoder/ask-decoder.ts';
import { record } from '../../actors/index/facets/media.ts';
import { indexActor } from '../../actors/index/handlers.ts';
import { manualClock } from '../../runtime/manual-clock.ts';
import { sharedPath, skipWithout } from '../../shared.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { inject } from '../inject.ts';

const path = '/api/v1/metadata/facets';
const footage = sharedPath('media');

/** The route, the coordinator and the index are real; nothing of the rest is asked. */
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
  const call = inject(facetRoutes, { search });
  const answer = async (body: Record<string, unknown>) => {
    const { status, body: said } = await call(path, { cache_dir, ...body });
    assert.equal(status, 200, JSON.stringify(said));
    return said as FacetAnswer;
  };
  return { index, cache_dir, call, answer };
}

const countsOf = ({ facets }: FacetAnswer, id: string) =>
  Object.fromEntries(
    facets.find((one) => one.id === id)?.options.map(({ value, count }) => [value, count]) ?? [],
  );

test('facets are answered with coverage, by the scope or by the flat fields', async (t) => {
  const { index, cache_dir, answer } = await served(t);
  for (const media of [record('aa', '/f/a.mp4'), record('bb', '/f/b.mov', { camera_make: 'Sony' })]) {
    await index.call('remember', { cache_dir, media });
  }
  const flat = await answer({
    media_paths: ['/f/a.mp4', '/f/b.mov', '/f/new.mp4'],
    hash_strs: ['aa', 'bb', ''],
  });
  assert.deepEqual(flat.coverage, { scope_count: 3, indexed_count: 2, missing_count: 1 });
  assert.match(flat.warning ?? '', /1 of 3/);
  const scoped = await answer({
    scope: { hash_strs: ['aa', 'bb'] },
    filters: [{ facet_id: 'file.extension', values: ['mov'] }],
  });
  assert.deepEqual([scoped.success, scoped.active_filter_count, scoped.warning], [true, 1, null]);
  assert.deepEqual(countsOf(scoped, 'file.extension'), { mp4: 1, mov: 1 });
  assert.deepEqual(countsOf(scoped, 'source.camera_make'), { Sony: 1 });
  const loaded = await answer({ search_all: true });
  assert.deepEqual(loaded.coverage, { scope_count: 0, indexed_count: 0, missing_count: 0 });
  assert.match(loaded.warning ?? '', /loaded/);
});

test('a request that cannot be understood is a 400 that names the field, and a folder out of reach a 503', async (t) => {
  const { cache_dir, call } = await served(t);
  const filter = { facet_id: 'technical.hdr', operator: 'is_any_of', values: ['sdr'] };
  for (const [wrong, field] of [
    [{ cache_dir: undefined }, 'cache_dir'],
    [{ cache_dir: 1 }, 'cache_dir'],
    [{ media_type: 'smell' }, 'media_type'],
    [{ search_all: 'yes' }, 'search_all'],
    [{ media_paths: ['a.mp4'] }, 'media_paths[0]'],
    [{ media_paths: ['/a', '/b'], hash_strs: ['aa'] }, 'hash_strs'],
    [{ expected_count: -1 }, 'expected_count'],
    [{ scope: { mode: 'some' } }, 'scope.mode'],
    [{ scope: { media_paths: ['/a', 'b'] } }, 'scope.media_paths[1]'],
    [{ scope: { media_paths: ['/a'], hash_strs: ['a', 'b'] } }, 'scope.hash_strs'],
    [{ filters: {} }, 'filters'],
    [{ filters: [{ values: ['x'] }] }, 'filters[0].facet_id'],
    [{ filters: [{ facet_id: 'technical.hdr' }] }, 'filters[0].values'],
    [{ filters: [filter, { ...filter, facet_id: 'constructor' }] }, 'filters[1].facet_id'],
    [{ filters: [{ ...filter, operator: 'like' }] }, 'filters[0].operator'],
    [{ filters: [{ ...filter, operator: 'before' }] }, 'filters[0].operator'],
    [{ filters: [{ ...filter, values: [] }] }, 'filters[0].values'],
    [{ filters: [{ ...filter, values: [1] }] }, 'filters[0].values[0]'],
    [{ filters: [{ ...filter, facet_id: 'time.year', values: ['MM'] }] }, 'filters[0].values'],
  ] as const) {
    const { status, body } = await call(path, { cache_dir, ...wrong });
    assert.equal(status, 400, JSON.stringify(wrong));
    const said = body as { error: string };
    assert.match(said.error, / /);
    assert.equal(said.error.split(' ')[1], field, JSON.stringify(body));
  }
  assert.equal((await call(path, { cache_dir: join(cache_dir, 'none', 'deep') })).status, 503);
});

test('facets of real pictures, films and sound say what is in the files', {
  skip: skipWithout('media'),
}, async (t) => {
  const { index, cache_dir, answer } = await served(t);
  const reader = await decoder.create({
    settings: undefined,
    log: createLog('decoder', () => {}),
    stopping: new AbortController().signal,
  } as never);
  t.after(() => reader.close?.());
  const files = [
    ...['images', 'video'].flatMap((name) =>
      readdirSync(join(footage, name)).map((file) => join(footage, name, file)),
    ),
    join(footage, 'speech/beckett.wav'),
  ];
  for (const [i, file] of files.entries()) {
    const probe = (await reader.handlers.probe({ path: file }, new TestTurn(0))) as Reply<
      typeof decoderContract,
      'probe'
    >;
    const media = { path: file, identity: { ...record('a', file).identity, hash_str: `a${i}` }, probe };
    await index.call('remember', { cache_dir, media });
  }
  const hash_strs = files.map((_, i) => `a${i}`);
  const all = await answer({ media_paths: files, hash_strs });
  assert.equal(all.warning, null);
  for (const [id, counts] of [
    ['technical.media_kind', { video: 2, image: 4, audio: 1 }],
    ['technical.container', { mp4: 2, png: 3, jpeg: 1, wav: 1 }],
    ['technical.video_codec', { h264: 2 }],
    ['technical.video_profile', { 'h264/High': 1, 'h264/Baseline': 1 }],
    ['technical.frame_rate', { 12.5: 1, 29.83: 1 }],
    ['technical.resolution_class', { '480p': 4, low: 2 }],
    ['technical.orientation', { landscape: 5, square: 1 }],
    ['technical.duration_class', { under_10s: 1, '10s_1m': 2 }],
    ['technical.audio_layout', { mono: 1, stereo: 1 }],
    ['technical.audio_codec', { aac: 1, pcm_s16le: 1 }],
    ['technical.audio_language', { en: 1 }],
    ['technical.has_audio', { yes: 2, no: 1 }],
    ['technical.bit_depth', { 8: 6 }],
    ['technical.color_primaries', { smpte170m: 1 }],
    ['technical.hdr', { sdr: 2 }],
    ['time.creation_date', { '2009-02-09': 1, '2018-04-19': 1 }],
    ['time.year', { 2009: 1, 2018: 1 }],
    ['file.extension', { mp4: 2, png: 3, jpg: 1, wav: 1 }],
  ] as const) {
    assert.deepEqual(countsOf(all, id), counts, id);
  }
  const filters = [{ facet_id: 'time.creation_date', operator: 'before', values: ['2020'] }];
  const old = await answer({ hash_strs, filters });
  assert.deepEqual(countsOf(old, 'technical.media_kind'), { image: 1, video: 1 });
});
