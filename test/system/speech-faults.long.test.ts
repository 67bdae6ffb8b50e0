// Speech of a service whose engine is killed or told to stop while it transcribes, whose file changes
// meanwhile, or whose stored transcript is damaged.

import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { TaskDetail } from '../../actors/analysis/tasks/contract.ts';
import type { ModelState } from '../../actors/models/contract.ts';
import type { TranscriptionsAnswer } from '../../actors/search/transcripts/contract.ts';
import { until } from '../until.ts';
import { newHome, SLOW_MS } from './command-line.ts';
import { type GuardedService, isAlive, startGuarded } from './guarded-service.ts';
import { joined, silence, writeWav } from './speech-files.ts';
import { noiseOf, writeVoices, writeX3 } from './speech-models.ts';

const story =
  'It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, ' +
  'it was the epoch of belief, it was the epoch of incredulity, it was the season of Light.';
const other = 'We had everything before us, we had nothing before us, we were all going direct to Heaven.';

interface World {
  readonly service: GuardedService;
  /** A new sound of so many seconds; `amplitude` 0.5 reads as `story`, 0.03 as `other`. */
  sound(name: string, seconds: number, amplitude?: number): string;
  folder(name: string): string;
}

async function start(t: TestContext): Promise<World> {
  const home = newHome();
  await writeVoices(home);
  const said = (text: string) => `language English<asr_text>${text}<|im_end|>`;
  // With what it has to remember, a window takes a good part of a second on any machine.
  await writeX3(home, 'slow', 'en', { quiet: said(other), loud: said(story) }, {}, [4, 4, 16]);
  // It never ends by itself, and no limit ends it either while a test lasts.
  const token_limit = { min: 1_000_000, per_second: 0, max: 1_000_000 };
  await writeX3(home, 'endless', 'de', { quiet: 'y', loud: 'y' }, { token_limit });
  const service = await startGuarded(home);
  t.after(() => service.end());
  await service.modelReady();
  const folder = (name: string) => join(home.folder, name);
  mkdirSync(folder('films'));
  let seed = 0;
  return {
    service,
    folder,
    sound: (name, seconds, amplitude = 0.5) => {
      seed += 1;
      const path = join(folder('films'), name);
      writeWav(path, joined(silence(0.5), noiseOf(seconds, amplitude, seed), silence(0.5)));
      return path;
    },
  };
}

const detail = (service: GuardedService, task_id: string) => service.ok<TaskDetail>(`/tasks/${task_id}`);

/** `endless`: files for the model that never ends. */
async function begin(
  service: GuardedService,
  cache_dir: string,
  paths: readonly string[],
  endless: readonly string[] = [],
): Promise<string> {
  const transcription_jobs = [
    ...endless.map((path) => ({ path, language: 'de' })),
    ...paths.map((path) => ({ path, language: 'en' })),
  ];
  return (await service.ok<{ task_id: string }>('/analyze', { cache_dir, transcription_jobs })).task_id;
}

async function textsOf(service: GuardedService, cache_dir: string, media_paths: readonly string[]) {
  const request = { cache_dir, media_paths };
  return (await service.ok<TranscriptionsAnswer>('/transcriptions', request)).transcriptions;
}

const speechModel = async (service: GuardedService) =>
  (await service.ok<{ speech: ModelState }>('/models/loaded')).speech.model_key;

/** Resolves when this model is in use. */
async function listensWith(service: GuardedService, model: string): Promise<void> {
  await until(async () => (await speechModel(service)) === model, { within: SLOW_MS });
}

const outcomes = ({ results }: TaskDetail) =>
  Object.fromEntries(results.map(({ path, outcome, error }) => [basename(path), error?.code ?? outcome]));

test('speech of a service that is killed, cancelled and stopped while it transcribes', async (t) => {
  const world = await start(t);
  await t.test('ends as an undisturbed one once the task is resumed', () => kill(world));
  await t.test('quarantines a file that ended the engine twice, and transcribes the others', () =>
    twice(world),
  );
  await t.test('ends within a window when it is cancelled, and frees the model', () => cancel(world));
  await t.test('is not stored for a file that changed or went away meanwhile', () => change(world));
  await t.test('goes on after a stop, and a damaged transcript costs itself only', (own) =>
    stopAndDamage(own, world),
  );
});

async function kill({ service, sound, folder }: World): Promise<void> {
  const paths = ['a.wav', 'b.wav', 'c.wav', 'd.wav'].map((name, i) => sound(name, 40, i % 2 ? 0.03 : 0.5));
  const undisturbed = folder('undisturbed');
  await service.follow(await begin(service, undisturbed, paths));
  const wanted = await textsOf(service, undisturbed, paths);
  assert.deepEqual(Object.keys(wanted), paths);
  const cache_dir = folder('killed');
  const task_id = await begin(service, cache_dir, paths);
  await service.follow(task_id, ({ progress }) => Number(progress) > 20);
  await service.killEngine();
  assert.equal((await detail(service, task_id)).state, 'interrupted');
  await service.modelReady();
  await service.ok(`/tasks/${task_id}/resume`, undefined, 'POST');
  await service.follow(task_id);
  const ended = await detail(service, task_id);
  assert.equal(ended.state, 'completed');
  assert.deepEqual(
    ended.results.filter(({ error }) => error),
    [],
  );
  assert.deepEqual(await textsOf(service, cache_dir, paths), wanted);
}

