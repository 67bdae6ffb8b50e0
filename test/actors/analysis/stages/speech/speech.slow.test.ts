import assert from 'node:assert/strict';
import test from 'node:test';
import { type SpeechJob, speechKind } from '../../../../../actors/analysis/stages/speech/kind.ts';
import type { FileResult } from '../../../../../actors/analysis/tasks/contract.ts';
import { starterSpeakerKey, uncertainSpeakers } from '../../../../../actors/diarizer/contract.ts';
import { storeErrors } from '../../../../../actors/index/store/contract.ts';
import { noModel } from '../../../../../actors/models/contract.ts';
import { until } from '../../../../until.ts';
import type { FakeFile } from '../../fake-file.ts';
import { world } from '../../fakes.ts';

const request = {
  language: 'en',
  channels: null,
  detect_speakers: true,
  speaker_count: 'auto',
  preferred: 'auto',
} as const;
const job = (path: string, more: Partial<SpeechJob> = {}): SpeechJob => ({ path, ...request, ...more });
const outcomes = (results: readonly FileResult[]) =>
  results.map(({ path, type, outcome }) => `${path.split('/').at(-1)} ${type} ${outcome}`).sort();

async function spoken(files: readonly FakeFile[], options: Parameters<typeof world>[1] = {}) {
  const w = await world(files, options);
  const transcribe = (jobs: readonly SpeechJob[], force = false, signal = new AbortController().signal) =>
    w.run(signal, force, [], jobs);
  /** Nothing was left open and every slot is free. */
  const end = async () => {
    assert.deepEqual([...w.state.voices.open], []);
    assert.equal(w.pool.free, w.pool.count);
    assert.equal(w.state.voices.loads.at(-1), null);
    await w.end();
  };
  return { ...w, voices: w.state.voices, transcribe, end };
}

test('a file is transcribed, diarized and stored, and its result says by what', async () => {
  const w = await spoken([{ name: 'talk', frames: 4, kind: 'audio' }]);
  const { results, progress, counts } = await w.transcribe([job(w.paths[0]!)]);
  assert.deepEqual(results[0]?.speech, {
    model_key: 'x3-asr-0.6b',
    language: 'en',
    segments: 4,
    speakers: 2,
    speech_seconds: 4,
  });
  const stored = w.state.transcripts.get('talk');
  assert.deepEqual(
    stored?.segments.map(({ text, speaker }) => `${speaker}:${text}`),
    ['SPEAKER_00: word 0', 'SPEAKER_01: word 1', 'SPEAKER_00: word 2', 'SPEAKER_01: word 3'],
  );
  assert.deepEqual([progress.heard_seconds, progress.sound_seconds, progress.percentage], [4, 4, 99.9]);
  assert.equal(counts.analyzed, 1);
  const told = w.events.flatMap((event) => (event.type === 'file' ? [event.file] : []));
  assert.ok(told.length >= 4 && told.every(({ type }) => type === 'speech'));
  await w.end();
});

test('a second run does only what is missing; other wishes, or force, do it again', async () => {
  const w = await spoken([{ name: 'a', frames: 2, sound: true }]);
  const path = w.paths[0]!;
  assert.deepEqual(outcomes((await w.transcribe([job(path)])).results), ['a speech analyzed']);
  const again = await w.transcribe([job(path)]);
  assert.deepEqual([outcomes(again.results), again.progress.percentage], [['a speech stored'], 99.9]);
  for (const other of [
    { language: 'de' },
    { channels: [2] },
    { speaker_count: 2 },
    { detect_speakers: false },
  ]) {
    assert.deepEqual(outcomes((await w.transcribe([job(path, other)])).results), ['a speech analyzed']);
  }
  // How many speakers there may be says nothing where nobody looks for them.
  const same = job(path, { detect_speakers: false, speaker_count: 3 });
  assert.deepEqual(outcomes((await w.transcribe([same])).results), ['a speech stored']);
  assert.deepEqual(outcomes((await w.transcribe([same], true)).results), ['a speech analyzed']);
  await w.end();
});

