import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { BatchingQueue } from '../../../actors/transcriber/batching-queue.ts';
import type { WrittenWindow } from '../../../actors/transcriber/contract.ts';
import type { SpeechWindow } from '../../../actors/transcriber/family.ts';
import { TranscriptionSession, WrittenWindows } from '../../../actors/transcriber/session.ts';
import { type VoiceDetector, voiceRate } from '../../../actors/transcriber/voice/detector.ts';
import { windowRules } from '../../../actors/transcriber/voice/windows.ts';
import { createLog } from '../../../runtime/log.ts';

const SECOND = voiceRate;
const checkpoint = async () => void (await eventLoopTurn());
const log = createLog('test', () => {});
const turn = { signal: new AbortController().signal, alive: () => {} };

/** Takes everything that is not silent for speech. */
function loudness(): VoiceDetector {
  let settled = 0;
  return {
    push: async (samples, first) => {
      settled = first + samples.length;
      const speech: [number, number][] = [];
      for (let at = 0; at < samples.length; at += 1) {
        if (samples[at] === 0) continue;
        const last = speech.at(-1);
        if (last?.[1] === first + at) last[1] += 1;
        else speech.push([first + at, first + at + 1]);
      }
      return { speech, settled };
    },
    end: async () => ({ speech: [], settled }),
  };
}

/** Languages by the level of the sound. */
const levels = new Map([
  [1, 'en'],
  [2, 'de'],
]);
/** The level of a language that is only heard window by window. */
const french = 4;
const levelOf = ({ samples, speech }: SpeechWindow) => Math.round(samples[speech[0]![0]]! * 10);

/** A session on a model that writes the language it was told, and the level of the window. */
function open(
  channels: number,
  language: string | null = null,
  before: WrittenWindow[] | null = null,
  detectors: ConstructorParameters<typeof TranscriptionSession>[3] = { open: loudness, openAnswering: null },
) {
  const samples: number[] = [];
  const queue = new BatchingQueue({
    withModel: (_, work) =>
      work(4, async (windows, { output, language: told, follows }) =>
        windows.map((window) => {
          const level = levelOf(window);
          if (output === 'language') {
            samples.push(window.samples.length / SECOND);
            return { pieces: [], language: levels.get(level) ?? null };
          }
          const heard = level === french ? 'fr' : told;
          const piece = { text: ` ${told} ${level}.`, start: 0, end: 1, ...(follows && { language: heard }) };
          return { pieces: [piece], language: told, heard };
        }),
      ),
    checkpoint,
    limit: 4,
  });
  const model = { key: 'tiny', language, rules: windowRules };
  const writtenWindows = before && new WrittenWindows(before);
  const session = new TranscriptionSession(model, queue, channels, detectors, { log, writtenWindows });
  return { session, samples };
}

/** Speech of these levels and seconds, 3 s apart. */
async function say(
  session: TranscriptionSession,
  channel: number,
  ...said: [level: number, seconds: number][]
) {
  let first = 0;
  for (const [level, seconds] of said) {
    const samples = new Float32Array((seconds + 3) * SECOND).fill(level / 10, 0, seconds * SECOND);
    await session.append(channel, first, samples);
    first += samples.length;
  }
  await session.end(channel);
}
const textsOf = ({ segments }: { segments: readonly { text: string }[] }) => segments.map(({ text }) => text);

test('the language is detected once, on the first 28 s of speech, and told with every window', async () => {
  const { session, samples } = open(1);
  await say(session, 0, [1, 20], [1, 20], [2, 1]);
  const result = await session.finish(turn);
  assert.deepEqual(textsOf(result), [' en 1.', ' en 1.', ' en 2.']);
  assert.equal(result.language, 'en');
  assert.deepEqual(samples, [28]);
});

test('a language that is detected is followed where it changes, and each segment has its own', async () => {
  const { session } = open(1);
  await say(session, 0, [1, 20], [1, 20], [french, 1]);
  const result = await session.finish(turn);
  assert.deepEqual(
    result.segments.map(({ language }) => language),
    ['en', 'en', 'fr'],
  );
  assert.equal(result.language, 'en');
  assert.ok(!('heard_instead' in result));
});

test('another language than the one that was asked for is reported where it is much of the speech', async () => {
  const { session } = open(1, 'en');
  await say(session, 0, [1, 5], [french, 5], [french, 5]);
  const { language, heard_instead } = await session.finish(turn);
  assert.deepEqual([language, heard_instead], ['en', 'fr']);
  const mostlyAsked = open(1, 'en').session;
  await say(mostlyAsked, 0, ...Array.from({ length: 9 }, (): [number, number] => [1, 5]), [french, 5]);
  assert.ok(!('heard_instead' in (await mostlyAsked.finish(turn))));
});

test('a file with less speech is asked at its end, on the speech of all its channels', async () => {
  const { session, samples } = open(2);
  await say(session, 0, [2, 5]);
  await say(session, 1, [1, 2], [1, 3]);
  const { segments, language } = await session.finish(turn);
  assert.deepEqual(textsOf({ segments }).sort(), [' de 1.', ' de 1.', ' de 2.']);
  assert.equal(language, 'de');
  assert.deepEqual(samples, [10]);
});

test('where the model cannot tell the language, each window is transcribed without one', async () => {
  const { session, samples } = open(1);
  await say(session, 0, [3, 1], [1, 1]);
  const result = await session.finish(turn);
  assert.deepEqual([textsOf(result), result.language], [[' null 3.', ' null 1.'], null]);
  assert.equal(samples.length, 1);
});

test('a language that is given is not detected, and neither is one of a file without speech', async () => {
  for (const [language, said] of [
    ['de', [[1, 1]]],
    [null, []],
  ] as const) {
    const { session, samples } = open(1, language);
    await say(session, 0, ...said.map(([level, seconds]): [number, number] => [level, seconds]));
    assert.equal((await session.finish(turn)).language, language);
    assert.deepEqual(samples, []);
  }
});

test('a session that goes on keeps the language of what was written before', async () => {
  const first = open(1, null, []);
  await say(first.session, 0, [1, 3], [2, 2]);
  const whole = await first.session.finish(turn);
  const [written] = first.session.written();
  const { session, samples } = open(1, null, [written!]);
  await say(session, 0, [1, 3], [2, 2]);
  assert.deepEqual(await session.finish(turn), whole);
  assert.deepEqual(samples, []);
});

test('one detector cuts the windows, and another answers where it is given', async () => {
  const deaf: VoiceDetector = {
    push: async (samples, first) => ({ speech: [[7, 8]], settled: first + samples.length }),
    end: async () => ({ speech: [[8, 9]], settled: 99 }),
  };
  const { session } = open(1, 'en', null, { open: loudness, openAnswering: () => deaf });
  const samples = new Float32Array(5 * SECOND).fill(0.1, 0, SECOND);
  assert.deepEqual(await session.append(0, 0, samples), { speech: [[7, 8]], settled: samples.length });
  assert.deepEqual(await session.end(0), { speech: [[8, 9]], settled: 99 });
  const result = await session.finish(turn);
  assert.deepEqual(textsOf(result), [' en 1.']);
  assert.equal(result.speech_seconds, 1);
});
