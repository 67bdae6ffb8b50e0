// How the coordinator searches: steps until it is done, one search at a time, and what of the damage it
// tells.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { indexContract } from '../../../../actors/index/contract.ts';
import type { SummariesParts } from '../../../../actors/summarizer/stored/lists.ts';
import { createSummaries } from '../../../../actors/summarizer/stored/summaries.ts';
import type { Reply, Request } from '../../../../runtime/contract.ts';
import { engineErrors } from '../../../../runtime/errors.ts';

type Asked = Request<typeof indexContract, 'search_summaries'>;
type Found = Reply<typeof indexContract, 'search_summaries'>;

const done: Found = { done: true, matches: [], total: 0, total_is_exact: true, unreadable: [] };
const request = { cache_dir: '/library', query: 'harbour', max_results: 50 };

/** Searches of an index that answers what the test says. */
function summariesOf(answer: (request: Asked) => Found | Promise<Found>) {
  const ask = async (name: string, request: Asked) =>
    name === 'search_summaries' ? answer(request) : { by_path: [], by_hash: [] };
  return createSummaries({ index: { ask }, prober: null } as unknown as SummariesParts);
}

test('the same question is asked until it is done', async () => {
  const seen: Asked[] = [];
  const summaries = summariesOf((request) => {
    seen.push(request);
    return { ...done, done: seen.length === 3, total: 7 };
  });
  const found = await summaries.find(request);
  const rest = { ...request, collection_id: null };
  assert.deepEqual(
    seen,
    [1, 2, 3].map(() => ({ ...rest, hashes: null })),
  );
  assert.deepEqual(found, { matches: [], total: 7, truncated: true, total_is_exact: true });
});

test('a search waits for the one before, and a wait that is cancelled harms nobody', async () => {
  const held = Promise.withResolvers<Found>();
  const order: string[] = [];
  const summaries = summariesOf(async ({ query }) => {
    order.push(query);
    return query === 'first' ? held.promise : done;
  });
  const first = summaries.find({ ...request, query: 'first' });
  const cancel = new AbortController();
  const second = summaries.find({ ...request, query: 'second' }, cancel.signal);
  const third = summaries.find({ ...request, query: 'third' });
  cancel.abort();
  await assert.rejects(second, engineErrors.CANCELLED.is);
  assert.deepEqual(order, ['first']);
  held.resolve({ ...done, done: true });
  await Promise.all([first, third]);
  assert.deepEqual(order, ['first', 'third']);
});

test('a search that fails lets the next one begin', async () => {
  let failed = false;
  const summaries = summariesOf(() => {
    if (failed) return done;
    failed = true;
    throw engineErrors.ACTOR_CRASHED();
  });
  await assert.rejects(summaries.find(request), engineErrors.ACTOR_CRASHED.is);
  assert.equal((await summaries.find(request)).total, 0);
});

test('damage is told where it is among what was asked for', async () => {
  const unreadable = ['aa', 'bb'].map((hash_str) => ({ hash_str, analysis_id: '0'.repeat(24) }));
  const summaries = summariesOf(() => ({ ...done, unreadable }));
  const all = await summaries.find(request);
  assert.equal(all.warning, 'Skipped: a summary of aa is damaged; a summary of bb is damaged');
  const one = await summaries.find({ ...request, hash_strs: ['bb'] });
  assert.equal(one.warning, 'Skipped: a summary of bb is damaged');
  assert.equal('warning' in (await summaries.find({ ...request, hash_strs: ['cc'] })), false);
});
