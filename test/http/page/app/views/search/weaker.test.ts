import assert from 'node:assert/strict';
import test from 'node:test';
import { byFilm, byRank, folded } from '../../../../../../http/page/app/views/search/group-head.ts';
import { countOf, type Found } from '../../../../../../http/page/app/views/search/state.ts';

const seen = (band: 'strong' | 'likely' | 'weak') => ({
  kind: 'seen' as const,
  rank: 1,
  explanation: { band, parts: [] },
});
const said = {
  kind: 'said',
  rank: 1,
  text: 'x',
  start_seconds: 0,
  end_seconds: 1,
  speaker: '',
  speaker_name: '',
} as const;
const written = (band: 'strong' | 'weak'): Found['reasons'][number] => ({
  kind: 'written',
  rank: 1,
  text: 'x',
  score: 0.5,
  band,
  box: [0, 0, 1, 1],
  best_seconds: 0,
  start_seconds: 0,
  end_seconds: 1,
});
const moment = (id: string, film: string, ...reasons: Found['reasons'][number][]): Found => ({
  ...{ moment_id: id, hash_str: film, media_path: `/${film}.mp4`, kind: 'video' },
  ...{ time_seconds: Number(id), start_seconds: 0, end_seconds: 1, reasons },
});

const moments = [
  moment('1', 'a', seen('strong')),
  moment('2', 'b', seen('weak')),
  moment('3', 'b', seen('weak'), said),
  moment('4', 'a', seen('weak')),
  moment('5', 'a', written('weak'), seen('likely')),
  moment('6', 'a', written('weak')),
  moment('7', 'c', { kind: 'seen', rank: 7 }),
];
const shown = (ordered: ReturnType<typeof folded>) =>
  ordered.groups.map(({ kind, hash_str, from, to }) => {
    const ids = ordered.moments.slice(from, to).map(({ moment_id }) => moment_id);
    return `${kind} ${hash_str}${ids.join()}`;
  });

test('what stands out comes first, then a line that counts the rest, which it opens', () => {
  assert.deepEqual(shown(folded(moments, byFilm, false)), ['film a1,5', 'film b3', 'film c7', 'weaker ']);
  assert.deepEqual(shown(folded(moments, byRank, false)), ['all 1,3,5,7', 'weaker ']);
  const open = folded(moments, byFilm, true);
  assert.deepEqual(shown(open), ['film a1,5', 'film b3', 'film c7', 'weaker ', 'film b2', 'film a4,6']);
  assert.deepEqual([open.weaker, open.moments.length], [3, 7]);
});

test('without a weak match there is no line, and without another one nothing else', () => {
  assert.deepEqual(shown(folded(moments.slice(0, 1), byFilm, false)), ['film a1']);
  assert.deepEqual(shown(folded([moments[1]!], byFilm, false)), ['weaker ']);
  assert.deepEqual(shown(folded([moments[1]!], byFilm, true)), ['weaker ', 'film b2']);
});

test('a kind with weak matches counts those that are shown, any other also what lies beyond the limit', () => {
  const counts = { seen: 90, said: 80, person: 0, written: 70 };
  const count = (kind: 'seen' | 'said' | 'written') => countOf({ moments, counts }, kind);
  assert.deepEqual([count('seen'), count('said'), count('written')], [3, 80, 0]);
});
