import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { modelErrors } from '../../../actors/models/contract.ts';
import { speechErrors, type WrittenWindow } from '../../../actors/transcriber/contract.ts';
import { EngineError, engineErrors } from '../../../runtime/errors.ts';
import { until } from '../../until.ts';
import { play, startTranscriber, stopAll, type Transcriber } from './start.ts';
import { writeVoice } from './voice/tiny-silero.ts';
import { noise, writeX3asr, x3asrFiles, x3asrRow } from './x3asr/tiny-model.ts';

const answers = [
  'language None<asr_text><|im_end|>',
  'language English<asr_text>Good day.<|im_end|>',
  'language English<asr_text>No, it is not.<|im_end|>',
];
let modelsDir = '';
before(async () => {
  modelsDir = await mkdtemp(join(tmpdir(), 'transcriber-'));
  await writeVoice(modelsDir);
  const german = answers.map((answer) =>
    answer.replace('English', 'German').replace('Good day', 'Guten Tag'),
  );
  await writeX3asr(modelsDir, x3asrRow('tiny'), x3asrFiles(answers));
  await writeX3asr(modelsDir, x3asrRow('german'), x3asrFiles(german));
  // It writes no end token, and reaches no limit while a test lasts.
  const endless = { min: 100_000, per_second: 0, max: 100_000 };
  await writeX3asr(
    modelsDir,
    x3asrRow('endless', { token_limit: endless }),
    x3asrFiles(['x<|im_end|>', 'y', 'y']),
  );
});
afterEach(stopAll);
after(() => rm(modelsDir, { recursive: true, force: true }));

const SECOND = 16_000;
const silence = (seconds: number) => new Float32Array(seconds * SECOND);
function joined(...parts: Float32Array[]): Float32Array {
  const sound = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    sound.set(part, at);
    at += part.length;
  }
  return sound;
}
/** Two who speak, 3 s apart. */
const talk = joined(silence(1), noise(2 * SECOND, 0.03), silence(3), noise(SECOND, 0.5), silence(1));

async function transcribe(
  { transcriber, pool }: Awaited<ReturnType<typeof startTranscriber>>,
  model_key: string | null,
  channels: readonly Float32Array[],
  language: string | null = null,
) {
  const { session } = await transcriber.ask('open', { model_key, language, channels: channels.length });
  await Promise.all(channels.map((sound, channel) => play(transcriber, pool, session, channel, sound)));
  return transcriber.ask('finish', { session });
}
const textOf = ({ segments }: { segments: readonly { text: string }[] }) => segments.map(({ text }) => text);
const has =
  (row: { is(error: unknown): boolean }, message = /./) =>
  (error: unknown) =>
    row.is(error) && error instanceof EngineError && message.test(error.message);

test('blocks of a file become segments with their times', async () => {
  const engine = await startTranscriber(modelsDir);
  const loaded = await engine.transcriber.ask('load', { model_key: 'tiny' });
  assert.equal(loaded.state.load_status, 'ready');
  assert(loaded.languages.includes('en'));
  const result = await transcribe(engine, 'tiny', [talk]);
  assert.deepEqual(textOf(result), [' Good day.', ' No, it is not.']);
  assert.equal(result.language, 'en');
  const [first, second] = result.segments;
  for (const [found, expected] of [
    [first!.start_seconds, 1],
    [first!.end_seconds, 3],
    [second!.start_seconds, 6],
    [second!.end_seconds, 7],
    [result.speech_seconds, 3],
  ] as const) {
    assert(Math.abs(found - expected) < 0.2, `${found} is not ${expected}`);
  }
  assert.deepEqual([first!.speaker, second!.speaker], [null, null]);
});

test('without a model only speech is detected, and a file without speech has no text and costs no run', async () => {
  const engine = await startTranscriber(modelsDir);
  const detected = await transcribe(engine, null, [talk]);
  assert.deepEqual([detected.segments, detected.language], [[], null]);
  assert(Math.abs(detected.speech_seconds - 3) < 0.4);
  await engine.transcriber.ask('load', { model_key: 'endless' });
  assert.deepEqual(await transcribe(engine, 'endless', [silence(5)]), {
    segments: [],
    language: null,
    speech_seconds: 0,
  });
  const { session } = await engine.transcriber.ask('open', { model_key: null, language: null, channels: 1 });
  assert.deepEqual(await engine.transcriber.ask('end', { session, channel: 0 }), { speech: [], settled: 0 });
  assert.deepEqual((await engine.transcriber.ask('finish', { session })).segments, []);
});

