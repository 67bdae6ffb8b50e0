import assert from 'node:assert/strict';
import test from 'node:test';
import { searchRoutes } from '../../../http/routes/search.ts';
import { transcriptionRoutes } from '../../../http/routes/transcriptions.ts';
import type { Service } from '../../../http/service.ts';
import { inject } from '../inject.ts';

/** What a search is asked for, by its route. */
async function asked(path: string, body: object): Promise<Record<string, unknown>> {
  const requests: unknown[] = [];
  const answer = { matches: [], total: 0, total_is_exact: true, query: 'a' };
  const take = async (request: unknown) => {
    requests.push(request);
    return answer;
  };
  const search = { text: take, image: take, frame: take, transcripts: { search: take } };
  const call = inject([...searchRoutes, ...transcriptionRoutes], { search } as unknown as Service);
  const { status, body: said } = await call(path, body);
  assert.equal(status, 200, JSON.stringify(said));
  return requests[0] as Record<string, unknown>;
}

const scope = (paths: readonly string[]) => ({
  scope: { media_paths: paths, hash_strs: ['', 'aa-1'] },
  filters: [],
});

for (const [path, fields] of [
  ['/api/v1/search/text', { query: 'a' }],
  ['/api/v1/search/image', { image_path: '/i.png' }],
  ['/api/v1/search/frame', { media_path: '/a.mp4', time_seconds: 1 }],
  ['/api/v1/search/transcript', { query: 'a' }],
] as const) {
  test(`${path}: the paths of a filter's scope are taken in their plain form`, async () => {
    const metadata_filter_request = scope(['/a/../b.mp4', '//c/./d.mp4']);
    const request = await asked(path, { cache_dir: '/c', ...fields, metadata_filter_request });
    const { media_paths, hash_strs } = (request['metadata_filter_request'] as ReturnType<typeof scope>).scope;
    assert.deepEqual(
      [media_paths, hash_strs],
      [
        ['/b.mp4', '/c/d.mp4'],
        ['', 'aa-1'],
      ],
    );
  });
}
