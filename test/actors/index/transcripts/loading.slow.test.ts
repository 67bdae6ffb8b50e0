import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { filterErrors } from '../../../../actors/index/facets/contract.ts';
import { storeErrors } from '../../../../actors/index/store/contract.ts';
import { Store } from '../../../../actors/index/store/store.ts';
import { fold } from '../../../../actors/index/text/fold.ts';
import { TranscriptIndex } from '../../../../actors/index/transcripts/transcript-index.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { createLog } from '../../../../runtime/log.ts';
import { draws, untilRelease } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { until } from '../../../until.ts';
import { mediaRecord } from '../footage.ts';
import { indexActor } from '../handlers.ts';
import { find, loadAll, mark, segments, transcribe } from './speech.ts';

const everything = { hashes: null, ranges: {}, filters: [] };

test('what is loaded is found with all that is known of it, in the order of paths and times', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await transcribe(index, cache_dir, 'aa', segments([' One fox.', ' two'], ['SPEAKER_00']), '/z.mp4');
  await transcribe(index, cache_dir, 'bb', segments([' no', ' FOX again', ' fox']), '/a.wav');
  const assignments = [{ speaker: 'SPEAKER_00', name: 'Ann' }];
  await index.call('name_speakers', { cache_dir, hash_str: 'aa', assignments });
  assert.deepEqual((await loadAll(index, cache_dir)).report, { media: 2, segments: 5, unreadable: [] });
  const request = { cache_dir, query: 'Fox', speaker_name: null, scope: everything, max_results: 2 };
  const { matches, total } = await index.call('search_transcripts', request);
  assert.equal(total, 3);
  const said = (segment_index: number, text: string) => ({
    segment_index,
    start_seconds: segment_index * 2,
    end_seconds: segment_index * 2 + 1.5,
    text,
    speaker: null,
    speaker_name: null,
  });
  assert.deepEqual(matches, [
    { hash_str: 'bb', path: '/a.wav', ...said(1, ' FOX again') },
    { hash_str: 'bb', path: '/a.wav', ...said(2, ' fox') },
  ]);
  const ann = await index.call('search_transcripts', { ...request, speaker_name: 'ANN' });
  const by = { ...said(0, ' One fox.'), speaker: 'SPEAKER_00', speaker_name: 'Ann' };
  assert.deepEqual(ann, {
    matches: [{ hash_str: 'aa', path: '/z.mp4', ...by }],
    total: 1,
    total_is_exact: true,
  });
});

test('matches of a frequent word are counted up to the same number, however transcripts came into memory', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  const words = (count: number) => segments(Array.from({ length: count }, () => ' fox'));
  const request = { cache_dir, query: 'fox', speaker_name: null, scope: everything, max_results: 50 };
  const counted = async () => {
    const { total, total_is_exact } = await index.call('search_transcripts', request);
    return [total, total_is_exact];
  };
  await transcribe(index, cache_dir, 'bb', words(990), '/b');
  await loadAll(index, cache_dir);
  assert.deepEqual(await counted(), [990, true]);
  await transcribe(index, cache_dir, 'aa', words(60), '/a');
  assert.deepEqual(await counted(), [1000, false]);
});

test('nothing is found of a folder that is not loaded, and what is loaded of another one gives way', async (t) => {
  const index = await indexActor(t);
  const [one, two] = [temporaryFolder(t), temporaryFolder(t)];
  await transcribe(index, one, 'aa', segments([' hello']));
  await transcribe(index, two, 'bb', segments([' hello']));
  await assert.rejects(find(index, one, 'hello'), storeErrors.NOT_LOADED.is);
  await loadAll(index, one);
  assert.deepEqual(await find(index, `${one}/.`, 'hello'), ['aa:0']);
  await loadAll(index, two);
  await assert.rejects(find(index, one, 'hello'), storeErrors.NOT_LOADED.is);
  // Vectors are loaded by themselves.
  await index.call('drop', {});
  assert.deepEqual(await find(index, two, 'hello'), ['bb:0']);
  await assert.rejects(loadAll(index, join(one, 'none', 'deep')), storeErrors.STORE_UNAVAILABLE.is);
});