test('pictures and sound of the same file are done in one task, surveyed once', async () => {
  const w = await spoken([
    { name: 'film', frames: 6, sound: true },
    { name: 'silent', frames: 3 },
    { name: 'photo', frames: 1, kind: 'image' },
  ]);
  const { results, counts, progress } = await w.run(
    undefined,
    false,
    w.paths,
    w.paths.map((path) => job(path)),
  );
  assert.deepEqual(outcomes(results), [
    'film speech analyzed',
    'film video analyzed',
    'photo speech no_sound',
    'photo video analyzed',
    'silent speech no_sound',
    'silent video analyzed',
  ]);
  assert.deepEqual([counts.files, counts.done, counts.no_sound], [6, 6, 2]);
  assert.deepEqual([progress.frames, progress.heard_seconds, progress.percentage], [10, 6, 99.9]);
  assert.equal(w.state.probing.all, 3);
  await w.end();
});

test('files of one model are transcribed side by side, of several one model after the other', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const w = await spoken(names.map((name) => ({ name, frames: 3, sound: true })));
  w.voices.models.push('x3-asr-1.7b');
  // The first file is not over before the second one begins.
  w.voices.hold = until(() => w.voices.mostOpen === 2).then(() => {});
  const preferred = (i: number) => (i % 2 === 0 ? 'x3-asr-0.6b' : 'x3-asr-1.7b');
  await w.transcribe(w.paths.map((path, i) => job(path, { preferred: preferred(i) })));
  assert.deepEqual(w.voices.loads, ['x3-asr-0.6b', 'x3-asr-1.7b', null]);
  assert.equal(w.voices.mostOpen, 2);
  await w.end();
});

test('a model that cannot be opened is told for every file, and not tried anew for each', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const w = await spoken(names.map((name) => ({ name, frames: 3, sound: true })));
  w.voices.models.push('x3-asr-1.7b');
  w.voices.unloadable.add('x3-asr-0.6b');
  const { results } = await w.transcribe(
    w.paths.map((path, i) => job(path, i === 5 ? { preferred: 'x3-asr-1.7b' } : {})),
  );
  const codes = results.map(({ error }) => error?.code ?? null).sort();
  assert.deepEqual(codes, [...Array<string>(5).fill('MODEL_LOAD_FAILED'), null]);
  // Files that are transcribed side by side find out together.
  assert.ok(w.voices.unloaded <= 2);
  // Another task tries again: the model may have been replaced.
  w.voices.unloadable.clear();
  assert.deepEqual(outcomes((await w.transcribe([job(w.paths[0]!)])).results), ['a speech analyzed']);
  await w.end();
});

test('without a model, subtitles beside or in the file are read, and the voices told apart by the sound', async () => {
  const w = await spoken([
    { name: 'beside', frames: 2, sound: true },
    { name: 'inside', frames: 3, sound: true, captions: { language: 'eng', texts: ['one', 'two'] } },
    { name: 'mute', frames: 3, captions: { language: 'eng', texts: ['one'] } },
    { name: 'nothing', frames: 3 },
    { name: 'bare', frames: 2, sound: true },
    { name: 'blank', frames: 2, sound: true, captions: { language: 'eng', texts: [] } },
  ]);
  w.voices.models.length = 0;
  const named = { start_seconds: 0, end_seconds: 1, text: ' hello', speaker: 'Ann' };
  w.voices.sidecars.set(w.paths[0]!, [named]);
  const { results } = await w.transcribe(w.paths.map((path) => job(path)));
  assert.deepEqual(outcomes(results), [
    'bare speech failed',
    'beside speech analyzed',
    'blank speech failed',
    'inside speech analyzed',
    'mute speech analyzed',
    'nothing speech no_sound',
  ]);
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  assert.deepEqual(
    failed.map(({ error }) => error?.code),
    ['NO_SPEECH_MODEL', 'NO_SPEECH_MODEL'],
  );
  const textOf = (name: string) =>
    w.state.transcripts.get(name)?.segments.map(({ text, speaker }) => `${speaker}:${text}`);
  assert.deepEqual(textOf('beside'), ['SPEAKER_00: hello']);
  assert.deepEqual(w.state.transcripts.get('beside')?.mark.speaker_names, { SPEAKER_00: 'Ann' });
  assert.deepEqual(textOf('inside'), ['SPEAKER_00: one', 'SPEAKER_01: two']);
  assert.deepEqual(textOf('mute'), ['null: one']);
  const { model_key, spoken: language } = w.state.transcripts.get('inside')!.mark;
  assert.deepEqual([model_key, language], ['subtitles', 'en']);
  await w.end();
});

