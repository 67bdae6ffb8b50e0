import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { SpeechRow } from '../../../../actors/models/contract.ts';
import { whisperRows } from '../../../../actors/models/rows/speech.ts';
import type { ModelSession } from '../../../../actors/models/session.ts';
import type { SpeechWindow } from '../../../../actors/transcriber/family.ts';
import { whisper } from '../../../../actors/transcriber/whisper/family.ts';
import { seeded } from '../../../../actors/transcriber/whisper/sampling.ts';
import { readVocabulary, type Vocabulary } from '../../../../actors/transcriber/whisper/vocabulary.ts';
import { bytesTokenizer } from '../../../../bench/whisper-tokenizer.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { fakeDecoder, fakeEncoder, type Run, type Script } from './fake-graphs.ts';

const folder = temporaryFolder();
let words: Vocabulary;
before(async () => {
  await writeFile(join(folder, 'tokenizer'), JSON.stringify(bytesTokenizer()));
  words = await readVocabulary(join(folder, 'tokenizer'));
});

const size = 259 + 12 + 1501;
const checkpoint = async () => {};
const row = (changes: Partial<SpeechRow> = {}, speech: Partial<SpeechRow['speech']> = {}): SpeechRow => {
  const like = whisperRows[0] as SpeechRow;
  return {
    ...like,
    key: 'tiny',
    languages: ['en', 'de', 'zh', 'jv'],
    ...changes,
    speech: { ...like.speech, batch: 4, ...speech },
  };
};
/** Seconds of a tone. */
const tone = (seconds: number): SpeechWindow => ({
  samples: Float32Array.from({ length: seconds * 16_000 }, (_, at) => Math.sin(at / 8) * 0.5),
  speech: [[0, seconds * 16_000]],
});
const time = (seconds: number) => words.firstTime + Math.round(seconds * 50);
/** Tokens of the tiny tokenizer are bytes. */
const bytes = (text: string) => [...Buffer.from(text)];

/** Writes these tokens, then ends. */
function writes(text: (sound: number) => readonly number[], language = 'en'): Script {
  return ({ sound, tokens }) => {
    const prompt = tokens.indexOf(words.transcribe!) + 1;
    if (prompt === 0) {
      return { [words.languages.get(language)!]: 8, [words.noSpeech!]: 2, [words.end]: 1 };
    }
    const next = text(sound)[tokens.length - prompt];
    return { [next ?? words.end]: 10 };
  };
}

async function open(
  script: Script,
  changes: { row?: SpeechRow; runs?: Run[]; encoder?: ModelSession; size?: number } = {},
) {
  const sessions: Record<string, ModelSession> = {
    encoder: changes.encoder ?? fakeEncoder(),
    decoder: fakeDecoder(script, changes.size ?? size, changes.runs),
  };
  return whisper.open(
    changes.row ?? row(),
    (role) => (role === 'tokenizer' ? join(folder, 'tokenizer') : role),
    async (source) => sessions[String(source)]!,
    checkpoint,
  );
}

test('a decoder whose tokens are not those of the tokenizer is refused in its first run', async () => {
  for (const tokens of [size - 1, size + 1]) {
    const runs: Run[] = [];
    const family = await open(() => ({ [words.end]: 1 }), { size: tokens, runs });
    await assert.rejects(family.transcribe([tone(3)], 'en', checkpoint), {
      code: 'MODEL_LOAD_FAILED',
      message: `decoder: has ${tokens} tokens, but its tokenizer.json has ${size}; they belong to different models`,
    });
    assert.equal(runs.length, 1);
  }
});

test('phrases have the times the model wrote, in the language that was asked for', async () => {
  const runs: Run[] = [];
  const text = [time(0), ...bytes(' Hello.'), time(1.2), time(1.5), ...bytes(' Who?'), time(2)];
  const family = await open(
    writes(() => text),
    { runs },
  );
  const [transcript] = await family.transcribe([tone(3)], 'de', checkpoint);
  assert.deepEqual(transcript?.pieces, [
    { text: ' Hello.', start: 0, end: 1.2 },
    { text: ' Who?', start: 1.5, end: 2 },
  ]);
  assert.equal(transcript?.language, 'de');
  assert(transcript!.confidence!.meanLogProbability > -0.01);
  // The prompt in one run, then a token a run, the end token never fed.
  assert.deepEqual(runs[0], { batch: 1, tokens: 3, cached: false });
  assert.deepEqual(
    runs.slice(1),
    text.map(() => ({ batch: 1, tokens: 1, cached: true })),
  );
});

test('the prompt is the start, the language and the task', async () => {
  let seen: readonly number[] = [];
  const family = await open((transcript) => {
    if (transcript.tokens.length === 3) seen = transcript.tokens;
    return { [words.end]: 9, [time(0)]: 1 };
  });
  await family.transcribe([tone(1)], 'zh', checkpoint);
  assert.deepEqual(seen, [words.start, words.languages.get('zh'), words.transcribe]);
});