test('several files give the same at once as one after the other', async () => {
  const engine = await startTranscriber(modelsDir);
  await engine.transcriber.ask('load', { model_key: 'tiny' });
  const reversed = talk.slice().reverse();
  const together = await Promise.all(
    [talk, reversed, silence(2), talk].map((sound) => transcribe(engine, 'tiny', [sound])),
  );
  for (const [at, sound] of [talk, reversed, silence(2), talk].entries()) {
    assert.deepEqual(together[at], await transcribe(engine, 'tiny', [sound]));
  }
  assert.deepEqual(textOf(together[1]!), [' No, it is not.', ' Good day.']);
});

test('crosstalk between two channels is left out, other speech stays', async () => {
  const engine = await startTranscriber(modelsDir);
  await engine.transcriber.ask('load', { model_key: 'tiny' });
  const other = joined(silence(1), noise(2 * SECOND, 0.028, 2), silence(5));
  assert.deepEqual(textOf(await transcribe(engine, 'tiny', [talk, other])), [
    ' Good day.',
    ' No, it is not.',
  ]);
  const later = joined(silence(4), noise(1.5 * SECOND, 0.028, 2), silence(1));
  const both = textOf(await transcribe(engine, 'tiny', [talk, later]));
  assert.deepEqual(both, [' Good day.', ' Good day.', ' No, it is not.']);
});

test('a dropped session leaves the queue within one window, and the next one is transcribed', async () => {
  const engine = await startTranscriber(modelsDir);
  const { transcriber, pool } = engine;
  await transcriber.ask('load', { model_key: 'endless' });
  const { session } = await transcriber.ask('open', { model_key: 'endless', language: null, channels: 1 });
  await play(transcriber, pool, session, 0, talk);
  await transcriber.ask('drop', { session });
  await transcriber.ask('drop', { session });
  await assert.rejects(transcriber.ask('finish', { session }), has(speechErrors.SESSION_LOST));
  await transcriber.ask('load', { model_key: 'tiny' });
  assert.deepEqual(textOf(await transcribe(engine, 'tiny', [talk])), [' Good day.', ' No, it is not.']);
});

test('a cancelled finish ends within one window, and drops the session', async () => {
  const engine = await startTranscriber(modelsDir);
  const { transcriber, pool } = engine;
  await transcriber.ask('load', { model_key: 'endless' });
  const { session } = await transcriber.ask('open', { model_key: 'endless', language: null, channels: 1 });
  await play(transcriber, pool, session, 0, talk);
  const caller = new AbortController();
  const finishing = transcriber.ask('finish', { session }, { signal: caller.signal });
  caller.abort();
  await assert.rejects(finishing, has(engineErrors.CANCELLED));
  await transcriber.ask('load', { model_key: 'tiny' });
  await assert.rejects(transcriber.ask('finish', { session }), has(speechErrors.SESSION_LOST));
});

test('append waits while too many windows wait, until it is cancelled', async () => {
  const engine = await startTranscriber(modelsDir);
  const { transcriber, pool } = engine;
  await transcriber.ask('load', { model_key: 'endless' });
  const many = joined(...Array.from({ length: 12 }, () => joined(noise(SECOND, 0.5), silence(3))));
  const { session } = await transcriber.ask('open', { model_key: 'endless', language: null, channels: 1 });
  const caller = new AbortController();
  let waited = false;
  const playing = play(transcriber, pool, session, 0, many, caller.signal).catch((error: unknown) => {
    waited = true;
    throw error;
  });
  playing.catch(() => {});
  // The first window never ends: once the number of free slots stays the same, the blocks wait.
  let before = -1;
  let rounds = 0;
  for (let free = pool.free; free !== before || free === pool.count; free = pool.free) {
    rounds += 1;
    assert(rounds < 1000, 'the blocks never wait');
    before = free;
    for (let asked = 0; asked < 50; asked += 1) await transcriber.ask('state', {});
  }
  assert.equal(waited, false);
  caller.abort();
  await assert.rejects(playing, has(engineErrors.CANCELLED));
});

test('stopping the actor ends a window that is being decoded', async () => {
  const engine = await startTranscriber(modelsDir);
  const { transcriber, pool } = engine;
  await transcriber.ask('load', { model_key: 'endless' });
  const { session } = await transcriber.ask('open', { model_key: 'endless', language: null, channels: 1 });
  await play(transcriber, pool, session, 0, talk);
  const finishing = assert.rejects(transcriber.ask('finish', { session }));
  await engine.stop();
  await finishing;
});

test('when another model is loaded, sessions of the first one fail', async () => {
  const engine = await startTranscriber(modelsDir);
  const { transcriber, pool } = engine;
  await transcriber.ask('load', { model_key: 'tiny' });
  const { session } = await transcriber.ask('open', { model_key: 'tiny', language: 'en-GB', channels: 1 });
  await transcriber.ask('load', { model_key: 'german' });
  const result = play(transcriber, pool, session, 0, talk).then(() => transcriber.ask('finish', { session }));
  await assert.rejects(
    result,
    has(modelErrors.MODEL_NOT_LOADED, /"tiny" was requested, but "german" is loaded/),
  );
  await transcriber.ask('unload', {});
  assert.equal((await transcriber.ask('state', {})).load_status, 'unavailable');
  await assert.rejects(
    transcriber.ask('open', { model_key: 'german', language: null, channels: 1 }),
    has(modelErrors.MODEL_NOT_LOADED, /no model is loaded/),
  );
});

