import assert from 'node:assert/strict';
import test from 'node:test';
import { remoteSummaries } from '../../cli/remote-summaries.ts';
import type { Client } from '../../http/client/client.ts';

test('each question goes to the route of its own, and a removal is asked for once', async () => {
  const asked: [string, unknown, unknown][] = [];
  const method = (id: string) => async (input: unknown, options: unknown) => {
    asked.push([id, input, options]);
    return {};
  };
  const client = new Proxy({}, { get: (_, id: string) => method(id) }) as Client;
  const { signal } = new AbortController();
  const remote = remoteSummaries(client, (work) => work, { signal, retries: 9 });
  const at = { cache_dir: '/a', summary_ref: 'r' };
  const node = { ...at, node_id: '0', include_evidence: false };
  const document = { ...at, format: 'vtt', include_evidence: false } as const;
  await remote.collections('/a');
  await remote.collection('/a', 'c');
  await remote.list({ cache_dir: '/a', media_paths: ['/f'], hash_strs: [] });
  const words = { cache_dir: '/a', query: 'x', max_results: 5 };
  await remote.find({ ...words, media_paths: ['/f'], collection_id: null });
  await remote.find({ ...words, media_paths: null, collection_id: 'c' });
  await remote.overview(at);
  await remote.node(node);
  await remote.export(document);
  await remote.remove({ cache_dir: '/a', summary_refs: ['r'], collection_id: null });
  await remote.remove({ cache_dir: '/a', summary_refs: [], collection_id: 'c' });
  const again = { signal, retries: 9 };
  const once = { signal, retries: 0 };
  assert.deepEqual(asked, [
    ['summaryCollections', { cache_dir: '/a' }, again],
    ['summaryCollections', { cache_dir: '/a', collection_id: 'c', include_members: true }, again],
    ['listSummaries', { cache_dir: '/a', media_paths: ['/f'], hash_strs: [] }, again],
    ['searchSummaries', { ...words, media_paths: ['/f'] }, again],
    ['searchSummaries', { ...words, collection_id: 'c' }, again],
    ['summaryOverview', at, again],
    ['summaryNode', node, again],
    ['exportSummary', document, again],
    ['deleteSummaries', { cache_dir: '/a', summary_refs: ['r'] }, once],
    ['deleteSummaries', { cache_dir: '/a', summary_refs: [], collection_id: 'c' }, once],
  ]);
});
