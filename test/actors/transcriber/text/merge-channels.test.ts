import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type LeveledSegment, mergeChannels } from '../../../../actors/transcriber/text/merge-channels.ts';

const said = (start: number, end: number, text: string, level_db = -20): LeveledSegment => ({
  start_seconds: start,
  end_seconds: end,
  text: ` ${text}`,
  speaker: null,
  level_db,
});
const ten = 'we rode down to the river before sunrise that morning';

const cases: [claim: string, channels: LeveledSegment[][], expected: string[]][] = [
  ['no channel says nothing', [], []],
  ['one channel stays as it is', [[said(0, 1, 'Yes.'), said(1, 2, 'Yes.')]], ['Yes.', 'Yes.']],
  [
    'the same words at once are there once, from the louder',
    [[said(0, 2, 'good morning', -40)], [said(0.1, 2.1, 'Good morning!', -20)]],
    ['Good morning!'],
  ],
  [
    'equally loud: the first channel',
    [[said(0, 2, 'good morning')], [said(0, 2, 'Good morning.')]],
    ['good morning'],
  ],
  [
    'the same words at another time are said twice',
    [[said(0, 2, 'good morning')], [said(2, 4, 'good morning', -40)]],
    ['good morning', 'good morning'],
  ],
  [
    'different words at once stay, both',
    [[said(0, 2, 'good morning')], [said(0, 2, 'who is there', -40)]],
    ['good morning', 'who is there'],
  ],
  [
    'one other word in three is different',
    [[said(0, 2, 'I can go')], [said(0, 2, "I can't go", -40)]],
    ['I can go', "I can't go"],
  ],
  [
    'one other number is different',
    [[said(0, 2, 'take 15')], [said(0, 2, 'take 16', -40)]],
    ['take 15', 'take 16'],
  ],
  [
    'one misheard letter in five words is the same',
    [[said(0, 3, 'the colour of the door')], [said(0, 3, 'the color of the door', -40)]],
    ['the colour of the door'],
  ],
  [
    'one misheard word in ten is the same',
    [[said(0, 5, ten)], [said(0, 5, ten.replace('river', 'house'), -40)]],
    [ten],
  ],
  [
    'two misheard words in ten are different',
    [[said(0, 5, ten)], [said(0, 5, ten.replace('river', 'house').replace('rode', 'went'), -40)]],
    [ten, ten.replace('river', 'house').replace('rode', 'went')],
  ],
  [
    'what is cut otherwise is found in its neighbours',
    [
      [said(0, 1.5, 'we rode down'), said(1.5, 3, 'to the river')],
      [said(0, 3, 'We rode down to the river.', -40)],
    ],
    ['we rode down', 'to the river'],
  ],
  [
    'and the other way round',
    [
      [said(0, 1.5, 'we rode down', -40), said(1.5, 3, 'to the river', -40)],
      [said(0, 3, 'We rode down to the river.')],
    ],
    ['We rode down to the river.'],
  ],
  [
    'a louder part does not remove the quieter whole',
    [[said(0, 3, 'we rode down to the river', -40)], [said(1.5, 3, 'to the river')]],
    ['we rode down to the river', 'to the river'],
  ],
  [
    'a word that the other says at another moment of its segment stays',
    [[said(0, 6, 'yes I would rather stay here tonight and sleep')], [said(5, 5.5, 'yes', -40)]],
    ['yes I would rather stay here tonight and sleep', 'yes'],
  ],
  [
    'Chinese is compared by characters',
    [[said(0, 3, '今天天气很好。')], [said(0, 3, '今天天气很好', -40)], [said(0, 3, '昨天天气不好', -40)]],
    ['今天天气很好。', '昨天天气不好'],
  ],
  ['marks alone are no words', [[said(0, 3, '...')], [said(0, 3, '!', -40)]], ['...', '!']],
  [
    'a silent channel is the quieter one',
    [[said(0, 1, 'hello', Number.NEGATIVE_INFINITY)], [said(0, 1, 'Hello', -90)]],
    ['Hello'],
  ],
  [
    'by start, then channel',
    [
      [said(3, 4, 'c'), said(5, 6, 'e')],
      [said(3, 4, 'd'), said(4.5, 6, 'b')],
    ],
    ['c', 'd', 'b', 'e'],
  ],
];
for (const [claim, channels, expected] of cases) {
  test(claim, () => {
    assert.deepEqual(
      mergeChannels(channels).map(({ text }) => text.slice(1)),
      expected,
    );
  });
}

test('a segment keeps its times and speaker, and no longer says its level', () => {
  const [only] = mergeChannels([[{ ...said(1.25, 2.5, 'Hello'), speaker: 'Ann' }]]);
  assert.deepEqual(only, { start_seconds: 1.25, end_seconds: 2.5, text: ' Hello', speaker: 'Ann' });
});

const words = fc.array(fc.constantFrom('yes', 'no', 'river', 'colour', 'color', '15', '走', ''), {
  maxLength: 12,
});
const channel = fc
  .array(fc.record({ words, gap: fc.nat(30), length: fc.integer({ min: 1, max: 70 }), level: fc.double() }), {
    maxLength: 12,
  })
  .map((parts) => {
    let at = 0;
    return parts.map(({ words, gap, length, level }) => {
      const start = at + gap / 10;
      at = start + length / 10;
      return said(start, at, words.join(' '), level);
    });
  });
const plain = ({
  start_seconds,
  end_seconds,
  text,
}: {
  start_seconds: number;
  end_seconds: number;
  text: string;
}) => `${start_seconds} ${end_seconds} ${text}`;

test('the result ascends, and is some of what was said', () => {
  fc.assert(
    fc.property(fc.array(channel, { maxLength: 4 }), (channels) => {
      const merged = mergeChannels(channels);
      for (const [at, { start_seconds }] of merged.entries()) {
        assert(at === 0 || start_seconds >= merged[at - 1]!.start_seconds);
      }
      const left = channels.flat().map(plain);
      for (const one of merged.map(plain)) {
        const at = left.indexOf(one);
        assert(at >= 0, one);
        left.splice(at, 1);
      }
    }),
  );
});

test('what was left out was said by another channel during its time', () => {
  fc.assert(
    fc.property(fc.array(channel, { maxLength: 3 }), (channels) => {
      const merged = mergeChannels(channels);
      const stays = new Set(merged.map(plain));
      for (const gone of channels.flat().filter((one) => !stays.has(plain(one)))) {
        assert(
          merged.some(
            ({ start_seconds, end_seconds }) =>
              start_seconds < gone.end_seconds && gone.start_seconds < end_seconds,
          ),
        );
      }
    }),
  );
});

test('a channel alone, and one heard by quieter copies, stays whole', () => {
  fc.assert(
    fc.property(channel, fc.integer({ min: 1, max: 3 }), (segments, copies) => {
      const loud = segments.map((one) => ({ ...one, level_db: -10 }));
      const alone = mergeChannels([loud]).map(plain);
      assert.deepEqual(alone, segments.map(plain));
      const quiet = Array.from({ length: copies }, (_, at) =>
        loud.filter(({ text }) => /\S/u.test(text)).map((one) => ({ ...one, level_db: -20 - at })),
      );
      assert.deepEqual(mergeChannels([...quiet, loud]).map(plain), alone);
    }),
  );
});
