import assert from 'node:assert/strict';
import { cpSync, renameSync, rmSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { indexContract } from '../../../../actors/index/contract.ts';
import { Environment } from '../../../../actors/index/store/environment.ts';
import { databaseFile } from '../../../../actors/index/store/names.ts';
import { FilmSummaryRow } from '../../../../actors/index/store/records.ts';
import {
  nodeKey,
  summaryChangesKey,
  summaryKey,
  summaryPrefix,
} from '../../../../actors/index/store/summaries/rows.ts';
import { unseal } from '../../../../actors/index/store/table.ts';
import { type NewSummaryNode, summaryErrors } from '../../../../actors/index/summaries/contract.ts';
import { fold } from '../../../../actors/index/text/fold.ts';
import { wordsOf } from '../../../../actors/index/text/query.ts';
import type { Reply, Request } from '../../../../runtime/contract.ts';
import { draws } from '../../../shared.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { type Harness, indexActor } from '../handlers.ts';
import { summarise } from './trees.ts';

type Asked = Request<typeof indexContract, 'search_summaries'>;
type Found = Reply<typeof indexContract, 'search_summaries'>;

/** A root over one leaf a text, of ten seconds each. */
function flat(texts: readonly string[]): NewSummaryNode[] {
  const ids = texts.map((_, i) => `n${i}`);
  const common = { verification_hints: [], failed: false, evidence: null };
  return [
    {
      ...common,
      node_id: '0',
      parent_id: null,
      level: 0,
      text: 'root',
      range: [0, Math.max(1, texts.length * 10)],
      child_ids: ids,
    },
    ...texts.map((text, i) => ({
      ...common,
      node_id: ids[i]!,
      parent_id: '0',
      level: 1,
      text,
      range: [i * 10, i * 10 + 10] as [number, number],
      child_ids: [],
    })),
  ];
}

async function find(
  index: Harness,
  cache_dir: string,
  query: string,
  more: Partial<Asked> = {},
): Promise<Found & { steps: number }> {
  const request = { cache_dir, query, hashes: null, collection_id: null, max_results: 50, ...more };
  for (let steps = 1; steps < 10_000; steps++) {
    const found = await index.call('search_summaries', request);
    if (found.done) return { ...found, steps };
  }
  throw new Error('the search does not end');
}

const nodesOf = ({ matches }: Found) => matches.map(({ hash_str, node_id }) => `${hash_str}:${node_id}`);
const nodes = async (...of: Parameters<typeof find>) => nodesOf(await find(...of));

async function harbour(t: TestContext) {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const first = ['Boats in the harbour at night.', 'A harbourmaster speaks of boats.', 'The quay is empty.'];
  await summarise(index, cache_dir, 'aa', { path: '/m/b.mp4', nodes: flat(first) });
  const second = ['At night the harbour is quiet.', 'Nobody.'];
  await summarise(index, cache_dir, 'bb', { path: '/m/a.mp4', nodes: flat(second) });
  return { cache_dir, index };
}

test('nodes hold every word; whole words come before parts of words, then path and time count', async (t) => {
  const { cache_dir, index } = await harbour(t);
  const found = await find(index, cache_dir, 'HARBOUR');
  assert.deepEqual(nodesOf(found), ['bb:n0', 'aa:n0', 'aa:n1']);
  assert.deepEqual([found.total, found.total_is_exact, found.unreadable], [3, true, []]);
  const { analysis_id, ...match } = found.matches[1]!;
  assert.match(analysis_id, /^[0-9a-f]{24}$/);
  assert.deepEqual(match, {
    hash_str: 'aa',
    analysis_name: 'general',
    media_path: '/m/b.mp4',
    node_id: 'n0',
    level: 1,
    is_leaf: true,
    range: [0, 10],
    text_preview: 'Boats in the harbour at night.',
    match_ranges: [[13, 20]],
    preview_truncated: false,
  });
  assert.deepEqual(await nodes(index, cache_dir, 'boats harbour'), ['aa:n0', 'aa:n1']);
  assert.deepEqual(await nodes(index, cache_dir, 'night harbour'), ['bb:n0', 'aa:n0']);
  assert.deepEqual(await nodes(index, cache_dir, '"harbour at night"'), ['aa:n0']);
  assert.deepEqual(await nodes(index, cache_dir, '“at night” boats'), ['aa:n0']);
  assert.deepEqual(await nodes(index, cache_dir, 'harbour zebra'), []);
  assert.deepEqual(await nodes(index, cache_dir, 'q'), ['bb:n0', 'aa:n2']);
  const one = await find(index, cache_dir, 'harbour', { max_results: 1 });
  assert.deepEqual([nodesOf(one), one.total], [['bb:n0'], 3]);
});

test('media, hashes and a collection narrow a search down', async (t) => {
  const { cache_dir, index } = await harbour(t);
  const inside = { name: 'Ports', description: '' };
  const result = { path: '/m/c.mp4', nodes: flat(['A harbour once more.']), collection: inside };
  const { collection_id } = await summarise(index, cache_dir, 'cc', result);
  const within = (more: Partial<Asked>) => nodes(index, cache_dir, 'harbour', more);
  assert.deepEqual(await within({ hashes: ['aa'] }), ['aa:n0', 'aa:n1']);
  assert.deepEqual(await within({ hashes: [] }), []);
  assert.deepEqual(await within({ collection_id }), ['cc:n0']);
  assert.deepEqual(await within({ collection_id, hashes: ['aa'] }), []);
  assert.deepEqual(await within({ collection_id: '0123456789abcdef01234567' }), []);
});

test('a query without a word is refused by its field, and no query is taken for a pattern', async (t) => {
  const { cache_dir, index } = await harbour(t);
  for (const query of ['', '  ', '""', '" “ ']) {
    await assert.rejects(
      find(index, cache_dir, query),
      (error) => summaryErrors.EMPTY_QUERY.is(error) && error.details['field'] === 'query',
      JSON.stringify(query),
    );
  }
  for (const query of ['.*', 'h.rbour', '[a-z]+', '(', '\\', '^', '$', 'night|quay', 'harbour?'])
    assert.deepEqual(await nodes(index, cache_dir, query), [], query);
  assert.deepEqual(await nodes(index, cache_dir, 'night.'), ['aa:n0']);
  assert.deepEqual(await nodes(index, cache_dir, 'harbour '.repeat(1250)), ['bb:n0', 'aa:n0', 'aa:n1']);
  assert.deepEqual(await nodes(index, cache_dir, 'x'.repeat(10_000)), []);
});

test('texts of every script are found, however they are written', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const texts = [
    '两个人在东京的街上走路。',
    'شخصان يمشيان في الشارع ليلاً',
    'คนสองคนเดินอยู่บนถนนในกรุงเทพ',
    'Die Straße bei Nacht, Café geöffnet',
    'A party 🎉👩‍👩‍👧 with cake',
    'ΟΔΟΣ της Αθήνας',
  ];
  await summarise(index, cache_dir, 'aa', { nodes: flat(texts) });
  const request: Record<string, string> = {
    东京: 'n0',
    الشارع: 'n1',
    ถนน: 'n2',
    STRASSE: 'n3',
    'cafe\u0301': 'n3',
    '🎉': 'n4',
    '👩‍👩‍👧': 'n4',
    ＣＡＫＥ: 'n4',
    οδοσ: 'n5',
  };
  for (const [query, id] of Object.entries(request)) {
    const { matches } = await find(index, cache_dir, query);
    assert.deepEqual(
      matches.map(({ node_id }) => node_id),
      [id],
      query,
    );
    const [{ text_preview, match_ranges } = { text_preview: '', match_ranges: [] }] = matches;
    const [[start, end] = [0, 0]] = match_ranges;
    const marked = Array.from(text_preview).slice(start, end).join('');
    assert.equal(fold(marked), fold(query), query);
  }
});

