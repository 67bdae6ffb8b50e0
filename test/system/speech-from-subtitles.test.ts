import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import { copySamples } from '../../actors/samples/samples.ts';
import type {
  TranscriptionsAnswer,
  TranscriptRangeAnswer,
  TranscriptSearchAnswer,
} from '../../actors/search/transcripts/contract.ts';
import { readVoices } from '../../bench/diarization/librispeech.ts';
import { skipWithout } from '../shared.ts';
import { sharedService } from './service.ts';
import { joined, RATE, silence, writeWav } from './speech-files.ts';

const skip = skipWithout('media/speech/librispeech/test-other');

async function speakingService() {
  const service = await sharedService();
  const { cache_dir } = service;
  const films = `${cache_dir}-films`;
  mkdirSync(films);
  const transcribe = async (body: object) => {
    const { task_id } = await service.ok<{ task_id: string }>('/analyze', { cache_dir, ...body });
    const events = await service.follow(task_id);
    return { events, task: await service.ok<TaskDetail>(`/tasks/${task_id}`) };
  };
  return { ...service, films, transcribe };
}

/** Two voices take turns, three and two; five cues of subtitles say what. */
async function conversation(folder: string): Promise<string> {
  const path = join(folder, 'talk.wav');
  const voices = await readVoices('test-other', () => {});
  const [one, other] = [voices?.[0]?.pieces, voices?.[2]?.pieces];
  assert.ok(one && other);
  const seven = (piece: Float32Array | undefined) => (piece ?? silence(0)).subarray(0, 7 * RATE);
  const pause = silence(0.75);
  const turns = [one[0], other[0], one[1], other[1], one[2]].map(seven);
  writeWav(path, joined(...turns.flatMap((turn) => [turn, pause])));
  const cues = [
    '00:00:00.200 --> 00:00:06.900\nIt was the best of times',
    '00:00:08.000 --> 00:00:14.500\nGRÜSSE an <i>alle</i>',
    '00:00:15.800 --> 00:00:22.300\nit was the season of Light',
    '00:00:23.500 --> 00:00:30.000\nwe had everything before us',
    '00:00:31.300 --> 00:00:37.800\nwe had nothing before us',
  ];
  writeFileSync(join(folder, 'talk.en.vtt'), `WEBVTT\n\n${cues.join('\n\n')}\n`);
  return path;
}

type Service = Awaited<ReturnType<typeof speakingService>>;

interface Talk extends Service {
  readonly path: string;
  readonly silent: string;
}

test('a file with subtitles is transcribed from them, and its speakers are told apart by voice', {
  skip,
}, async (t) => {
  const service = await speakingService();
  const silent = join(service.films, 'silent.wav');
  writeWav(silent, silence(3));
  const talk: Talk = { ...service, path: await conversation(service.films), silent };
  await t.test('a file without subtitles needs a model and fails alone', () => transcribeTalk(talk));
  const { hash_str } = await readTalk(talk);
  await t.test('a transcript is read page by page', () => readPages(talk, hash_str));
  await t.test('what is said is found, and by whom', () => searchTalk(talk, hash_str));
  await t.test('the properties of a file say whether its speech is stored', () => checkProperties(talk));
  await t.test('what is stored is not done again', async () => {
    const again = await talk.transcribe({ transcription_jobs: [{ path: talk.path }] });
    assert.equal(again.task.results[0]?.outcome, 'stored');
  });
});

async function transcribeTalk({ transcribe, films, path, silent }: Talk): Promise<void> {
  const { events, task } = await transcribe({
    transcription_jobs: [{ path }, { path: silent }, { path: join(films, 'gone.wav') }],
  });
  assert.ok(events.every(({ type }) => type === 'speech'));
  assert.deepEqual([events.at(-1)?.done, events.at(-1)?.progress], [true, 100]);
  const failed = task.results.filter(({ outcome }) => outcome === 'failed');
  assert.deepEqual(failed.map(({ error }) => error?.code).sort(), ['FILE_NOT_FOUND', 'NO_SPEECH_MODEL']);
  assert.match(failed.map(({ error }) => error?.message).join(), /silent\.wav.*framehound models pull/);
  const facts = task.results.find((result) => result.path === path)?.speech;
  assert.deepEqual(
    [facts?.model_key, facts?.language, facts?.segments, facts?.speakers],
    ['subtitles', 'en', 5, 2],
  );
}

