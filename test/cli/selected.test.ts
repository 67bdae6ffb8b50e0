import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Moment } from '../../actors/search/moments/contract.ts';
import { mostThumbnails } from '../../actors/search/thumbnails/contract.ts';
import { selectFootage } from '../../cli/commands/search.ts';
import type { Service } from '../../cli/service.ts';
import { plainQuestion } from './plain-question.ts';

const moment = (n: number) =>
  ({
    ...{ hash_str: `${n}`, media_path: `/${n}.mov`, kind: 'video', reasons: [] },
    ...{ time_seconds: 0, start_seconds: 0, end_seconds: 4 },
  }) as unknown as Moment;

test('previews of many matches are asked for as many at a time as one answer holds', async () => {
  const asked: number[] = [];
  const client = {
    loadTranscriptions: async () => ({}),
    searchMoments: async () => ({ moments: Array.from({ length: 1200 }, (_, n) => moment(n)) }),
    thumbnails: async ({ requests, max_size }: { requests: { media_path: string }[]; max_size: number }) => {
      asked.push(requests.length);
      assert.ok(requests.length <= mostThumbnails(max_size));
      return { thumbnails: requests.map(({ media_path }) => ({ thumbnail: media_path })) };
    },
  };
  const question = { ...plainQuestion, previews: true, max: 1200 };
  const { matches } = await selectFootage({ client } as unknown as Service, question, '/analysis');
  assert.equal(
    asked.reduce((sum, one) => sum + one, 0),
    1200,
  );
  assert.ok(matches.every(({ image, video_path }) => image === video_path));
});