test('subtitles that were edited, or put beside the film since, are read again', async () => {
  const w = await spoken([{ name: 'film', frames: 2, captions: { language: 'eng', texts: ['one'] } }]);
  const path = w.paths[0]!;
  const outcome = async () =>
    (await w.transcribe([job(path, { preferred: 'subtitles' })])).results[0]?.outcome;
  const cue = (text: string) => ({ start_seconds: 0, end_seconds: 1, text, speaker: null });
  assert.deepEqual([await outcome(), await outcome()], ['analyzed', 'stored']);
  w.voices.sidecars.set(path, [cue(' uno')]);
  assert.deepEqual([await outcome(), await outcome()], ['analyzed', 'stored']);
  w.voices.sidecars.set(path, [cue(' uno'), cue(' due')]);
  assert.deepEqual([await outcome(), await outcome()], ['analyzed', 'stored']);
  assert.equal(w.state.transcripts.get('film')?.segments.length, 2);
  w.voices.sidecars.delete(path);
  assert.equal(await outcome(), 'stored');
  await w.end();
});

test('speakers are numbered as they appear in the transcript, and only those are counted', async () => {
  const w = await spoken([{ name: 'late', frames: 6, sound: true }]);
  w.voices.models.length = 0;
  // The fake finds SPEAKER_00 in even seconds.
  const said = [1, 3, 5].map((at) => ({
    start_seconds: at,
    end_seconds: at + 1,
    text: ' so',
    speaker: null,
  }));
  w.voices.sidecars.set(w.paths[0]!, said);
  const { results } = await w.transcribe([job(w.paths[0]!)]);
  assert.equal(results[0]?.speech?.speakers, 1);
  const speakers = w.state.transcripts.get('late')?.segments.map(({ speaker }) => speaker);
  assert.deepEqual(speakers, ['SPEAKER_00', 'SPEAKER_00', 'SPEAKER_00']);
  await w.end();
});

test('where the number of speakers is not sure, a range is said, and how to get a better one', async () => {
  const w = await spoken([{ name: 'talk', frames: 4, sound: true }]);
  const [path] = w.paths;
  const of = async () => {
    const { results } = await w.transcribe([job(path!)], true);
    const speech = results[0]!.speech!;
    return {
      text: speechKind.labels.result({ speech }),
      answer: [speech.speakers_uncertain, speech.speaker_range],
      stored: w.state.transcripts.get('talk')?.mark,
    };
  };
  const sure = await of();
  assert.equal(sure.text, '4 segments, 2 speakers, en (x3-asr-0.6b)');
  assert.deepEqual(sure.answer, [undefined, undefined]);
  assert.equal(sure.stored?.speakers_uncertain, undefined);
  w.voices.speakerRange = { least: 3, most: 4 };
  const unsure = await of();
  // The range holds the number in the transcript.
  const range = { least: 2, most: 4 };
  const text = '4 segments, 2 to 4 speakers, en (x3-asr-0.6b)';
  assert.equal(unsure.text, `${text}; ${uncertainSpeakers(range, 'fake-speaker')}`);
  assert.doesNotMatch(unsure.text, /models pull/);
  assert.deepEqual(unsure.answer, [true, range]);
  assert.deepEqual([unsure.stored?.speakers_uncertain, unsure.stored?.speaker_range], [true, range]);
  w.voices.speakerModel = starterSpeakerKey;
  assert.match((await of()).text, /framehound models pull voices/);
  await w.end();
});