test('a search sees what was written, replaced, deleted and forgotten since, by whatever process', async (t) => {
  const { cache_dir, index } = await harbour(t);
  const other = await indexActor(t);
  assert.deepEqual(await nodes(other, cache_dir, 'quay'), ['aa:n2']);
  await summarise(index, cache_dir, 'cc', { path: '/m/c.mp4', nodes: flat(['On the quay.']) });
  assert.deepEqual(await nodes(other, cache_dir, 'quay'), ['aa:n2', 'cc:n0']);
  await summarise(index, cache_dir, 'aa', {
    replace: true,
    path: '/m/b.mp4',
    nodes: flat(['New quay.', 'Sea.']),
  });
  for (const one of [index, other]) assert.deepEqual(await nodes(one, cache_dir, 'quay'), ['aa:n0', 'cc:n0']);
  const second = await summarise(index, cache_dir, 'aa', { name: 'second', nodes: flat(['Second quay.']) });
  assert.equal((await find(other, cache_dir, 'quay')).total, 3);
  const summaries = [{ hash_str: 'aa', analysis_id: second.analysis_id }];
  await index.call('remove_summaries', { cache_dir, summaries, collections: [] });
  assert.deepEqual(await nodes(other, cache_dir, 'quay'), ['aa:n0', 'cc:n0']);
  await index.call('remove_media', { cache_dir, hashes: ['aa'] });
  for (const one of [index, other]) assert.deepEqual(await nodes(one, cache_dir, 'quay'), ['cc:n0']);
  await index.call('move_paths', { cache_dir, moves: [{ from: '/m/c.mp4', to: '/z/c.mp4', volume: null }] });
  const moved = await find(other, cache_dir, 'quay');
  assert.equal(moved.matches[0]!.media_path, '/z/c.mp4');
  // One that is being written is seen by nobody.
  const begun = { cache_dir, hash_str: 'dd', analysis_name: 'open', model_key: 'm', settings: '' };
  const { stage } = await index.call('begin_summary', { ...begun, replace_existing: false });
  await index.call('append_nodes', { stage, nodes: flat(['An open quay.']) });
  assert.deepEqual(await nodes(index, cache_dir, 'quay'), ['cc:n0']);
});

