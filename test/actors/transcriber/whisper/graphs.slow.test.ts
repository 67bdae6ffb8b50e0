import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { SpeechRow } from '../../../../actors/models/contract.ts';
import { whisperRows } from '../../../../actors/models/rows/speech.ts';
import { type ModelSession, openSession, type TensorIn } from '../../../../actors/models/session.ts';
import { onnxBytes } from '../../../../actors/models/starter/graph/onnx.ts';
import type { SpeechFamily } from '../../../../actors/transcriber/family.ts';
import { openDecoder } from '../../../../actors/transcriber/whisper/decoder.ts';
import { whisper } from '../../../../actors/transcriber/whisper/family.ts';
import { readVocabulary, type Vocabulary } from '../../../../actors/transcriber/whisper/vocabulary.ts';
import { type WhisperSize, whisperDecoder, whisperEncoder } from '../../../../bench/whisper-graphs.ts';
import { bytesTokenizer } from '../../../../bench/whisper-tokenizer.ts';
import { createLog } from '../../../../runtime/log.ts';

const size: WhisperSize = { bands: 80, width: 64, layers: 2, vocabulary: 259 + 12 + 1501, sure: 1 };
const log = createLog('test', () => {});
const turn = async () => {};
let folder = '';
let words: Vocabulary;
const opened: ModelSession[] = [];
const open = async (source: string | Uint8Array) => {
  const session = await openSession(source, { device: 'cpu', threads: 1, log });
  opened.push(session);
  return session;
};
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whisper-graphs-'));
  await writeFile(join(folder, 'tokenizer'), JSON.stringify(bytesTokenizer()));
  words = await readVocabulary(join(folder, 'tokenizer'));
  await writeFile(join(folder, 'encoder'), onnxBytes(whisperEncoder(size)));
  await writeFile(join(folder, 'decoder'), onnxBytes(whisperDecoder(size)));
});
after(async () => {
  for (const session of opened) await session.release();
  await rm(folder, { recursive: true, force: true });
});

const noise = (seconds: number, seed: number) => {
  let state = seed;
  return Float32Array.from({ length: seconds * 16_000 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 32;
  });
};
const soundOf = (batch: number) => {
  const data = noise(batch * 6, 5).subarray(0, batch * 1500 * size.width);
  return { data, dims: [batch, 1500, size.width] as const };
};

/** The logits of the last token, without any memory: everything is fed at once. */
async function atOnce(session: ModelSession, tokens: readonly (readonly number[])[]) {
  const batch = tokens.length;
  const { data, dims } = soundOf(batch);
  const empty = session.inputs.filter(({ name }) => name.startsWith('past_key_values'));
  const feeds: Record<string, TensorIn> = {
    input_ids: { data: BigInt64Array.from(tokens.flat(), BigInt), dims: [batch, tokens[0]!.length] },
    encoder_hidden_states: { data, dims },
    use_cache_branch: { data: Uint8Array.of(0), dims: [1], type: 'bool' },
  };
  for (const { name } of empty) feeds[name] = { data: new Float32Array(0), dims: [batch, 1, 0, 64] };
  const { logits } = await session.run(feeds, ['logits']);
  const last = tokens[0]!.length - 1;
  return tokens.map((_, row) => {
    const from = (row * tokens[0]!.length + last) * size.vocabulary;
    return (logits!.data as Float32Array).subarray(from, from + size.vocabulary);
  });
}

test('with its cache the decoder answers the same logits as with all tokens at once', async () => {
  const path = join(folder, 'decoder');
  const plain = await open(path);
  const decoder = await openDecoder(open, path, words);
  const decoding = decoder.begin(soundOf(2));
  const steps = [
    [
      [260, 261, 263],
      [260, 262, 263],
    ],
    [[300], [310]],
    [[72], [87]],
    [[105], [104]],
    [[33], [111]],
  ];
  const read: number[][] = [[], []];
  for (const step of steps) {
    for (const [row, tokens] of step.entries()) read[row]!.push(...tokens);
    const logits = await decoding.step(step);
    const expected = await atOnce(plain, read);
    for (const [row, wanted] of expected.entries()) {
      const found = logits.row(row, step[row]!.length - 1);
      assert.equal(found.length, size.vocabulary);
      for (const [at, value] of wanted.entries()) assert(Math.abs(found[at]! - value) < 1e-4, `${row} ${at}`);
    }
  }
});

test('a second text begins with an empty cache', async () => {
  const decoder = await openDecoder(open, join(folder, 'decoder'), words);
  const first = decoder.begin(soundOf(1));
  const once = Float32Array.from((await first.step([[260]])).row(0, 0));
  await first.step([[300]]);
  assert.deepEqual(Float32Array.from((await decoder.begin(soundOf(1)).step([[260]])).row(0, 0)), once);
});

async function family(batch: number, limit: number): Promise<SpeechFamily> {
  const like = whisperRows[0] as SpeechRow;
  const token_limit = { min: limit, per_second: 0, max: limit };
  const row = {
    ...like,
    key: 'tiny',
    languages: ['en', 'de', 'zh', 'jv'],
    speech: { ...like.speech, batch, token_limit },
  };
  return whisper.open(row, (role) => join(folder, role), open, turn);
}
const window = (seconds: number, seed: number) => {
  const samples = noise(seconds, seed);
  return { samples, speech: [[0, samples.length]] as const };
};

test('windows of a batch give the same texts as alone', async () => {
  const tiny = await family(4, 12);
  const windows = [window(2, 1), window(5, 2), window(1, 3)];
  const together = await tiny.transcribe(windows, null, turn);
  for (const [at, one] of windows.entries()) {
    const [alone] = await tiny.transcribe([one], null, turn);
    assert.deepEqual(alone?.pieces, together[at]?.pieces);
    assert.equal(alone?.language, together[at]?.language);
    const difference = alone!.confidence!.meanLogProbability - together[at]!.confidence!.meanLogProbability;
    assert(Math.abs(difference) < 1e-3);
  }
});

test('phrases lie in their window, in order, with a language that the row names', async () => {
  const tiny = await family(2, 24);
  for (const { pieces, language } of await tiny.transcribe([window(3, 7), window(8, 9)], null, turn)) {
    assert(['en', 'de', 'zh', 'jv'].includes(language!));
    let from = 0;
    for (const { text, start, end } of pieces) {
      assert.notEqual(text, '');
      assert(start >= from && end >= start && end <= 8);
      from = start;
    }
  }
});
