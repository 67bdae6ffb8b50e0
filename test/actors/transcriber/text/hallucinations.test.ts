import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  compressionRatio,
  filterHallucinations,
  type HeardWindow,
  type RemovalReason,
} from '../../../../actors/transcriber/text/hallucinations.ts';

const windowOf = (text: string, speechSeconds: number, more: Partial<HeardWindow> = {}): HeardWindow => ({
  pieces: [{ text, start_seconds: 0, end_seconds: 28 }],
  seconds: 28,
  speechSeconds,
  ...more,
});
const confident = { noSpeech: 0.01, meanLogProbability: -0.2 };
const doubtful = { noSpeech: 0.9, meanLogProbability: -1.6 };
const line = ' We rode down to the river before the sun was up';
/** Repeats itself with small changes. */
const nearRepetition = Array.from(
  { length: 60 },
  (_, at) => ` and then we go to the market${at % 7 === 0 ? ' again' : at % 5 === 0 ? ' now' : ''}`,
).join('');

const cases: [claim: string, window: HeardWindow, left: string, reasons: RemovalReason[]][] = [
  ['ordinary text stays', windowOf(line, 4), line, []],
  ['no text, nothing removed', windowOf('', 4), '', []],
  ['text without speech is removed', windowOf(line, 0.05), '', ['no speech']],
  [
    'an improbable text over probable silence is removed',
    windowOf(line, 4, { confidence: doubtful }),
    '',
    ['no speech'],
  ],
  [
    'a probable text stays, even over probable silence',
    windowOf(line, 4, { confidence: { ...confident, noSpeech: 0.9 } }),
    line,
    [],
  ],
  [
    'an improbable text over certain speech stays',
    windowOf(line, 4, { confidence: { ...doubtful, noSpeech: 0.1 } }),
    line,
    [],
  ],
  [
    'a training phrase over hardly any speech is removed',
    windowOf(' Thank you for watching!', 0.5),
    '',
    ['training phrase'],
  ],
  [
    'a training phrase over enough speech stays',
    windowOf(' Thank you for watching!', 2),
    ' Thank you for watching!',
    [],
  ],
  [
    'two training phrases are removed together',
    windowOf(' Thank you. Please subscribe to my channel.', 1),
    '',
    ['training phrase'],
  ],
  [
    'a training phrase beside other words stays',
    windowOf(' Thank you. The door.', 1),
    ' Thank you. The door.',
    [],
  ],
  [
    'subtitle credits are removed',
    windowOf(' Subtitles by the Amara.org community', 0.4),
    '',
    ['training phrase'],
  ],
  [
    'a Japanese training phrase is removed',
    windowOf('ご視聴ありがとうございました。', 0.4),
    '',
    ['training phrase'],
  ],
  ['a Chinese training phrase is removed', windowOf('谢谢大家！', 0.4), '', ['training phrase']],
  ['a Russian training phrase is removed', windowOf(' Продолжение следует...', 0.4), '', ['training phrase']],
  ['a word four times in a row stays', windowOf(' No, no, no, no!', 2), ' No, no, no, no!', []],
  ['a line four times in a row stays', windowOf(`${line},`.repeat(4), 20), `${line},`.repeat(4), []],
  ['of a repeated word one is left', windowOf(` So ${'yes '.repeat(30)}`, 20), ' So yes ', ['repetition']],
  [
    'of a repeated sentence one is left, and what follows stays',
    windowOf(`${`${line}.`.repeat(9)} Then we came home.`, 25),
    `${line}. Then we came home.`,
    ['repetition'],
  ],
  [
    'of repeated Chinese words one is left',
    windowOf('我们走吧，'.repeat(20), 25),
    '我们走吧，',
    ['repetition'],
  ],
  ['repeated letters are shortened', windowOf(` A${'h'.repeat(90)} no`, 8), ' Ahhh no', ['repetition']],
  [
    'a text that repeats itself with small changes is removed',
    windowOf(nearRepetition, 28),
    '',
    ['repetition'],
  ],
  [
    'more than can be said in the time is removed',
    windowOf(`${line}, and our horses drank from it for a long time. It was cold.`, 0.4),
    '',
    ['too fast'],
  ],
  [
    'forty Chinese characters in half a second are removed',
    windowOf('今天天气很好我们一起去公园散步然后回家吃饭看电影听音乐读书写字画画唱歌跳舞', 0.5),
    '',
    ['too fast'],
  ],
];
for (const [claim, window, left, reasons] of cases) {
  test(claim, () => {
    const { pieces, removed } = filterHallucinations(window);
    assert.equal(pieces.map(({ text }) => text).join(''), left);
    assert.deepEqual(
      removed.map(({ reason }) => reason),
      reasons,
    );
  });
}

test('a repetition over many pieces leaves its first pieces, with their times', () => {
  const pieces = Array.from({ length: 20 }, (_, at) => ({
    text: at === 0 ? ' Well.' : ' Thank you.',
    start_seconds: at,
    end_seconds: at + 1,
  }));
  const { pieces: left, removed } = filterHallucinations({ pieces, seconds: 28, speechSeconds: 20 });
  assert.deepEqual(left[1], { text: ' Thank you.', start_seconds: 1, end_seconds: 2 });
  assert.equal(
    left
      .map(({ text }) => text)
      .join('')
      .replace(/\./g, ''),
    ' Well Thank you',
  );
  assert.deepEqual(
    removed.map(({ detail }) => detail),
    ['19 times in a row'],
  );
});

test('a repetition compresses better than speech', () => {
  assert(compressionRatio(line.repeat(8)) > 2.4);
  assert(compressionRatio(line) < 2.4);
  assert.equal(compressionRatio(''), 0);
});

test('an honest text is no repetition in any script', () => {
  const hindi =
    'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।';
  const georgian =
    'ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით. მათ მინიჭებული აქვთ გონება და სინდისი და ერთმანეთის მიმართ უნდა იქცეოდნენ ძმობის სულისკვეთებით.';
  for (const text of [hindi, georgian]) {
    assert(compressionRatio(text) < 2, `${compressionRatio(text)}`);
    assert(compressionRatio(text.slice(0, 40).repeat(4)) > 2.4);
  }
});

test('nothing is lost: every letter stays or is among the removed', () => {
  const words = fc.array(fc.constantFrom(' yes', ' no.', ' go', ' 走', 'ha', '!', ' '), { maxLength: 120 });
  fc.assert(
    fc.property(words, fc.double({ min: 0, max: 28, noNaN: true }), (texts, speechSeconds) => {
      const pieces = texts.map((text, at) => ({ text, start_seconds: at, end_seconds: at + 1 }));
      const { pieces: left, removed } = filterHallucinations({ pieces, seconds: 28, speechSeconds });
      const letters = (parts: readonly { text: string }[]) =>
        parts.map(({ text }) => text.replace(/\s/g, '')).join('');
      const written = letters(pieces);
      if (removed.length === 0) assert.equal(letters(left), written);
      else assert(letters(left).length + letters(removed).length >= written.length);
    }),
  );
});