test('folders are searched apart, and one that was swapped is read anew', async (t) => {
  const { cache_dir, index } = await harbour(t);
  const others = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (number) => {
      const other = temporaryFolder(t);
      await summarise(index, other, 'ee', { nodes: flat([`harbour ${number}`]) });
      return other;
    }),
  );
  for (const round of [1, 2])
    for (const [i, other] of others.entries()) {
      assert.deepEqual(await nodes(index, other, `harbour ${i + 1}`), ['ee:n0'], `${round}`);
      assert.equal((await find(index, cache_dir, 'harbour')).total, 3);
    }
  const reader = await indexActor(t);
  assert.equal((await find(reader, cache_dir, 'harbour')).total, 3);
  await index.close();
  renameSync(cache_dir, `${cache_dir}-away`);
  t.after(() => rmSync(`${cache_dir}-away`, { recursive: true, force: true }));
  await assert.rejects(find(reader, cache_dir, 'harbour'));
  cpSync(others[0]!, cache_dir, { recursive: true });
  assert.deepEqual(await nodes(reader, cache_dir, 'harbour'), ['ee:n0']);
  assert.deepEqual(await nodes(reader, `${cache_dir}-none`, 'harbour'), []);
});

test('what is damaged is left out and told, the rest is found', async (t) => {
  const { cache_dir, index } = await harbour(t);
  await summarise(index, cache_dir, 'cc', { path: '/m/c.mp4', nodes: flat(['harbour']) });
  await index.close();
  const environment = Environment.open(databaseFile(cache_dir), 'write');
  const idOf = (hash: string) => environment.keys(summaryPrefix(hash))[0]!.slice(summaryPrefix(hash).length);
  const key = summaryKey('aa', idOf('aa'));
  const { token } = unseal(FilmSummaryRow, key, environment.get(key)!, environment.file);
  environment.transact((writes) => {
    writes.put(nodeKey('aa', token, 'n0')!, new Uint8Array(30));
    writes.put(summaryKey('cc', idOf('cc')), new Uint8Array(30));
    writes.put(summaryChangesKey, new Uint8Array(9));
  });
  await environment.close();
  const again = await indexActor(t);
  const found = await find(again, cache_dir, 'harbour');
  assert.deepEqual(nodesOf(found), ['bb:n0', 'aa:n1']);
  assert.deepEqual(found.unreadable.map(({ hash_str }) => hash_str).sort(), ['aa', 'cc']);
  assert.match(JSON.stringify(again.lines), /cannot be searched whole/);
  // A damaged count of changes is written anew by the next change.
  await summarise(again, cache_dir, 'dd', { path: '/m/d.mp4', nodes: flat(['harbour']) });
  assert.deepEqual(await nodes(again, cache_dir, 'harbour'), ['bb:n0', 'dd:n0', 'aa:n1']);
});

test('the first search goes step by step, and can be cancelled', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const texts = Array.from(
    { length: 900 },
    (_, i) => `scene ${i} ${'x'.repeat(i % 7 === 0 ? 3000 : 10)} end`,
  );
  await summarise(index, cache_dir, 'aa', { nodes: flat(texts) });
  const request = { cache_dir, query: 'scene', hashes: null, collection_id: null, max_results: 500 };
  const first = await index.call('search_summaries', request);
  assert.deepEqual([first.done, first.matches], [false, []]);
  const found = await find(index, cache_dir, 'scene', { max_results: 500 });
  assert.ok(found.steps > 3);
  assert.deepEqual([found.total, found.matches.length], [900, 500]);
  assert.deepEqual(
    found.matches.map(({ range }) => range[0]),
    Array.from({ length: 500 }, (_, i) => i * 10),
  );
  assert.equal((await find(index, cache_dir, 'scene 899')).steps, 1);
  await assert.rejects(
    index.call('search_summaries', request, () => true),
    /cancelled/i,
  );
});

const letters = [...'abAB .ßſiİı"', ...'東京都ｶ', ...'ΣσςÉé', 'e\u0301', '😀', 'ﬁ', '\n'];
const text = fc.string({ unit: fc.constantFrom(...letters), maxLength: 14 });

test('a search finds what looking into every text finds', async (t) => {
  const cache_dir = temporaryFolder(t);
  const index = await indexActor(t);
  const now = new Map<string, string[]>();
  const change = fc.record({
    hash: fc.constantFrom('a1', 'a2', 'a3'),
    texts: fc.option(fc.array(text, { minLength: 1, maxLength: 5 })),
    query: fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ hash, texts, query }) => {
      if (texts === null) await index.call('remove_media', { cache_dir, hashes: [hash] });
      else await summarise(index, cache_dir, hash, { replace: true, nodes: flat(texts) });
      now.set(hash, texts ?? []);
      const words = wordsOf(query);
      if (words.length === 0) return;
      const wanted = [...now].flatMap(([of, all]) =>
        [...(all.length > 0 ? ['root'] : []), ...all].flatMap((one, i) =>
          words.every((word) => fold(one).includes(word)) ? [`${of}:${i === 0 ? '0' : `n${i - 1}`}`] : [],
        ),
      );
      assert.deepEqual((await nodes(index, cache_dir, query, { max_results: 500 })).sort(), wanted.sort());
    }),
    { numRuns: draws(100) },
  );
});
