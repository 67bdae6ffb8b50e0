// Two films with pictures, speech, people and a list of moments, and the questions that tests ask of them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after } from 'node:test';
import { definition } from '../../../actors/index/actor.ts';
import type { Moment, MomentsAnswer } from '../../../actors/search/moments/contract.ts';
import { analysisDataRoutes } from '../../../http/routes/library.ts';
import { momentRoutes } from '../../../http/routes/search.ts';
import { actor } from '../../../runtime/actor.ts';
import { world } from '../../actors/analysis/fakes.ts';
import { FakeClusterings } from '../../actors/index/people/clusterings.ts';
import { inject } from '../inject.ts';

const clusterings = new FakeClusterings();
clusterings.store(
  'cast',
  [
    ['aa', 2, 'c1'],
    ['aa', 3, 'c1'],
    ['bb', 6, 'c1'],
    ['bb', 1, 'c2'],
  ],
  { c1: 'Ann', c2: 'Bob Ray' },
);
const withPeople = actor<typeof definition.contract, undefined>({
  ...definition,
  create: (start) => definition.create({ ...start, settings: { clusterings: () => clusterings } }),
});
/** Moments of a list; the second is of a file that the folder does not know. */
const listed = [
  { item_id: 'i', media_path: '/elsewhere/b.mp4', hash_str: 'bb', start_seconds: 3, end_seconds: 5 },
  { item_id: 'j', media_path: '/elsewhere/c.mp4', start_seconds: 3, end_seconds: 5 },
];
const mark = {
  ...{
    model_key: 'x',
    language: null,
    spoken: 'en',
    channels: null,
    detect_speakers: true,
    speaker_count: 'auto',
  },
};

/** Nothing of it is loaded. */
export async function momentWorld() {
  const w = await world(
    [
      { name: 'a.mp4', frames: 8, content: 'aa' },
      { name: 'b.mp4', frames: 8, content: 'bb' },
    ],
    {
      index: withPeople as never,
      lists: {
        list: async () => ({
          lists: [{ list_id: 'l', name: 'Rough cut', version: 1, items: 2, updated_at: 1 }],
          unreadable: [],
        }),
        get: async () => ({ list_id: 'l', name: 'Rough cut', version: 1, updated_at: 1, items: listed }),
      },
    },
  );
  after(() => w.end());
  await w.run();
  const cache_dir = join(w.folder, 'cache');
  const [a, b] = w.paths as [string, string];
  const { media } = await w.index.ask('media', { cache_dir });
  const said = (hash: string, segments: readonly (readonly [number, number, string, string?])[]) =>
    w.index.ask('transcribe', {
      cache_dir,
      media: media.find(({ identity }) => identity.hash_str === hash)!,
      mark: { ...mark, speaker_names: { SPEAKER_00: 'Ann', SPEAKER_01: 'Carl' } },
      segments: segments.map(([start_seconds, end_seconds, text, speaker = null]) => ({
        ...{ start_seconds, end_seconds, text: ` ${text}`, speaker },
      })),
    });
  await said('aa', [
    [0, 2, 'We begin with the weather.', 'SPEAKER_01'],
    [2, 4, 'The budgets are red.', 'SPEAKER_00'],
    [7.5, 8, 'A car, a red car, for the budget.', 'SPEAKER_01'],
  ]);
  await said('bb', [[0.5, 2, 'Nobody listens to the carpenter.']]);

  const call = inject([...momentRoutes, ...analysisDataRoutes], { search: w.search });
  const ask = async (body: Record<string, unknown>, signal?: AbortSignal) => {
    const answer = await call(
      '/api/v1/search/moments',
      { cache_dir, ...body },
      signal && ({ signal } as never),
    );
    return { ...answer, body: answer.body as MomentsAnswer & { error?: string; message?: string } };
  };
  const found = async (body: Record<string, unknown>) => {
    const { status, body: answer } = await ask(body);
    assert.equal(status, 200, JSON.stringify(answer));
    return answer;
  };
  return { w, a, b, cache_dir, media, ask, found };
}

/** `hash@second kind1 kind2` of each moment. */
export const told = (moments: readonly Moment[]) =>
  moments.map(({ hash_str, time_seconds, reasons }) => {
    return `${hash_str}@${time_seconds} ${reasons.map(({ kind, rank }) => `${kind}${rank}`).join(' ')}`;
  });
