import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import type { TranscriptAnswer } from '../../actors/exporter/contract.ts';
import type { ModelState } from '../../actors/models/contract.ts';
import type {
  TranscriptionsAnswer,
  TranscriptRangeAnswer,
  TranscriptSearchAnswer,
} from '../../actors/search/transcripts/contract.ts';
import { talk } from '../actors/diarizer/tiny-models.ts';
import { sharedPath, skipWithout, untilRelease } from '../shared.ts';
import { newHome } from './command-line.ts';
import { startService } from './service.ts';
import { joined, silence, writeWav } from './speech-files.ts';
import { hums, noiseOf, notes, writeParakeet, writeVoices, writeWhisper, writeX3 } from './speech-models.ts';

const media = sharedPath('media/speech');
const skip = skipWithout('media/speech');

interface Job {
  readonly path: string;
  readonly language: string;
}

/** The model of each language. */
const families = { en: 'tiny-x3asr', de: 'tiny-whisper', fr: 'tiny-parakeet' } as const;

async function speakingService(t: TestContext) {
  const home = newHome();
  await writeVoices(home);
  const said = {
    quiet: 'language English<asr_text>Good day, my friend.<|im_end|>',
    loud: 'language English<asr_text>No, it is NOT so.<|im_end|>',
  };
  await writeX3(home, families.en, 'en', said);
  writeWhisper(home, families.de, 'de');
  writeParakeet(home, families.fr, 'fr');
  const service = await startService(['--no-guardian'], home);
  t.after(service.end);
  const films = join(home.folder, 'films');
  mkdirSync(films);
  const transcribe = async (cache_dir: string, jobs: readonly Job[], more: object = {}) => {
    const body = { cache_dir, transcription_jobs: jobs, ...more };
    const { task_id } = await service.ok<{ task_id: string }>('/analyze', body);
    const events = await service.follow(task_id);
    return { events, task: await service.ok<TaskDetail>(`/tasks/${task_id}`) };
  };
  const speechModel = async () => (await service.ok<{ speech: ModelState }>('/models/loaded')).speech;
  const folder = (name: string) => join(home.folder, name);
  return { ...service, films, folder, transcribe, speechModel };
}

/** Sounds for each family, two of which have voices that the small models tell apart. */
function madeSounds(films: string): Job[] {
  const sounds: [name: string, language: string, samples: Float32Array][] = [
    ['loud.wav', 'en', joined(silence(1), noiseOf(2, 0.03), silence(3), noiseOf(2, 0.5), silence(1))],
    [
      'hums.wav',
      'en',
      talk(
        [...[1, 6, 11]].map((start, i) => ({ start, end: start + 4, voice: hums[i % 2]! })),
        16,
      ),
    ],
    ['noise.wav', 'de', joined(silence(0.5), noiseOf(4, 0.2, 5), silence(2.5), noiseOf(3, 0.1, 6))],
    [
      'notes.wav',
      'fr',
      joined(silence(1), notes('dix', 'neuf', 'huit', 'sept'), silence(3), notes('deux', 'un'), silence(1)),
    ],
    ['nothing.wav', 'fr', silence(5)],
  ];
  return sounds.map(([name, language, samples]) => {
    const path = join(films, name);
    writeWav(path, samples);
    return { path, language };
  });
}

const modelOf = ({ results }: TaskDetail) =>
  new Map(results.map(({ path, speech }) => [basename(path), speech?.model_key]));

type Service = Awaited<ReturnType<typeof speakingService>>;

/** What of a transcript is compared: `texts` by path, and the rest. */
type Read = Awaited<ReturnType<typeof read>>;

async function read(service: Service, cache_dir: string, jobs: readonly Job[]) {
  const media_paths = jobs.map(({ path }) => path).sort();
  const answer = await service.ok<TranscriptionsAnswer>('/transcriptions', { cache_dir, media_paths });
  return { texts: answer.transcriptions, data: answer.transcription_data };
}

test('every family of models writes speech down through the service', async (t) => {
  const service = await speakingService(t);
  const jobs = madeSounds(service.films);
  const cache_dir = service.folder('analysis');
  const task = await transcribeAll(service, cache_dir, jobs);
  const before = await read(service, cache_dir, jobs);
  checkTexts(service, before);
  await t.test('a transcript is read page by page', () => readPages(service, cache_dir, task));
  await t.test('what is said is found', () => searchTranscripts(service, cache_dir));
  await t.test('every format has every segment', () => exportAll(service, before));
  await t.test('a stored transcript is kept; done over it is the same', async () => {
    const again = await service.transcribe(cache_dir, jobs);
    assert.deepEqual(new Set(again.task.results.map(({ outcome }) => outcome)), new Set(['stored']));
    const forced = await service.transcribe(cache_dir, jobs, { force: true });
    assert.deepEqual(new Set(forced.task.results.map(({ outcome }) => outcome)), new Set(['analyzed']));
    assert.deepEqual(await read(service, cache_dir, jobs), before);
  });
  await t.test('transcribed in another language it is another transcript', async () => {
    const job = { path: join(service.films, 'notes.wav'), language: 'en' };
    const other = await service.transcribe(cache_dir, [job]);
    assert.deepEqual(modelOf(other.task), new Map([['notes.wav', families.en]]));
  });
  await t.test('the order of the files changes nothing', async () => {
    const backwards = service.folder('backwards');
    await service.transcribe(backwards, jobs.toReversed());
    assert.deepEqual(await read(service, backwards, jobs), before);
  });
});