test('a fixed number of speakers holds with subtitles too, and what the words do not give is said', async () => {
  const w = await spoken([
    { name: 'talk', frames: 6, sound: true },
    { name: 'mute', frames: 6 },
  ]);
  w.voices.models.length = 0;
  const [talk, mute] = w.paths as [string, string];
  const cue = (at: number, speaker: string | null) => ({
    start_seconds: at,
    end_seconds: at + 1,
    text: ' so',
    speaker,
  });
  const run = async (
    path: string,
    who: readonly (string | null)[],
    speaker_count: SpeechJob['speaker_count'],
    at = who.map((_, i) => i),
  ) => {
    w.voices.sidecars.set(
      path,
      who.map((speaker, i) => cue(at[i]!, speaker)),
    );
    const { results } = await w.transcribe([job(path, { speaker_count })], true);
    const { segments = [], mark } = w.state.transcripts.get(path.split('/').at(-1)!) ?? {};
    const { speakers, warning } = results[0]!.speech!;
    return [segments.map(({ speaker }) => speaker), mark?.speaker_names, speakers, warning];
  };
  const [zero, one] = ['SPEAKER_00', 'SPEAKER_01'];
  const names = { [zero!]: 'Ann', [one!]: 'Bob' };
  assert.deepEqual(await run(talk, ['Ann', 'Bob'], 2), [[zero, one], names, 2, undefined]);
  // The sound has two voices; the third name is of neither.
  assert.deepEqual(await run(talk, ['Ann', 'Bob', 'Ann', 'Cy'], 2), [
    [zero, one, zero, one],
    names,
    2,
    'the subtitles name 3 speakers, but 2 were expected; speakers were told apart by voice',
  ]);
  assert.deepEqual(await run(talk, [null, null], 2), [[zero, one], undefined, 2, undefined]);
  assert.deepEqual(await run(talk, [null, null], 2, [0, 2]), [
    [zero, zero],
    undefined,
    1,
    '2 speakers were expected, but only 1 could be told apart',
  ]);
  const alone = 'the subtitles name 1 speaker, but 2 were expected, and there is no sound to tell them apart';
  assert.deepEqual(await run(mute, ['Ann'], 2), [[zero], { [zero!]: 'Ann' }, 1, alone]);
  assert.deepEqual(await run(mute, ['Ann'], 'auto'), [[zero], { [zero!]: 'Ann' }, 1, undefined]);
  await w.end();
});

test('subtitles on request leave the models alone, and a language nobody understands is told', async () => {
  const w = await spoken([
    { name: 'a', frames: 2, sound: true, captions: { language: 'fre', texts: ['un'] } },
    { name: 'b', frames: 2, sound: true },
  ]);
  const [a, b] = w.paths as [string, string];
  const { results } = await w.transcribe([
    job(a, { preferred: 'subtitles', detect_speakers: false }),
    job(b, { language: 'sw' }),
  ]);
  assert.deepEqual(outcomes(results), ['a speech analyzed', 'b speech failed']);
  assert.equal(results.find(({ path }) => path === b)?.error?.code, 'LANGUAGE_UNSUPPORTED');
  assert.deepEqual(w.voices.loads, [null]);
  await w.end();
});

test('a stage whose actor crashed is tried again once, and a second crash costs the file and nothing else', async () => {
  const w = await spoken([
    { name: 'a', frames: 3, sound: true },
    { name: 'b', frames: 3, sound: true },
  ]);
  const [a, b] = w.paths as [string, string];
  w.voices.crashes = 1;
  assert.deepEqual(outcomes((await w.transcribe([job(a)])).results), ['a speech analyzed']);
  w.voices.crashes = 2;
  const { results, progress } = await w.transcribe([job(b)]);
  assert.deepEqual([results[0]?.outcome, results[0]?.error?.code], ['failed', 'ACTOR_CRASHED']);
  assert.deepEqual([progress.heard_seconds, progress.sound_seconds], [0, 0]);
  assert.equal(w.state.transcripts.has('b'), false);
  await w.end();
});

