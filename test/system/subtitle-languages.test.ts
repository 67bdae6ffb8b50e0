import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import type {
  TranscriptionsAnswer,
  TranscriptSearchAnswer,
} from '../../actors/search/transcripts/contract.ts';
import { sharedService } from './service.ts';
import { silence, writeWav } from './speech-files.ts';

const cues = (...texts: string[]) =>
  texts.map((text, i) => `${i + 1}\n00:00:0${i},000 --> 00:00:0${i + 1},000\n${text}\n`).join('\n');

async function twoLanguages() {
  const service = await sharedService();
  const { cache_dir } = service;
  const films = `${cache_dir}-films`;
  mkdirSync(films);
  const [talk, plain] = ['talk.wav', 'plain.wav'].map((name) => join(films, name)) as [string, string];
  writeWav(talk, silence(3));
  writeWav(plain, silence(4));
  writeFileSync(join(films, 'talk.srt'), cues('Good morning', 'The harbour is closed'));
  writeFileSync(join(films, 'talk.de.srt'), cues('Guten Morgen', 'Der Hafen ist zu'));
  const analyze = async () => {
    const how = { language: 'auto', preferred_x_model_key: 'subtitles if any', detect_speakers: false };
    const transcription_jobs = [talk, plain].map((path) => ({ path, ...how }));
    const { task_id } = await service.ok<{ task_id: string }>('/analyze', { cache_dir, transcription_jobs });
    await service.follow(task_id);
    const { results } = await service.ok<TaskDetail>(`/tasks/${task_id}`);
    return Object.fromEntries(results.map(({ path, outcome }) => [path, outcome]));
  };
  const transcriptions = (language?: string) =>
    service.ok<TranscriptionsAnswer>('/transcriptions', { cache_dir, media_paths: [talk], language });
  const search = (query: string) =>
    service.ok<TranscriptSearchAnswer>('/search/transcript', { cache_dir, query });
  return { ...service, films, talk, plain, analyze, transcriptions, search };
}

test('subtitles in two languages beside a file are both stored and searched', async () => {
  const { films, talk, plain, analyze, transcriptions, search, call, ok, cache_dir } = await twoLanguages();
  assert.deepEqual(await analyze(), { [talk]: 'analyzed', [plain]: 'no_sound' });
  const textOf = (answer: TranscriptionsAnswer) =>
    answer.transcriptions[talk]?.map(([, text]) => text.trim()).join(', ');
  const usual = await transcriptions();
  assert.equal(textOf(usual), 'Good morning, The harbour is closed');
  assert.deepEqual(usual.transcription_languages[talk], { language: null, other_languages: ['de'] });
  const german = await transcriptions('german');
  assert.equal(textOf(german), 'Guten Morgen, Der Hafen ist zu');
  assert.equal(german.transcription_languages[talk]?.language, 'de');
  assert.equal(textOf(await transcriptions('fr')), textOf(usual));
  const unknown = { cache_dir: '/c', media_paths: [talk], language: 'Klingonese' };
  assert.equal((await call('/transcriptions', unknown)).status, 400);
  await ok('/analysis-data/load-transcriptions', { cache_dir });
  for (const [query, segment_index, language] of [
    ['harbour', 1, undefined],
    ['hafen', 1, 'de'],
  ] as const) {
    const [match, ...more] = (await search(query)).matches;
    assert.deepEqual(
      [match?.segment_index, match?.language, more.length],
      [segment_index, language, 0],
      query,
    );
  }
  assert.equal((await analyze())[talk], 'stored');
  writeFileSync(join(films, 'talk.de.srt'), cues('Guten Abend'));
  assert.equal((await analyze())[talk], 'analyzed');
  assert.equal((await search('abend')).matches.length, 1);
  assert.equal((await search('hafen')).matches.length, 0);
});
