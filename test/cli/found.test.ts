import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Match } from '../../actors/search/contract.ts';
import type {
  TranscriptionsAnswer,
  TranscriptSearchMatch,
} from '../../actors/search/transcripts/contract.ts';
import type { WrittenSearchMatch } from '../../actors/search/written/contract.ts';
import { search, show } from '../../cli/commands/search.ts';
import { documentRows, moreLine, written } from '../../cli/commands/transcript.ts';
import { foundBy, matchFields, merged, namesText } from '../../cli/found.ts';
import { fakeHome } from './fake-context.ts';
import { plainQuestion } from './plain-question.ts';

const seen = (hash_str: string, from: string, to: string): Match => ({
  frame_idx: '12',
  timestamp: from,
  image: '',
  scene_start_timestamp: from,
  scene_end_timestamp: to,
  original_index: 0,
  hash_str,
  video_path: `/films/${hash_str}.mp4`,
});
const said = (hash_str: string, start_seconds: number): TranscriptSearchMatch => ({
  media_path: `/films/${hash_str}.mp4`,
  hash_str,
  start_seconds,
  end_seconds: start_seconds + 2,
  text: ' ask what you can do for your country',
  start_timestamp: `00:00:${start_seconds}`,
  end_timestamp: `00:00:${start_seconds + 2}`,
  speaker: '',
  speaker_name: '',
  speakers: [],
  segment_index: 0,
});

const pictures = [seen('a', '00:00:10', '00:00:14'), seen('b', '00:00:10', '00:00:14')];
const words = [said('c', 40), said('b', 14), said('b', 15)];

test('what is seen and what is said come in one list by rank, and one scene with both is one entry', () => {
  const found = merged(pictures, words, 10);
  assert.deepEqual(
    found.map((entry) => [entry.seen?.hash_str, entry.said?.start_seconds, foundBy(entry).join()]),
    [
      [undefined, 40, 'said'],
      ['a', undefined, 'seen'],
      ['b', 14, 'seen,said'],
      [undefined, 15, 'said'],
    ],
  );
  assert.equal(merged(pictures, words, 2).length, 2);
});

test('JSON keeps the matches as they were, and says by what each was found', () => {
  const { matches, said_matches } = matchFields(pictures, words);
  assert.deepEqual(
    matches.map(({ found_by, ...match }) => [match, found_by]),
    [
      [pictures[0], ['seen']],
      [pictures[1], ['seen', 'said']],
    ],
  );
  assert.deepEqual(
    said_matches?.map(({ found_by }) => found_by),
    [['said'], ['seen', 'said'], ['said']],
  );
  assert.ok(!('said_matches' in matchFields(pictures, null)), 'nobody looked for it');
});

test('a search prints what is said beside what is seen', async (t) => {
  const own = fakeHome(t).context();
  show({ matches: pictures }, { ...plainQuestion, query: 'country' }, own, words);
  const lines = own.said().out.split('\n');
  assert.deepEqual(lines.slice(1, 5), [
    '  1. 00:00:40  said  /films/c.mp4',
    '     “ask what you can do for your country”',
    '  2. 00:00:10  scene 00:00:10–00:00:14  seen  /films/a.mp4',
    '  3. 00:00:10  scene 00:00:10–00:00:14  seen, said  /films/b.mp4',
  ]);
});

test('--said is for words alone, and not for --seen too', async (t) => {
  const refused = (...args: string[]) =>
    assert.rejects(search(['x', ...args], fakeHome(t).context()), /--said/);
  await refused('--said', '--seen');
  await refused('--said', '--person', 'Ada');
  await refused('--said', '--timeline', '/x.edl');
});

test('a line of text joins the scene that shows it, and stands alone elsewhere', async () => {
  const line = (hash_str: string, start_seconds: number): WrittenSearchMatch => ({
    ...{
      media_path: `/${hash_str}.mp4`,
      hash_str,
      start_seconds,
      end_seconds: start_seconds + 2,
      text: 'EXIT',
    },
    ...{ start_timestamp: '00:00:00', end_timestamp: '00:00:02', best_seconds: start_seconds },
    ...{ score: 0.97, band: 'strong' as const },
    box: [0, 0, 0.1, 0.1],
  });
  const [first] = pictures;
  const within = line(first!.hash_str, 10);
  const apart = line('elsewhere', 4);
  const found = merged(pictures, [], 10, [apart, within]);
  const told = found.map((entry) => [entry.seen?.hash_str ?? entry.written?.hash_str, foundBy(entry).join()]);
  assert.deepEqual(told.slice(0, 2), [
    [first!.hash_str, 'seen,written'],
    ['elsewhere', 'written'],
  ]);
  const { written_matches, matches } = matchFields(pictures, null, [apart, within]);
  assert.deepEqual(
    written_matches?.map(({ found_by }) => found_by.join()),
    ['written', 'seen,written'],
  );
  assert.equal(matches[0]?.found_by.join(), 'seen,written');
});

test('a match says what is named by the query, and by what it was found', () => {
  const [match] = pictures as [Match];
  const named = [
    { of: 'person', name: 'Barack Obama' },
    { of: 'folder', name: 'Kakadu' },
  ] as const;
  const both = { ...match, named, explanation: { band: 'likely', parts: [] } } as const;
  const none = { said: null, written: null };
  assert.deepEqual(foundBy({ seen: { ...match, named }, ...none }), ['named']);
  assert.deepEqual(foundBy({ seen: { ...both, explanation: { band: 'likely', parts: [] } }, ...none }), [
    'named',
    'seen',
  ]);
  assert.equal(namesText({ ...match, named }), 'named Barack Obama, folder Kakadu');
  const music = { of: 'sound', name: 'music' } as const;
  assert.equal(namesText({ ...match, named: [music, music] }), 'sound: music');
  assert.equal(namesText(match), '');
});

test('how much more was found is told as exactly as it is known', () => {
  const table: [shown: number, total: number, exact: boolean, line: string][] = [
    [3, 3, true, ''],
    [0, 0, true, ''],
    [3, 5, true, '  2 more: --max 5\n'],
    [3, 50, true, '  47 more: --max 20\n'],
    // The search stopped counting.
    [3, 10, false, '  at least 7 more: --max 20\n'],
    [20, 20, false, '  there may be more\n'],
  ];
  for (const [shown, total, total_is_exact, line] of table) {
    const matches = new Array<TranscriptSearchMatch>(shown);
    assert.equal(moreLine({ matches, total, total_is_exact }, 20), line);
  }
});

const path = '/talk.wav';
const answer: TranscriptionsAnswer = {
  transcriptions: {
    [path]: [
      [0, ' Hello.', 1, path],
      [61, ' Who is there?', 62, path],
      [3600, ' Nobody.', 3601, path],
    ],
  },
  transcription_data: {
    [path]: {
      hash_str: 'aa',
      segments: [],
      speakers: {
        SPEAKER_00: { segment_indices: [0], display_name: 'Ann' },
        SPEAKER_01: { segment_indices: [1] },
      },
    },
  },
  transcription_languages: { [path]: { language: 'en', other_languages: [] } },
};

test('each line has the speaker of its segment, by name where there is one', () => {
  assert.deepEqual(written(path, answer, false).split('\n'), [
    '00:00:00  Ann         Hello.',
    '00:01:01  SPEAKER_01  Who is there?',
    '01:00:00              Nobody.',
    '',
  ]);
  assert.deepEqual(documentRows(path, answer), [
    [0, ' Hello.', 1, 'Ann'],
    [61, ' Who is there?', 62, 'SPEAKER_01'],
    [3600, ' Nobody.', 3601, null],
  ]);
});