test('without a language the likeliest is detected first, and the text begins with the whole prompt', async () => {
  const runs: Run[] = [];
  const family = await open(
    writes(() => [time(0), ...bytes(' Ja.'), time(1)], 'de'),
    { runs },
  );
  const [transcript] = await family.transcribe([tone(2)], null, checkpoint);
  assert.equal(transcript?.language, 'de');
  assert.equal(transcript?.pieces[0]?.text, ' Ja.');
  assert.deepEqual(runs.slice(0, 2), [
    { batch: 1, tokens: 1, cached: false },
    { batch: 1, tokens: 3, cached: false },
  ]);
});

test('a language can be detected without a text, in one run', async () => {
  const runs: Run[] = [];
  const family = await open(
    writes(() => [time(0)], 'zh'),
    { runs },
  );
  assert.deepEqual(await family.detectLanguage([tone(2), tone(1)], checkpoint), ['zh', 'zh']);
  assert.deepEqual(runs, [{ batch: 2, tokens: 1, cached: false }]);
  assert.deepEqual(await family.detectLanguage([], checkpoint), []);
});

test('a language that the row does not name is never detected', async () => {
  const family = await open(
    writes(() => [time(0), ...bytes(' Yo.'), time(1)], 'zh'),
    { row: row({ languages: ['en', 'de'] }) },
  );
  const [transcript] = await family.transcribe([tone(2)], null, checkpoint);
  assert(['en', 'de'].includes(transcript!.language!));
});

test("Javanese is the tokenizer's jw", () => assert(words.languages.has('jv')));

test('windows of a batch give the same texts as alone, whatever their lengths', async () => {
  const texts = (sound: number) => [time(0), ...bytes(` ${'abcdefghi'.slice(0, sound * 3)}`), time(sound)];
  const windows = [tone(1), tone(3), tone(2)];
  const runs: Run[] = [];
  const family = await open(writes(texts), { runs });
  const together = await family.transcribe(windows, 'en', checkpoint);
  assert.equal(runs.length, 1 + texts(3).length);
  assert(runs.every(({ batch }) => batch === 3));
  assert.deepEqual(
    together.map(({ pieces }) => pieces[0]?.text),
    [' abc', ' abcdefghi', ' abcdef'],
  );
  for (const [at, window] of windows.entries()) {
    assert.deepEqual(await family.transcribe([window], 'en', checkpoint), [together[at]]);
  }
});

test('no speech is answered with its probability, and not decoded again', async () => {
  const runs: Run[] = [];
  const family = await open(
    ({ tokens }) =>
      tokens.length === 1
        ? { [words.noSpeech!]: 9 }
        : Object.fromEntries(
            [time(0), time(0.5), ...bytes('abcdefgh'), words.end].map((token) => [token, 1]),
          ),
    { runs, row: row({}, { token_limit: { min: 6, per_second: 0, max: 6 } }) },
  );
  const [transcript] = await family.transcribe([tone(2)], 'en', checkpoint);
  assert(transcript!.confidence!.noSpeech > 0.99);
  assert(transcript!.confidence!.meanLogProbability < -1);
  assert.equal(runs.filter(({ cached }) => !cached).length, 1);
});

test('a text that repeats itself is decoded again at a temperature, with the same result every time', async () => {
  const loop: Script = ({ tokens }) => {
    const last = tokens.at(-1)!;
    if (tokens.length <= 3) return { [time(0)]: 10 };
    // The greedy choice never ends.
    return last === 108 ? { 97: 5, [words.end]: 4.9 } : { 108: 5 };
  };
  const runs: Run[] = [];
  const family = await open(loop, { runs });
  const once = await family.transcribe([tone(20)], 'en', checkpoint);
  const text = once[0]!.pieces.map((piece) => piece.text).join('');
  assert(text.length < 60, `${text.length} characters`);
  assert(runs.filter(({ cached }) => !cached).length > 1, 'it was decoded again');
  assert.deepEqual(await family.transcribe([tone(20)], 'en', checkpoint), once);
  const beside = await family.transcribe([tone(1), tone(20)], 'en', checkpoint);
  assert.deepEqual(beside[1], once[0]);
});