async function transcribeAll(
  { transcribe, speechModel }: Service,
  cache_dir: string,
  jobs: readonly Job[],
): Promise<TaskDetail> {
  const { events, task } = await transcribe(cache_dir, jobs);
  assert.equal(task.state, 'completed');
  assert.deepEqual([...new Set(events.map(({ type }) => type))], ['speech']);
  assert.deepEqual([events.at(-1)?.done, events.at(-1)?.progress], [true, 100]);
  for (const { path, outcome, error } of task.results) {
    assert.deepEqual([basename(path), outcome, error], [basename(path), 'analyzed', null]);
  }
  const expected = jobs.map(({ path, language }) => [basename(path), families[language as 'en']] as const);
  assert.deepEqual(modelOf(task), new Map(expected));
  assert.equal((await speechModel()).model_key, null, 'no model stays loaded after the task');
  return task;
}

function checkTexts({ films }: Service, { texts, data }: Read): void {
  const wordsOf = (name: string) => (texts[join(films, name)] ?? []).map(([, text]) => text);
  assert.deepEqual(wordsOf('loud.wav'), [' Good day, my friend.', ' No, it is NOT so.']);
  assert.deepEqual(wordsOf('notes.wav'), [' dix neuf huit sept', ' deux un']);
  assert.ok(wordsOf('noise.wav').join('').length > 0);
  assert.deepEqual(wordsOf('nothing.wav'), []);
  const speakers = Object.keys(data[join(films, 'hums.wav')]?.speakers ?? {});
  assert.deepEqual(speakers, ['SPEAKER_00', 'SPEAKER_01']);
}

async function readPages({ ok }: Service, cache_dir: string, { results }: TaskDetail): Promise<void> {
  const hash_str = results.find(({ path }) => path.endsWith('notes.wav'))?.hash_str;
  const page = { cache_dir, hash_str, start_seconds: 0, end_seconds: 60, max_segments: 1 };
  const first = await ok<TranscriptRangeAnswer>('/transcriptions/range', page);
  const after_segment_index = first.next_after_segment_index;
  const rest = await ok<TranscriptRangeAnswer>('/transcriptions/range', { ...page, after_segment_index });
  assert.deepEqual([first.truncated, rest.truncated], [true, false]);
  assert.deepEqual(
    [...first.segments, ...rest.segments].map(({ text }) => text.trim()),
    ['dix neuf huit sept', 'deux un'],
  );
}

async function searchTranscripts({ ok }: Service, cache_dir: string): Promise<void> {
  await ok('/analysis-data/load-transcriptions', { cache_dir });
  const found = await ok<TranscriptSearchAnswer>('/search/transcript', { cache_dir, query: 'MY friend' });
  assert.deepEqual(
    found.matches.map(({ media_path }) => basename(media_path)),
    ['loud.wav'],
  );
}

async function exportAll({ ok, films }: Service, { texts }: Read): Promise<void> {
  const segments = texts[join(films, 'loud.wav')]?.map((one) => one.slice(0, 3));
  for (const format of ['txt', 'csv', 'srt', 'vtt', 'docx', 'pdf']) {
    const request = { segments, format, display_name: 'loud' };
    const { row_count, content_base64 } = await ok<TranscriptAnswer>('/export/transcript', request);
    assert.equal(row_count, 2, format);
    const text = Buffer.from(content_base64 ?? '', 'base64').toString();
    if (!['docx', 'pdf'].includes(format))
      assert.match(text, /Good day, my friend\.[\s\S]*No, it is NOT so\./);
    else assert.match(text, format === 'pdf' ? /^%PDF-/ : /^PK/);
  }
}

test('recorded speech reads the same whatever the order of the files', {
  skip: skip || untilRelease,
}, async (t) => {
  const service = await speakingService(t);
  const { films, folder, transcribe } = service;
  const jobs = ['beckett.wav', 'jfk.flac', 'two_cities_16k.wav'].flatMap((name, i) => {
    const path = join(films, name);
    copyFileSync(join(media, name), path);
    // As other files: two of one family run side by side.
    const copy = join(films, `other-${name}`);
    writeWav(copy, joined(silence(0.5), noiseOf(3, 0.3, i + 1)));
    const language = Object.keys(families)[i]!;
    return [
      { path, language },
      { path: copy, language },
    ];
  });
  const { task } = await transcribe(folder('analysis'), jobs);
  assert.deepEqual(new Set(task.results.map(({ outcome }) => outcome)), new Set(['analyzed']));
  assert.deepEqual(new Set(modelOf(task).values()), new Set(Object.values(families)));
  const facts = task.results.map(({ speech }) => speech?.speech_seconds ?? 0);
  assert.ok(facts.every((seconds) => seconds > 2));
  await transcribe(folder('backwards'), jobs.toReversed());
  assert.deepEqual(
    await read(service, folder('backwards'), jobs),
    await read(service, folder('analysis'), jobs),
  );
});