async function readTalk({ ok, cache_dir, path, silent }: Talk): Promise<{ hash_str: string }> {
  const request = { cache_dir, media_paths: [path, silent] };
  const { transcriptions, transcription_data } = await ok<TranscriptionsAnswer>('/transcriptions', request);
  assert.deepEqual(Object.keys(transcriptions), [path]);
  assert.deepEqual(transcriptions[path]?.[1], [8, ' GRÜSSE an alle', 14.5, path]);
  const { hash_str, speakers } = transcription_data[path]!;
  assert.deepEqual(
    Object.entries(speakers).map(([id, { segment_indices }]) => [id, segment_indices]),
    [
      ['SPEAKER_00', [0, 2, 4]],
      ['SPEAKER_01', [1, 3]],
    ],
  );
  return { hash_str };
}

async function readPages({ ok, cache_dir }: Talk, hash_str: string): Promise<void> {
  const page = { cache_dir, hash_str, start_seconds: 0, end_seconds: 60, max_segments: 4 };
  const first = await ok<TranscriptRangeAnswer>('/transcriptions/range', page);
  assert.deepEqual([first.segments.length, first.truncated], [4, true]);
  const after_segment_index = first.next_after_segment_index;
  const rest = await ok<TranscriptRangeAnswer>('/transcriptions/range', { ...page, after_segment_index });
  assert.deepEqual(
    [rest.segments.map(({ text }) => text.trim()), rest.truncated],
    [['we had nothing before us'], false],
  );
}

async function searchTalk({ ok, call, cache_dir, path }: Talk, hash_str: string): Promise<void> {
  const question = { cache_dir, query: 'grüsse AN' };
  assert.equal((await call('/search/transcript', question)).status, 400, 'nothing is loaded yet');
  await ok('/analysis-data/load-transcriptions', { cache_dir });
  const found = await ok<TranscriptSearchAnswer>('/search/transcript', question);
  assert.deepEqual(
    found.matches.map(({ media_path, start_timestamp, speaker }) => [media_path, start_timestamp, speaker]),
    [[path, '00:00:08', 'SPEAKER_01']],
  );
  const assignments = [{ speaker: 'SPEAKER_00', name: 'Sydney' }];
  await ok('/transcriptions/speakers', { cache_dir, hash_str, assignments }, 'PUT');
  const named = { cache_dir, query: 'it was', speaker: 'sydney' };
  const said = await ok<TranscriptSearchAnswer>('/search/transcript', named);
  assert.deepEqual([said.matches.length, said.matches[0]?.speaker_name], [2, 'Sydney']);
}

async function checkProperties({ ok, cache_dir, path, silent }: Talk): Promise<void> {
  const { media_properties } = await ok<{ media_properties: Record<string, { audio_cached: boolean }> }>(
    '/media/metadata',
    { cache_dir, media_paths: [path, silent] },
  );
  assert.deepEqual(
    [media_properties[path]?.audio_cached, media_properties[silent]?.audio_cached],
    [true, false],
  );
}

test('pictures and speech of one film are done in one task', async () => {
  const { transcribe, films } = await speakingService();
  await copySamples(films, ['beach.mp4']);
  const film = join(films, 'beach.mp4');
  writeFileSync(join(films, 'beach.srt'), '1\n00:00:01,000 --> 00:00:03,000\nWaves.\n');
  const { events, task } = await transcribe({
    visual_media_paths: [film],
    transcription_jobs: [{ path: film, detect_speakers: false }],
  });
  assert.deepEqual([...new Set(events.map(({ type }) => type))].sort(), ['speech', 'video']);
  assert.equal(events.filter(({ done }) => done).length, 1);
  assert.deepEqual(task.results.map(({ type, outcome }) => `${type} ${outcome}`).sort(), [
    'speech analyzed',
    'video analyzed',
  ]);
  assert.equal(task.counts.files, 2);
});