test('only the windows that repeat themselves are decoded again', async () => {
  const runs: Run[] = [];
  const family = await open(
    ({ sound, tokens }) => {
      if (tokens.length <= 3) return { [time(0)]: 10 };
      if (sound === 1) return tokens.length < 8 ? { [96 + tokens.length]: 9 } : { [words.end]: 9 };
      return { 108: 9 };
    },
    { runs },
  );
  const [good, bad] = await family.transcribe([tone(1), tone(20)], 'en', checkpoint);
  assert.equal(good?.pieces.length, 1);
  assert.deepEqual(new Set(runs.filter(({ cached }) => !cached).map(({ batch }) => batch)), new Set([2, 1]));
  // A model that does not end is stopped at the last position: three tokens are the prompt, two are times.
  assert.deepEqual(
    bad?.pieces.map(({ text }) => text.length),
    [448 - 3 - 2],
  );
});

/** Letters without any repetition that a compressor finds. */
const letters = (() => {
  const random = seeded(7);
  return Array.from({ length: 1000 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
})();

/** Text of the last `seconds` of a window of 20 s: 32 tokens a second, each second a phrase. */
function everySecond(seconds: number): number[] {
  return Array.from({ length: seconds }, (_, at) => {
    const second = 20 - seconds + at;
    return [time(at), ...bytes(letters.slice(second * 30, second * 30 + 30)), time(at + 1)];
  }).flat();
}

test('a text longer than the decoder goes on after the last phrase that it held', async () => {
  const runs: Run[] = [];
  const family = await open(writes(everySecond), { runs });
  const [transcript] = await family.transcribe([tone(20)], 'en', checkpoint);
  assert.deepEqual(
    transcript?.pieces,
    Array.from({ length: 20 }, (_, at) => {
      return { text: letters.slice(at * 30, at * 30 + 30), start: at, end: at + 1 };
    }),
  );
  assert.equal(runs.filter(({ cached }) => !cached).length, 2);
  assert(transcript!.confidence!.meanLogProbability > -0.01);
});

test('a phrase longer than the decoder is cut where the model says it is, and none of it is lost', async () => {
  // 35 tokens a second, as many as Georgian takes.
  const family = await open(({ sound, tokens }) => {
    const said = tokens.length - 4;
    if (said < 0) return { [time(0)]: 9 };
    const next = letters.charCodeAt((28 - sound) * 35 + said);
    return said < sound * 35 ? { [next]: 9, [time(Math.floor(said / 35))]: 1 } : { [words.end]: 9 };
  });
  const [transcript] = await family.transcribe([tone(28)], 'en', checkpoint);
  // The model names the second: what it wrote of the second in which it was cut is written twice.
  assert.deepEqual(transcript?.pieces, [
    { text: letters.slice(0, 443), start: 0, end: 12 },
    { text: letters.slice(12 * 35, 12 * 35 + 443), start: 12, end: 24 },
    { text: letters.slice(24 * 35, 28 * 35), start: 24, end: 28 },
  ]);
});

test('a phrase that the model did not finish is decoded again where speech is left, and kept where none is', async () => {
  const family = await open(
    writes((sound) =>
      sound === 3
        ? [time(0), ...bytes(' One.'), time(2), time(2), ...bytes(' T')]
        : [time(0), ...bytes(' Two.'), time(1)],
    ),
  );
  const texts = async (speech: readonly [number, number]) => {
    const [transcript] = await family.transcribe([{ ...tone(3), speech: [speech] }], 'en', checkpoint);
    return transcript!.pieces.map(({ text, start, end }) => [text, start, end]);
  };
  assert.deepEqual(await texts([0, 48_000]), [
    [' One.', 0, 2],
    [' Two.', 2, 3],
  ]);
  assert.deepEqual(await texts([0, 34_000]), [
    [' One.', 0, 2],
    [' T', 2, 3],
  ]);
});

test('silence behind a text adds nothing to it', async () => {
  const family = await open(({ sound, tokens }) => {
    if (sound === 3) {
      return writes(() => [time(0), ...bytes(' One.'), time(2), time(2)])({ sound, tokens });
    }
    const any = [time(0), time(0.5), ...bytes('abcdefgh'), words.end].map((token) => [token, 1]);
    return tokens.length === 1 ? { [words.noSpeech!]: 9 } : Object.fromEntries(any);
  });
  const [transcript] = await family.transcribe([tone(3)], 'en', checkpoint);
  assert.deepEqual(transcript?.pieces, [{ text: ' One.', start: 0, end: 2 }]);
  assert(transcript.confidence!.noSpeech < 0.5);
});

test('stopping ends between two tokens and leaves the family usable', async () => {
  const runs: Run[] = [];
  const family = await open(
    writes(() => [time(0), ...bytes(' Hello there, all of you.'), time(1)]),
    { runs },
  );
  let left = 6;
  const stop = async () => {
    left -= 1;
    if (left < 0) throw new Error('stopped');
  };
  await assert.rejects(family.transcribe([tone(1)], 'en', stop), /stopped/);
  assert(runs.length <= 6);
  const [transcript] = await family.transcribe([tone(1)], 'en', checkpoint);
  assert.equal(transcript?.pieces[0]?.text, ' Hello there, all of you.');
});

test('the prompt of an English-only model has neither language nor task', async () => {
  let seen: readonly number[] = [];
  const english = row({ is_multilingual: false, languages: ['en'] });
  const family = await open(
    ({ tokens }) => {
      seen = tokens;
      return tokens.length === 1 ? { [time(0)]: 9 } : { [words.end]: 9 };
    },
    { row: english },
  );
  const [transcript] = await family.transcribe([tone(1)], null, checkpoint);
  assert.deepEqual(seen, [words.start, time(0)]);
  assert.deepEqual(await family.detectLanguage([tone(1)], checkpoint), ['en']);
  assert.equal(transcript?.language, 'en');
});

test('incomplete UTF-8 at the border of a phrase is left out', async () => {
  const bytesOf = bytes('今天');
  const family = await open(writes(() => [time(0), ...bytesOf, bytesOf[0]!, time(1)]));
  const [transcript] = await family.transcribe([tone(1)], 'zh', checkpoint);
  assert.equal(transcript?.pieces[0]?.text, '今天');
});

const refusals: [
  claim: string,
  row: SpeechRow,
  encoder: ModelSession,
  decoder: ModelSession | null,
  message: RegExp,
][] = [
  [
    'another number of bands',
    row({}, { mel_bins: 128 }),
    fakeEncoder(),
    null,
    /input_features has the shape .*80.*expected 4×128×3000/,
  ],
  ['bands that Whisper never has', row({}, { mel_bins: 40 }), fakeEncoder(), null, /mel_bins is 40/],
  [
    'an encoder that answers something else',
    row(),
    fakeEncoder({ outputs: [] }),
    null,
    /encoder: has no output last_hidden_state/,
  ],
  [
    'an encoder of half precision',
    row(),
    fakeEncoder({ inputs: [{ name: 'input_features', type: 'float16', shape: [] }] }),
    null,
    /encoder: input input_features is float16/,
  ],
  [
    'a decoder without a cache',
    row(),
    fakeEncoder(),
    fakeDecoder(() => ({}), size, [], { inputs: [] }),
    /decoder: has no input input_ids/,
  ],
  [
    'a decoder that answers no cache',
    row(),
    fakeEncoder(),
    fakeDecoder(() => ({}), size, [], { outputs: [{ name: 'logits', type: 'float32', shape: [] }] }),
    /decoder: has no output present\.0\.decoder\.key/,
  ],
  [
    'a language without a token',
    row({ languages: ['en', 'fr'] }),
    fakeEncoder(),
    null,
    /tokenizer: has no token for the language fr/,
  ],
];
for (const [claim, wanted, encoder, decoder, message] of refusals) {
  test(`${claim} is refused, and what was opened is freed`, async () => {
    const opened = new Set<ModelSession>();
    const counted = (session: ModelSession) => {
      opened.add(session);
      return { ...session, release: async () => void opened.delete(session) };
    };
    const opening = whisper.open(
      wanted,
      (role) => join(folder, role),
      async (source) =>
        counted(String(source).endsWith('encoder') ? encoder : (decoder ?? fakeDecoder(() => ({}), size))),
      checkpoint,
    );
    await assert.rejects(opening, message);
    assert.equal(opened.size, 0);
  });
}

test('a window in another language is written in that one where it is followed, and else only reported', async () => {
  const text = [time(0), ...bytes(' Ja.'), time(1)];
  const family = await open((state) => writes(() => text, state.sound === 1 ? 'de' : 'en')(state));
  const windows = [tone(2), tone(1)];
  const followed = await family.transcribe(windows, 'en', checkpoint, true);
  assert.deepEqual(
    followed.map(({ pieces, heard }) => [pieces.map(({ language }) => language), heard]),
    [
      [['en'], 'en'],
      [['de'], 'de'],
    ],
  );
  const told = await family.transcribe(windows, 'en', checkpoint);
  assert.deepEqual(
    told.map(({ language, heard }) => [language, heard]),
    [
      ['en', 'en'],
      ['en', 'de'],
    ],
  );
});

test('what follows a text in another language is decoded by itself', async () => {
  const text = (sound: number) =>
    sound === 5 ? [time(0), ...bytes(' Yes.'), time(1)] : [time(0), ...bytes(' Nein.'), time(3)];
  const family = await open((state) => writes(text, state.sound === 5 ? 'en' : 'de')(state));
  const [transcript] = await family.transcribe([tone(5)], 'en', checkpoint, true);
  assert.deepEqual(
    transcript?.pieces.map(({ text, start }) => [text, start]),
    [
      [' Yes.', 0],
      [' Nein.', 1],
    ],
  );
  assert.equal(transcript.pieces[1]?.language, 'de');
});
