// How many words a speech model gets wrong in a long file, and what it takes: the utterances of LibriSpeech
// test-other in order with gaps of half a second to a second, and between them 30 s of silence, of white
// noise and of music and 20 s of loud noise. The whole way of a file through decoder, voice detector and
// model, whose folder of models FRAMEHOUND_BENCH_SPEECH_MODELS names.
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decoderContract, soundRate } from '../actors/decoder/contract.ts';
import { transcriberContract } from '../actors/transcriber/contract.ts';
import { startBench } from './actors.ts';
import { seeded } from './diarization/random.ts';
import type { Question, Row } from './row.ts';
import { decodeSamples } from './samples.ts';
import { sized } from './size.ts';
import { wave } from './wave.ts';

const media = fileURLToPath(new URL('../../shared/media/speech', import.meta.url));
const slotBytes = 512 * 512 * 3;
const most = sized(50, 2);
const seed = 49;

type Bench = ReturnType<typeof startBench>;

interface LongFile {
  readonly samples: Float32Array;
  readonly words: readonly string[];
}

export const words: Question = async (say, folder) => {
  const modelsDir = process.env['FRAMEHOUND_BENCH_SPEECH_MODELS'];
  const references = join(media, 'librispeech/test-other/references.txt');
  if (modelsDir === undefined || !existsSync(references)) {
    say(`needs FRAMEHOUND_BENCH_SPEECH_MODELS, and ${references}`);
    return [];
  }
  const bench = startBench(16, slotBytes);
  try {
    const decoder = await bench.actor(decoderContract, { hardware: 'off' });
    const read = (path: string) => decodeSamples(decoder, bench.pool, path);
    const { samples, words } = await composed(readFileSync(references, 'utf8'), read);
    const path = join(folder, 'long.wav');
    await writeFile(path, wave([samples]));
    say(`${(samples.length / soundRate).toFixed(0)} s, ${words.length} words`);
    const before = process.cpuUsage();
    const transcript = await transcribed(bench, decoder, modelsDir, path);
    const { user, system } = process.cpuUsage(before);
    const wrong = editsBetween(words, wordsOf(transcript.text));
    const plain = { question: 'words', against: null, ratio: null, goal: null } as const;
    const name = `${transcript.model}: `;
    return [
      {
        ...plain,
        name: `${name}words wrong (${wrong} of ${words.length})`,
        value: (100 * wrong) / words.length,
        unit: '%',
      },
      { ...plain, name: `${name}processor time`, value: (user + system) / 1e6, unit: 's' },
    ] satisfies Row[];
  } finally {
    await bench.stop();
  }
};

/** Silence, noise, music and loud noise after each fifth of the utterances. */
async function composed(
  references: string,
  read: (path: string) => Promise<Float32Array>,
): Promise<LongFile> {
  const random = seeded(seed);
  const noise = (seconds: number, level: number) =>
    Float32Array.from({ length: seconds * soundRate }, () => level * random.between(-1, 1));
  const music: Float32Array[] = [];
  for (const name of ['band', 'electronic', 'orchestra', 'piano-strings'])
    music.push(await read(join(media, `sounds/music-${name}.flac`)));
  const between = [
    new Float32Array(30 * soundRate),
    noise(30, 0.02),
    joined(music).slice(0, 30 * soundRate),
    noise(20, 0.3),
  ];
  const lines = references.trim().split('\n').slice(0, most);
  const parts: Float32Array[] = [];
  const words: string[] = [];
  for (const [at, line] of lines.entries()) {
    const [name = '', ...said] = line.split(' ');
    parts.push(await read(join(media, `librispeech/test-other/${name}.flac`)));
    parts.push(new Float32Array(Math.round(random.between(0.5, 1) * soundRate)));
    words.push(...wordsOf(said.join(' ')));
    const sound = (at + 1) % 10 === 0 ? between[(at + 1) / 10 - 1] : undefined;
    if (sound) parts.push(sound);
  }
  return { samples: joined(parts), words };
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

async function transcribed(
  bench: Bench,
  decoder: Awaited<ReturnType<Bench['decoders']>>[number],
  modelsDir: string,
  path: string,
): Promise<{ readonly text: string; readonly model: string }> {
  const transcriber = await bench.actor(transcriberContract, { modelsDir, device: 'cpu', threads: 1 });
  const { model_key } = await transcriber.ask('choose', { preferred: 'auto', language: 'en' });
  await transcriber.ask('load', { model_key });
  const { session } = await transcriber.ask('open', { model_key, language: 'en', channels: 1 });
  for await (const block of decoder.feed('sound', { path, channels: null }, { credit: 2 })) {
    const { channel, first_sample, count, samples } = block;
    await transcriber.ask('append', { session, channel, first_sample, count, samples });
  }
  await transcriber.ask('end', { session, channel: 0 });
  const { segments } = await transcriber.ask('finish', { session });
  return { text: segments.map(({ text }) => text).join(' '), model: model_key };
}

/** Abbreviations that LibriSpeech writes in full. */
const spelled: Readonly<Record<string, string>> = { mr: 'mister', mrs: 'missus', dr: 'doctor', st: 'saint' };

/** In lower case, without punctuation. */
function wordsOf(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[^a-z0-9' ]+/g, ' ');
  return plain.split(/\s+/).flatMap((word) => {
    const bare = word.replaceAll(/^'+|'+$/g, '');
    return bare === '' ? [] : [spelled[bare] ?? bare];
  });
}

/** Words that are wrong, missing or too many: the distance of Levenshtein. */
function editsBetween(said: readonly string[], transcript: readonly string[]): number {
  let row = Array.from({ length: transcript.length + 1 }, (_, at) => at);
  for (const [i, word] of said.entries()) {
    const next = [i + 1];
    for (const [j, heardWord] of transcript.entries()) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (word === heardWord ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1)!;
}
