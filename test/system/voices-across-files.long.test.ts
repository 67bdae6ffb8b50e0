// Real voices in two files, told apart without any download: who speaks in the other file is suggested,
// confirmed and named.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { ConfirmedSpeakers, SpeakerSuggestions } from '../../actors/search/voices/contract.ts';
import { readVoices } from '../../bench/diarization/librispeech.ts';
import { skipWithout } from '../shared.ts';
import { startService } from './service.ts';
import { joined, RATE, silence, writeWav } from './speech-files.ts';

const skip = skipWithout('media/speech/librispeech/test-other');
const [seconds, pause] = [7, 0.75];

/** Turns of 7 s, with a subtitle for each that does not say who speaks. */
function talk(folder: string, name: string, turns: readonly Float32Array[]): string {
  const path = join(folder, `${name}.wav`);
  const pieces = turns.map((turn) => turn.subarray(0, seconds * RATE));
  writeWav(path, joined(...pieces.flatMap((piece) => [piece, silence(pause)])));
  const at = (second: number) => `00:00:${second.toFixed(3).padStart(6, '0')}`;
  const cues = turns.map((_, i) => {
    const start = i * (seconds + pause);
    return `${at(start + 0.2)} --> ${at(start + seconds - 0.2)}\nturn ${i}`;
  });
  writeFileSync(join(folder, `${name}.en.vtt`), `WEBVTT\n\n${cues.join('\n\n')}\n`);
  return path;
}

test('the voices of one file are found again in another one, and linked', { skip }, async (t) => {
  const service = await startService();
  t.after(service.end);
  const cache_dir = join(service.home.folder, 'analysis');
  const films = join(service.home.folder, 'films');
  mkdirSync(films);
  const voices = await readVoices('test-other', () => {});
  const long = voices!.map(({ pieces }) => pieces.filter(({ length }) => length >= seconds * RATE));
  const [ann, , ben] = long;
  const [first, second] = [
    talk(films, 'first', [ann![0]!, ben![0]!, ann![1]!, ben![1]!]),
    talk(films, 'second', [ben![2]!, ann![2]!, ben![3]!, ann![3]!]),
  ];
  const analyse = async (more: object = {}) => {
    const transcription_jobs = [first, second].map((path) => ({
      path,
      detect_speakers: true,
      speaker_count: 2,
    }));
    const { task_id } = await service.ok<{ task_id: string }>('/analyze', {
      cache_dir,
      transcription_jobs,
      ...more,
    });
    await service.follow(task_id);
  };
  await analyse();
  const suggest = (media_path: string, speaker: string) =>
    service.ok<SpeakerSuggestions>('/speakers/suggest', { cache_dir, media_path, speaker });
  // Ann speaks first in the first file and second in the second one.
  const found = await suggest(first, 'SPEAKER_00');
  assert.equal(found.warning, undefined);
  const [best] = found.suggestions;
  assert.deepEqual([best?.media_path, best?.speaker, best?.speaker_name], [second, 'SPEAKER_01', null]);
  assert.ok(best!.similarity > 0.5 && best!.speaking_seconds > 10, JSON.stringify(found));
  const { start_seconds, end_seconds } = best!.sample;
  assert.ok(start_seconds > seconds && end_seconds - start_seconds > 5);
  assert.equal((await suggest(first, 'SPEAKER_01')).suggestions[0]?.speaker, 'SPEAKER_00');
  const [other] = (await suggest(second, 'SPEAKER_01')).suggestions;
  const same = [
    { hash_str: other!.hash_str, speaker: other!.speaker },
    { hash_str: best!.hash_str, speaker: best!.speaker },
  ];
  const confirm = (body: object) =>
    service.ok<ConfirmedSpeakers>('/speakers/confirm', { cache_dir, ...body }, 'PUT');
  const linked = await confirm({ voices: same, name: 'Ann', same: true });
  assert.deepEqual(
    linked.voices.map(({ speaker_name }) => speaker_name),
    ['Ann', 'Ann'],
  );
  await analyse({ force: true });
  const left = (await suggest(first, 'SPEAKER_00')).suggestions;
  assert.ok(left.every(({ speaker_name }) => speaker_name !== 'Ann'));
  const [named] = (await suggest(second, 'SPEAKER_00')).suggestions;
  assert.deepEqual([named?.speaker, named?.media_path], ['SPEAKER_01', first]);
});
