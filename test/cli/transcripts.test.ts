import assert from 'node:assert/strict';
import test from 'node:test';
import type {
  TranscriptionsAnswer,
  TranscriptSearchMatch,
} from '../../actors/search/transcripts/contract.ts';
import { documentRows, moreLine, written } from '../../cli/transcripts.ts';

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