test('how much sound there is to transcribe is known as soon as every file is surveyed', async () => {
  const w = await spoken(['a', 'b'].map((name) => ({ name, frames: 3, sound: true })));
  const held = Promise.withResolvers<void>();
  w.voices.hold = held.promise;
  const running = w.transcribe(w.paths.map((path) => job(path)));
  const known = () =>
    w.events.flatMap((event) => (event.type === 'task' && event.task.surveyed ? [event] : []));
  await until(() => known().length > 0);
  assert.deepEqual([known()[0]?.task.stages['speech']?.all, known()[0]?.task.files_done], [6, 0]);
  held.resolve();
  await running;
  await w.end();
});

test('which speech model is in use is known without asking who runs it', async () => {
  const w = await spoken([{ name: 'a', frames: 3, sound: true }]);
  const held = Promise.withResolvers<void>();
  w.voices.hold = held.promise;
  const running = w.transcribe([job(w.paths[0]!)]);
  await until(() => w.voices.open.size > 0);
  assert.deepEqual(
    [w.analysis.speechModel.model_key, w.analysis.speechModel.load_status],
    ['x3-asr-0.6b', 'ready'],
  );
  held.resolve();
  await running;
  assert.equal(w.analysis.speechModel, noModel);
  w.voices.unloadable.add('x3-asr-0.6b');
  const { results } = await w.transcribe([job(w.paths[0]!)], true);
  assert.equal(results[0]?.error?.code, 'MODEL_LOAD_FAILED');
  assert.equal(w.analysis.speechModel, noModel);
  await w.end();
});

test('a channel that is not there fails its file alone', async () => {
  const w = await spoken([
    { name: 'a', frames: 2, sound: true },
    { name: 'b', frames: 2, sound: true },
  ]);
  const [a, b] = w.paths as [string, string];
  const { results } = await w.transcribe([job(a, { channels: [1, 2] }), job(b, { channels: [3] })]);
  assert.deepEqual(outcomes(results), ['a speech analyzed', 'b speech failed']);
  assert.deepEqual(results.find(({ path }) => path === a)?.speech?.segments, 4);
  assert.equal(results.find(({ path }) => path === b)?.error?.code, 'NO_CHANNEL');
  await w.end();
});

test('the same content under two names is transcribed once', async () => {
  const w = await spoken(['a', 'b', 'c'].map((name) => ({ name, frames: 2, sound: true, content: 'same' })));
  const { results } = await w.transcribe(w.paths.map((path) => job(path)));
  assert.deepEqual(results.map(({ outcome }) => outcome).sort(), ['analyzed', 'stored', 'stored']);
  assert.equal(w.voices.mostOpen, 1);
  await w.end();
});

test('a cancelled task keeps what is finished, leaves nothing open, and the next one goes on', async () => {
  const w = await spoken(['a', 'b', 'c'].map((name) => ({ name, frames: 3, sound: true })));
  const stop = new AbortController();
  const jobs = w.paths.map((path) => job(path));
  const held = Promise.withResolvers<void>();
  await w.transcribe(jobs.slice(0, 1));
  w.voices.hold = held.promise;
  const running = w.transcribe(jobs, false, stop.signal);
  await until(() => w.voices.open.size > 0);
  stop.abort();
  held.resolve();
  const { cancelled, results } = await running;
  assert.equal(cancelled, true);
  assert.deepEqual(outcomes(results), ['a speech stored', 'b speech cancelled', 'c speech cancelled']);
  assert.deepEqual(
    outcomes((await w.transcribe(jobs)).results).map((text) => text.split(' ')[2]),
    ['stored', 'analyzed', 'analyzed'],
  );
  await w.end();
});

test('a folder that takes nothing more ends the task with one reason', async () => {
  const w = await spoken(['a', 'b'].map((name) => ({ name, frames: 2, sound: true })));
  w.state.full = true;
  await assert.rejects(w.transcribe(w.paths.map((path) => job(path))), (error) =>
    storeErrors.STORE_FULL.is(error),
  );
  await w.end();
});