/** Whether the engine that runs now has noted that it works on a file with this model. */
function hasBegun({ home, engine }: GuardedService, model: string): boolean {
  const lines = readFileSync(join(home.folder, 'home', 'journal.ndjson'), 'utf8').split('\n');
  return lines.some((line) =>
    ['"stage-start"', model, `"pid":${engine}`].every((part) => line.includes(part)),
  );
}

async function twice({ service, sound, folder }: World): Promise<void> {
  const deadly = sound('deadly.wav', 3);
  const good = sound('good.wav', 3);
  const task_id = await begin(service, folder('quarantine'), [good], [deadly]);
  for (let death = 0; death < 2; death++) {
    await until(() => hasBegun(service, 'endless'), { within: SLOW_MS });
    await service.killEngine();
    await service.modelReady();
    assert.equal((await detail(service, task_id)).state, 'interrupted');
    await service.ok(`/tasks/${task_id}/resume`, undefined, 'POST');
  }
  await service.follow(task_id);
  const ended = await detail(service, task_id);
  assert.equal(ended.state, 'completed');
  assert.equal(outcomes(ended)['deadly.wav'], 'QUARANTINED');
  assert.ok(['analyzed', 'stored'].includes(outcomes(ended)['good.wav'] ?? ''));
  assert.deepEqual(Object.keys(await textsOf(service, folder('quarantine'), [good])), [good]);
}

async function cancel({ service, sound, folder }: World): Promise<void> {
  const task_id = await begin(service, folder('cancelled'), [], [sound('cancelled.wav', 40)]);
  const over = service.follow(task_id);
  await listensWith(service, 'endless');
  // The model would go on for hours: that this ends at all is the proof.
  await service.ok('/analyze/cancel', {});
  await over;
  assert.equal((await detail(service, task_id)).state, 'cancelled');
  assert.equal(await speechModel(service), null);
}

async function change({ service, sound, folder }: World): Promise<void> {
  const [changed, gone, kept] = [sound('changed.wav', 60), sound('gone.wav', 60), sound('kept.wav', 2)];
  const cache_dir = folder('changing');
  for (const [path, change] of [
    [changed, () => appendFileSync(changed, Buffer.alloc(32_000))],
    [gone, () => rmSync(gone)],
  ] as const) {
    const task_id = await begin(service, cache_dir, [path, kept]);
    await service.follow(task_id, ({ progress }) => Number(progress) > 1);
    change();
    await service.follow(task_id);
    const ended = await detail(service, task_id);
    assert.equal(ended.state, 'completed');
    assert.match(outcomes(ended)[basename(path)] ?? '', /^(FILE_CHANGED|FILE_NOT_FOUND)$/);
    assert.deepEqual(Object.keys(await textsOf(service, cache_dir, [path, kept])), [kept]);
  }
}

async function stopAndDamage(t: TestContext, { service, sound, folder }: World): Promise<void> {
  const [loud, quiet, endless] = [
    sound('loud.wav', 20),
    sound('quiet.wav', 20, 0.03),
    sound('endless.wav', 40),
  ];
  const cache_dir = folder('damaged');
  await service.follow(await begin(service, cache_dir, [loud, quiet]));
  const wanted = await textsOf(service, cache_dir, [loud, quiet]);
  assert.equal(Object.keys(wanted).length, 2);
  const task_id = await begin(service, cache_dir, [], [endless]);
  await listensWith(service, 'endless');
  const { engine } = service;
  assert.equal((await service.stop()).code, 0);
  assert.equal(isAlive(engine), false);

  const file = join(cache_dir, 'records.mdb');
  const bytes = readFileSync(file);
  const word = Buffer.from('incredulity');
  let damaged = 0;
  for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at)) {
    bytes[at]! ^= 0x10;
    damaged += 1;
  }
  assert.ok(damaged > 0);
  writeFileSync(file, bytes);

  const again = await startGuarded(service.home);
  t.after(() => again.end());
  await again.modelReady();
  assert.equal((await detail(again, task_id)).state, 'interrupted');
  const left = { cache_dir, media_paths: [loud, quiet] };
  const { transcriptions, unreadable } = await again.ok<TranscriptionsAnswer>('/transcriptions', left);
  assert.deepEqual([transcriptions, unreadable], [{ [quiet]: wanted[quiet] }, [loud]]);
  const healing = await begin(again, cache_dir, [loud, quiet]);
  await again.follow(healing);
  assert.deepEqual(outcomes(await detail(again, healing)), { 'loud.wav': 'analyzed', 'quiet.wav': 'stored' });
  assert.deepEqual(await textsOf(again, cache_dir, [loud, quiet]), wanted);
}