test('what is stored, stored again or named while its folder is loaded is found at once', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await transcribe(index, cache_dir, 'aa', segments([' red fox'], ['S']), '/b');
  await loadAll(index, cache_dir);
  await transcribe(index, cache_dir, 'bb', segments([' grey fox']), '/a');
  assert.deepEqual(await find(index, cache_dir, 'fox'), ['bb:0', 'aa:0']);
  await transcribe(index, cache_dir, 'aa', segments([' nothing', ' blue fox'], ['S', 'S']), '/b');
  assert.deepEqual(await find(index, cache_dir, 'fox'), ['bb:0', 'aa:1']);
  assert.deepEqual(await find(index, cache_dir, 'red'), []);
  const assignments = [{ speaker: 'S', name: 'Eva' }];
  await index.call('name_speakers', { cache_dir, hash_str: 'aa', assignments });
  assert.deepEqual(await find(index, cache_dir, 'o', { speaker_name: 'eva' }), ['aa:0', 'aa:1']);
  assert.deepEqual((await loadAll(index, cache_dir)).report, { media: 2, segments: 3, unreadable: [] });
});

test('a load goes on in parts, searches in between see what was there, and what is stored meanwhile is in it', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  const long = Array.from({ length: 4000 }, (_, i) => ` number ${i} ${'and so on '.repeat(20)}`);
  await transcribe(index, cache_dir, 'aa', segments([' the first']));
  await loadAll(index, cache_dir);
  const writer = await indexActor(t);
  for (const hash of ['b1', 'b2', 'b3']) await transcribe(writer, cache_dir, hash, segments(long));
  assert.equal((await index.call('load_transcripts', { cache_dir })).done, false);
  assert.deepEqual(await find(index, cache_dir, 'first'), ['aa:0']);
  assert.deepEqual(await find(index, cache_dir, 'number 17 and'), []);
  const { load } = await index.call('load_transcripts', { cache_dir });
  await index.call('load_transcripts', { cache_dir, load });
  await transcribe(index, cache_dir, 'b1', segments([' replaced']));
  const { turns, report } = await loadAll(index, cache_dir);
  assert.ok(turns > 2, `${turns}`);
  assert.deepEqual(report, { media: 4, segments: 8002, unreadable: [] });
  assert.deepEqual(await find(index, cache_dir, 'number 17 and'), ['b2:17', 'b3:17']);
  assert.deepEqual(await find(index, cache_dir, 'replaced'), ['b1:0']);
});

test('a scope limits a search to media, times and filters; a wrong filter is told by its name', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  for (const hash of ['aa', 'bb'])
    await transcribe(index, cache_dir, hash, segments([' x0', ' x1', ' x2']), `/${hash}.mov`);
  await transcribe(index, cache_dir, 'cc', segments([' x0']), '/cc.mp4');
  await loadAll(index, cache_dir);
  const within = (scope: object) => find(index, cache_dir, 'X', { scope: { ...everything, ...scope } });
  assert.deepEqual(await within({ hashes: ['cc', 'ff'] }), ['cc:0']);
  // Segments last from 0 to 1.5, 2 to 3.5, 4 to 5.5; ranges do not hold their end.
  assert.deepEqual(
    await within({
      hashes: ['aa'],
      ranges: {
        aa: [
          [1.5, 2],
          [3.4, 4],
        ],
      },
    }),
    ['aa:1'],
  );
  assert.deepEqual(await within({ hashes: ['aa'], ranges: { aa: [[1.499, 2.001]] } }), ['aa:0', 'aa:1']);
  const filter = { facet_id: 'file.extension', operator: 'is_any_of' as const, values: ['mp4'] };
  assert.deepEqual(await within({ filters: [filter] }), ['cc:0']);
  assert.deepEqual(await within({ hashes: ['aa'], filters: [filter] }), []);
  await assert.rejects(within({ filters: [{ ...filter, facet_id: 'no' }] }), filterErrors.UNKNOWN_FACET.is);
  const names = ['/aa.mov', 'bb', '/no', 'ff'];
  const resolved = await index.call('resolve', { cache_dir, model_key: null, names, filters: [] });
  assert.deepEqual(resolved, { hashes: ['aa', 'bb', null, null], loaded: [true, true, false, false] });
});

test('facets count what is loaded for its speech', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await transcribe(index, cache_dir, 'aa', segments([' x']), '/aa.mov');
  const scope = { mode: 'global', media_type: 'speech', model_key: null } as const;
  const count = async (more: object) => {
    const report = await index.call('facets', { cache_dir, scope: { ...scope, ...more }, filters: [] });
    return report.scope_count;
  };
  assert.equal(await count({}), 0);
  await assert.rejects(count({ transcripts: true }), storeErrors.NOT_LOADED.is);
  await loadAll(index, cache_dir);
  assert.equal(await count({ transcripts: true }), 1);
  assert.equal(await count({ transcripts: true, media_type: 'any' }), 1);
  assert.equal(await count({ transcripts: true, media_type: 'visual' }), 0);
});

