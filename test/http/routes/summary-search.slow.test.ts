// Finding nodes of summaries over HTTP, on a real index and real files.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import test, { after } from 'node:test';
import { summarise, tree } from '../../actors/index/summaries/trees.ts';
import { type SummaryAnswers, summaryWorld } from './summary-world.ts';

const { w, cache_dir, paths, media: found, index, call } = await summaryWorld();
after(() => w.end());
const [film, other, third] = paths;
const [media, otherMedia] = found;
const long = 'A very long sentence about nothing. '.repeat(30);
const nodes = tree(40).map((node) => (node.node_id === '1' ? { ...node, text: long } : node));
const collection = { name: 'Dailies', description: '' };
const first = await summarise(index, cache_dir, 'aa', { media, collection, nodes });
await summarise(index, cache_dir, 'aa', { media, name: 'trailer' });
await summarise(index, cache_dir, 'bb', { media: otherMedia });

const ask = async <N extends keyof SummaryAnswers>(name: N, body: object = {}) => {
  const answer = await call(`/api/v1/summaries/${name}`, { cache_dir, ...body });
  return { status: answer.status, body: answer.body as SummaryAnswers[N] };
};
const refOf = async (name: string): Promise<string> =>
  (await ask('list', { hash_strs: ['aa'] })).body.summaries.find((one) => one.analysis_name === name)!
    .summary_ref;

test('words are found in the texts of nodes, of everything or of the media that are named', async () => {
  const everything = await ask('search', { query: '"from 0 to"' });
  assert.equal(everything.status, 200);
  assert.equal(everything.body.truncated, false);
  const paths = everything.body.matches.map((one) => one.media_path);
  assert.deepEqual([...new Set(paths)], [film, other]);
  const { body } = await ask('search', { query: 'SENTENCE "about nothing"', media_paths: [film] });
  assert.deepEqual([body.total, body.truncated, body.total_is_exact], [1, false, true]);
  const { text_preview, match_ranges, ...match } = body.matches[0]!;
  assert.deepEqual(match, {
    summary_ref: await refOf('general'),
    analysis_id: first.analysis_id,
    analysis_name: 'general',
    hash_str: 'aa',
    media_path: film,
    media_basename: basename(film),
    node_id: '1',
    level: 1,
    is_leaf: false,
    search_range: nodes.find(({ node_id }) => node_id === '1')!.range,
    preview_truncated: true,
  });
  assert.ok(text_preview.length <= 200 && long.includes(text_preview));
  assert.ok(match_ranges.length > 1);
  for (const [start, end] of match_ranges)
    assert.match(text_preview.slice(start, end), /^(sentence|about nothing)$/);
  const node = await ask('node', { summary_ref: match.summary_ref, node_id: match.node_id });
  assert.equal(node.body.node.text, long);
});

test('a search is narrowed down, paged by its most results, and refused by field', async () => {
  const found = async (more: object) => (await ask('search', { query: 'from', ...more })).body;
  const all = await found({ max_results: 500 });
  const few = await found({ max_results: 2 });
  assert.deepEqual(few.matches, all.matches.slice(0, 2));
  assert.deepEqual([few.total, few.truncated], [all.total, true]);
  const hashes = async (more: object) => [
    ...new Set(
      (await found({ max_results: 500, ...more })).matches.map((one: { hash_str: string }) => one.hash_str),
    ),
  ];
  assert.deepEqual(await hashes({}), ['aa', 'bb']);
  assert.deepEqual(await hashes({ media_paths: [other] }), ['bb']);
  assert.deepEqual(await hashes({ hash_strs: ['bb', 'cc'] }), ['bb']);
  assert.deepEqual(await hashes({ media_paths: [] }), []);
  assert.deepEqual(await hashes({ media_paths: [third] }), []);
  const { collection_id } = first;
  const inside = await found({ collection_id, max_results: 500 });
  assert.ok(inside.matches.every((one: { analysis_name: string }) => one.analysis_name === 'general'));
  const sent = `${w.folder}/./a.mp4`;
  assert.equal((await found({ media_paths: [sent] })).matches[0]!.media_path, sent);
  for (const [wrong, status, field] of [
    [{ query: '' }, 400, 'query'],
    [{ query: ' "" ' }, 400, 'query'],
    [{ query: 'x'.repeat(10_001) }, 400, 'query'],
    [{ max_results: 0 }, 400, 'max_results'],
    [{ max_results: 501 }, 400, 'max_results'],
    [{ collection_id: 'ffffffffffffffffffffffff' }, 404, 'collection_id'],
    [{ media_paths: ['relative.mp4'] }, 400, 'media_paths'],
  ] as const) {
    const refused = await ask('search', { query: 'from', ...wrong });
    assert.equal(refused.status, status, JSON.stringify(wrong));
    assert.match(JSON.stringify(refused.body), new RegExp(field));
  }
  assert.equal((await ask('search', { query: 'x'.repeat(10_000) })).status, 200);
});
