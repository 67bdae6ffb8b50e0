import assert from 'node:assert/strict';
import test from 'node:test';
import type { Moment } from '../../actors/search/moments/contract.ts';
import type { Question } from '../../cli/arguments.ts';
import { sceneSpan } from '../../cli/found.ts';
import { selectFootage } from '../../cli/select-footage.ts';
import type { CommandService } from '../../cli/service.ts';

const question = { media: [], max: 10, perFilm: null, query: null, exclude: [], previews: false, people: [] };

async function matchOf(moment: Partial<Moment>) {
  const client = {
    loadTranscriptions: async () => ({}),
    searchMoments: async () => ({
      moments: [{ hash_str: 'aa', media_path: '/a.mp4', kind: 'video', reasons: [], ...moment }],
    }),
  };
  const asked = { ...question, filters: [], anyPerson: false, clusterJob: null } as never as Question;
  const { matches } = await selectFootage({ client } as never as CommandService, asked, '/cache');
  return matches[0]!;
}

test('the seconds of a scene are those between its edges, and its span is the shot', async () => {
  for (const [[start_seconds, end_seconds], seconds] of [
    [
      [2.8, 5],
      ['00:00:03', '00:00:04'],
    ],
    [
      [4.96, 9.56],
      ['00:00:05', '00:00:09'],
    ],
    [
      [2.48, 2.76],
      ['00:00:02', '00:00:02'],
    ],
  ] as const) {
    const shot = { start_seconds, end_seconds, start_frame: 0, end_frame: null };
    const match = await matchOf({ time_seconds: start_seconds, start_seconds, end_seconds, shot });
    assert.deepEqual([match.scene_start_timestamp, match.scene_end_timestamp], seconds);
    assert.deepEqual(sceneSpan(match), { start: start_seconds, end: end_seconds });
  }
  const whole = await matchOf({ time_seconds: 0, start_seconds: 0, end_seconds: 9.5 });
  assert.deepEqual(sceneSpan(whole), { start: 0, end: 10 });
});
