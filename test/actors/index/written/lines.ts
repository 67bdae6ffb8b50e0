// Lines that tests store and search.
import type { WrittenLine } from '../../../../actors/index/written/contract.ts';
import { mediaRecord } from '../footage.ts';
import type { Harness } from '../handlers.ts';

export function line(text: string, start: number, end = start + 1, score = 0.95): WrittenLine {
  return { text, score, box: [0.1, 0.2, 0.3, 0.05], best: start, start, end };
}

export async function storeLines(index: Harness, cache_dir: string, hash: string, lines: WrittenLine[]) {
  const media = mediaRecord(hash);
  const found = { type: 'text' as const, items: lines };
  await index.call('store_result', { cache_dir, media, model_key: 'm', found, from_previews: false });
}

type Asked = {
  scope?: { hashes?: string[]; ranges?: Record<string, [number, number][]> };
  max_results?: number;
};

export async function search(index: Harness, cache_dir: string, query: string, more: Asked = {}) {
  const scope = { hashes: null, filters: [], ranges: {}, ...more.scope };
  const request = { cache_dir, query, max_results: more.max_results ?? 50, scope };
  for (let steps = 0; steps < 1000; steps++) {
    const found = await index.call('search_written', request);
    if (found.done) return found;
  }
  throw new Error('the search does not end');
}

export async function texts(index: Harness, cache_dir: string, query: string, more: Asked = {}) {
  return (await search(index, cache_dir, query, more)).matches.map(({ text }) => text);
}