test('a part of a transcript is what overlaps a range and comes after a segment', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await transcribe(index, cache_dir, 'aa', segments([' 0', ' 1', ' 2', ' 3'], ['S', null, 'S']));
  await transcribe(index, cache_dir, 'bb', []);
  const part = (hash_str: string, range: [number, number], after: number | null = null, most = 9) =>
    index.call('transcript_part', { cache_dir, hash_str, range, after, most });
  const texts = async (...args: Parameters<typeof part>) =>
    (await part(...args)).segments.map(({ text }) => text);
  assert.deepEqual(await texts('aa', [1.5, 4.1]), [' 1', ' 2']);
  assert.deepEqual(await texts('aa', [0, 99], 1), [' 2', ' 3']);
  assert.deepEqual(await texts('aa', [0, 99], null, 1), [' 0']);
  assert.deepEqual(await texts('aa', [3.5, 4]), []);
  assert.deepEqual(await part('bb', [0, 1]), { stored: 0, segments: [] });
  assert.deepEqual(await part('cc', [0, 1]), { stored: null, segments: [] });
});

test('a cancelled search ends, and a folder that is gone is an error of the load', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await transcribe(index, cache_dir, 'aa', segments([' x']));
  await loadAll(index, cache_dir);
  const request = { cache_dir, query: 'x', speaker_name: null, scope: everything, max_results: 2 };
  await assert.rejects(
    index.call('search_transcripts', request, () => true),
    engineErrors.CANCELLED.is,
  );
  rmSync(cache_dir, { recursive: true });
  await assert.rejects(loadAll(index, cache_dir), storeErrors.STORE_UNAVAILABLE.is);
});

test('after any stores, renames and loads a search finds what is stored last', async (t) => {
  const index = await indexActor(t);
  const texts = fc.array(fc.string({ unit: fc.constantFrom(...'aB ßé') }), { maxLength: 6 });
  const store = fc.record({ hash: fc.constantFrom('a', 'b', 'c', 'd'), texts });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(store, fc.constant('load' as const))), async (steps) => {
      const cache_dir = temporaryFolder(t);
      const now = new Map<string, readonly string[]>();
      await index.call('transcribe', {
        cache_dir,
        media: mediaRecord('e'),
        mark,
        segments: [],
      });
      await loadAll(index, cache_dir);
      for (const step of steps) {
        if (step === 'load') await index.call('load_transcripts', { cache_dir });
        else {
          await transcribe(index, cache_dir, step.hash, segments(step.texts));
          now.set(step.hash, step.texts);
        }
      }
      const expected = [...now].flatMap(([hash, list]) =>
        list.flatMap((text, i) => (fold(text).includes('s') ? [`${hash}:${i}`] : [])),
      );
      assert.deepEqual(await find(index, cache_dir, 'S'), expected.sort());
      await loadAll(index, cache_dir);
      assert.deepEqual(await find(index, cache_dir, 'S'), expected.sort());
    }),
    { numRuns: draws(15) },
  );
});

test('a load that was left in its middle is not gone on with: the next one makes its own list', async (t) => {
  const index = await indexActor(t);
  const cache_dir = temporaryFolder(t);
  await transcribe(index, cache_dir, 'aa', segments([' one']));
  const left = await index.call('load_transcripts', { cache_dir });
  assert.equal(left.done, false);
  const other = await indexActor(t);
  await transcribe(other, cache_dir, 'bb', segments([' two']));
  assert.deepEqual((await loadAll(index, cache_dir)).report, { media: 2, segments: 2, unreadable: [] });
});

test('transcripts that were made again take the place of the old ones in memory', async (t) => {
  const store = new Store(temporaryFolder(t));
  t.after(() => store.close());
  const index = new TranscriptIndex(createLog('index', () => {}));
  const load = () => {
    let next: number | null = null;
    return until(() => {
      const step = index.load(store, next);
      next = step.load;
      return step.done && step;
    });
  };
  const said = segments(
    Array.from({ length: untilRelease ? 500 : 2000 }, (_, i) => ` number ${i} and so on`),
  );
  const hashes = Array.from({ length: 30 }, (_, i) => `a${i.toString(16)}`);
  const storeAll = (some: readonly string[]) => {
    for (const hash of some) store.transcripts.store(mediaRecord(hash), mark, [...said]);
  };
  storeAll(hashes);
  await load();
  const before = index.of(store).bytes;
  for (const some of [hashes, hashes.slice(0, 20), hashes.filter((_, i) => i % 3 > 0)]) {
    said.push({ ...said[0]!, start_seconds: 9000, end_seconds: 9001 });
    storeAll(some);
    assert.equal((await load()).media, 30);
    assert.ok(index.of(store).bytes < before * 2, `${index.of(store).bytes} after ${before}`);
  }
});