test('an unsupported language, a missing model and invalid requests are refused', async () => {
  const engine = await startTranscriber(modelsDir);
  const { transcriber } = engine;
  const loading = (model_key: string) => transcriber.ask('load', { model_key });
  await assert.rejects(
    loading('x3-asr-0.6b'),
    has(modelErrors.MODEL_NOT_DOWNLOADED, /models pull x3-asr-0\.6b/),
  );
  await assert.rejects(loading('nothing'), has(modelErrors.MODEL_UNKNOWN));
  await assert.rejects(
    loading('starter-visual-3'),
    has(modelErrors.MODEL_WRONG_KIND, /visual model, not a speech/),
  );
  await loading('tiny');
  const open = (language: string | null) =>
    transcriber.ask('open', { model_key: 'tiny', language, channels: 1 });
  await assert.rejects(
    open('is'),
    has(speechErrors.LANGUAGE_UNSUPPORTED, /"tiny" does not understand Icelandic \(is\)/),
  );
  const { session } = await open(null);
  await refused(engine.transcriber, session);
  // The session is still usable.
  await play(transcriber, engine.pool, session, 0, talk);
  assert.equal((await transcriber.ask('finish', { session })).segments.length, 2);

  async function refused(transcriber: Transcriber, session: number) {
    const holder = engine.pool.holder();
    const samples = await engine.pool.acquire(holder);
    const block = { session, channel: 0, first_sample: 0, count: 100, samples };
    const wrong = has(engineErrors.INVALID_MESSAGE);
    await assert.rejects(transcriber.ask('append', { ...block, channel: 1 }), wrong);
    await assert.rejects(transcriber.ask('append', { ...block, count: 1_000_000 }), wrong);
    await assert.rejects(transcriber.ask('finish', { session }), wrong);
    await assert.rejects(
      transcriber.ask('append', { ...block, session: session + 1 }),
      has(speechErrors.SESSION_LOST),
    );
    engine.pool.releaseAll(holder);
  }
});

test('the model of a language is chosen among those that are downloaded', async () => {
  const engine = await startTranscriber(modelsDir);
  const choose = (preferred: 'auto' | 'more accurate', language: string) =>
    engine.transcriber.ask('choose', { preferred, language });
  assert.deepEqual(await choose('auto', 'en'), { model_key: 'endless', instead_of: null });
  assert.deepEqual(await choose('more accurate', 'en'), { model_key: 'endless', instead_of: 'x3-asr-1.7b' });
  await assert.rejects(
    choose('auto', 'bg'),
    has(speechErrors.LANGUAGE_UNSUPPORTED, /Bulgarian.*framehound models pull/),
  );
});

test('NaN and infinities are silence', async () => {
  const engine = await startTranscriber(modelsDir);
  await engine.transcriber.ask('load', { model_key: 'tiny' });
  const broken = joined(
    silence(1).fill(Number.NaN),
    noise(2 * SECOND, 0.03),
    silence(1).fill(Number.NEGATIVE_INFINITY),
  );
  assert.deepEqual(textOf(await transcribe(engine, 'tiny', [broken])), [' Good day.']);
});

test('windows that were written before are not transcribed again, and the text is the same', async () => {
  const engine = await startTranscriber(modelsDir);
  const { transcriber, pool } = engine;
  await transcriber.ask('load', { model_key: 'tiny' });
  const whole = await transcribe(engine, 'tiny', [talk]);
  const request = { model_key: 'tiny', language: null, channels: 1 };
  const first = await transcriber.ask('open', { ...request, written: [] });
  await play(transcriber, pool, first.session, 0, talk);
  const windows: WrittenWindow[] = [];
  await until(async () => {
    windows.push(...(await transcriber.ask('written', first)).windows);
    return windows.length === 2;
  });
  assert.deepEqual(await transcriber.ask('finish', first), whole);

  const { session } = await transcriber.ask('open', { ...request, written: windows });
  await play(transcriber, pool, session, 0, talk);
  assert.deepEqual((await transcriber.ask('written', { session })).windows, [], 'nothing new was written');
  assert.deepEqual(await transcriber.ask('finish', { session }), whole);

  // Nothing is taken of other sound at the same place.
  const louder = talk.map((sample) => sample * 1.5);
  const other = await transcriber.ask('open', { ...request, written: windows });
  await play(transcriber, pool, other.session, 0, louder);
  const result = await transcriber.ask('finish', other);
  assert.deepEqual(result, await transcribe(engine, 'tiny', [louder]));
});
