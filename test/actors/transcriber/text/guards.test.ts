import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  compressionRatio,
  type DropReason,
  guard,
  type Window,
} from '../../../../actors/transcriber/text/guards.ts';

const heard = (text: string, voiceSeconds: number, more: Partial<Window> = {}): Window => ({
  pieces: [{ text, start_seconds: 0, end_seconds: 28 }],
  seconds: 28,
  voiceSeconds,
  ...more,
});
const sure = { noSpeech: 0.01, meanLogProbability: -0.2 };
const doubtful = { noSpeech: 0.9, meanLogProbability: -1.6 };
const line = ' We rode down to the river before the sun was up';
/** Never twice the same, and still hardly anything new. */
const nearLoop = Array.from(
  { length: 60 },
  (_, at) => ` and then we go to the market${at % 7 === 0 ? ' again' : at % 5 === 0 ? ' now' : ''}`,
).join('');

const cases: [claim: string, window: Window, left: string, reasons: DropReason[]][] = [
  ['plain speech stays', heard(line, 4), line, []],
  ['nothing is nothing', heard('', 4), '', []],
  ['text without any voice goes', heard(line, 0.05), '', ['no speech']],
  ['an unsure text over probable silence goes', heard(line, 4, { confidence: doubtful }), '', ['no speech']],
  [
    'a sure text stays, however doubtful the voice',
    heard(line, 4, { confidence: { ...sure, noSpeech: 0.9 } }),
    line,
    [],
  ],
  [
    'an unsure text over certain voice stays',
    heard(line, 4, { confidence: { ...doubtful, noSpeech: 0.1 } }),
    line,
    [],
  ],
  [
    'thanks for watching over hardly any voice go',
    heard(' Thank you for watching!', 0.5),
    '',
    ['phantom phrase'],
  ],
  ['the same said with a voice stays', heard(' Thank you for watching!', 2), ' Thank you for watching!', []],
  [
    'two phantoms go together',
    heard(' Thank you. Please subscribe to my channel.', 1),
    '',
    ['phantom phrase'],
  ],
  ['a phantom beside other words stays', heard(' Thank you. The door.', 1), ' Thank you. The door.', []],
  ['credits go', heard(' Subtitles by the Amara.org community', 0.4), '', ['phantom phrase']],
  ['Japanese thanks go', heard('ご視聴ありがとうございました。', 0.4), '', ['phantom phrase']],
  ['Chinese thanks go', heard('谢谢大家！', 0.4), '', ['phantom phrase']],
  ['Russian continuation goes', heard(' Продолжение следует...', 0.4), '', ['phantom phrase']],
  ['four times no is said', heard(' No, no, no, no!', 2), ' No, no, no, no!', []],
  ['a line sung four times is sung', heard(`${line},`.repeat(4), 20), `${line},`.repeat(4), []],
  ['a word over and over is said once', heard(` So ${'yes '.repeat(30)}`, 20), ' So yes ', ['looping text']],
  [
    'a sentence over and over is said once, and what follows stays',
    heard(`${`${line}.`.repeat(9)} Then we came home.`, 25),
    `${line}. Then we came home.`,
    ['looping text'],
  ],
  ['a loop of Chinese words is one', heard('我们走吧，'.repeat(20), 25), '我们走吧，', ['looping text']],
  ['a scream is shortened', heard(` A${'h'.repeat(90)} no`, 8), ' Ahhh no', ['looping text']],
  ['a text that hardly changes goes', heard(nearLoop, 28), '', ['looping text']],
  [
    'a page in a second goes',
    heard(`${line}, and our horses drank from it for a long time. It was cold.`, 0.4),
    '',
    ['too fast'],
  ],
  [
    'forty Chinese characters in half a second go',
    heard('今天天气很好我们一起去公园散步然后回家吃饭看电影听音乐读书写字画画唱歌跳舞', 0.5),
    '',
    ['too fast'],
  ],
];
for (const [claim, window, left, reasons] of cases) {
  test(claim, () => {
    const { pieces, dropped } = guard(window);
    assert.equal(pieces.map(({ text }) => text).join(''), left);
    assert.deepEqual(
      dropped.map(({ reason }) => reason),
      reasons,
    );
  });
}

test('a loop over many pieces leaves the pieces it began in, with their times', () => {
  const pieces = Array.from({ length: 20 }, (_, at) => ({
    text: at === 0 ? ' Well.' : ' Thank you.',
    start_seconds: at,
    end_seconds: at + 1,
  }));
  const { pieces: left, dropped } = guard({ pieces, seconds: 28, voiceSeconds: 20 });
  assert.deepEqual(left[1], { text: ' Thank you.', start_seconds: 1, end_seconds: 2 });
  assert.equal(
    left
      .map(({ text }) => text)
      .join('')
      .replace(/\./g, ''),
    ' Well Thank you',
  );
  assert.deepEqual(
    dropped.map(({ detail }) => detail),
    ['19 times in a row'],
  );
});

test('a loop compresses better than speech', () => {
  assert(compressionRatio(line.repeat(8)) > 2.4);
  assert(compressionRatio(line) < 2.4);
  assert.equal(compressionRatio(''), 0);
});

test('what stays and what was dropped are all that was written, in order of place', () => {
  const words = fc.array(fc.constantFrom(' yes', ' no.', ' go', ' 走', 'ha', '!', ' '), { maxLength: 120 });
  fc.assert(
    fc.property(words, fc.double({ min: 0, max: 28, noNaN: true }), (texts, voiceSeconds) => {
      const pieces = texts.map((text, at) => ({ text, start_seconds: at, end_seconds: at + 1 }));
      const { pieces: left, dropped } = guard({ pieces, seconds: 28, voiceSeconds });
      const letters = (parts: readonly { text: string }[]) =>
        parts.map(({ text }) => text.replace(/\s/g, '')).join('');
      const written = letters(pieces);
      if (dropped.length === 0) assert.equal(letters(left), written);
      else assert(letters(left).length + letters(dropped).length >= written.length);
    }),
  );
});
