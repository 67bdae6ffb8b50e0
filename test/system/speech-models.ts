// Models of every family that transcribe speech, as a user puts them into a home: small graphs with the real
// names. Each knows one language, so the language of a job says which family writes it down.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRow, SpeechSide } from '../../actors/models/contract.ts';
import { builtInRows } from '../../actors/models/rows/list.ts';
import { onnxBytes } from '../../actors/models/starter/graph/onnx.ts';
import { type WhisperSize, whisperDecoder, whisperEncoder } from '../../bench/whisper-graphs.ts';
import { bytesTokenizer } from '../../bench/whisper-tokenizer.ts';
import {
  segmentationGraph,
  segmentationRow,
  speakerRow,
  voiceGraph,
  writeModel,
} from '../actors/diarizer/tiny-models.ts';
import { encoderGraph, featuresGraph, jointGraph, note } from '../actors/transcriber/parakeet/graphs.ts';
import { writeVoice } from '../actors/transcriber/voice/tiny-silero.ts';
import { type CacheSize, smallCache } from '../actors/transcriber/x3asr/graphs.ts';
import { writeX3asr, x3asrFiles, x3asrRow } from '../actors/transcriber/x3asr/tiny-model.ts';
import type { Home } from './command-line.ts';
import { RATE } from './speech-files.ts';

export const modelsOf = ({ folder }: Pick<Home, 'folder'>) => join(folder, 'home', 'models');

/** A row like one of the program's, in one language. */
function speechRow(key: string, like: string, language: string, changes: Partial<SpeechSide>): ModelRow {
  const row = builtInRows.find((one) => one.key === like)!;
  return { ...row, key, languages: [language], speech: { ...row.speech!, ...changes } };
}

function writeFiles(
  home: Pick<Home, 'folder'>,
  row: ModelRow,
  files: Readonly<Record<string, Uint8Array | string>>,
): void {
  const folder = join(modelsOf(home), row.key);
  mkdirSync(folder, { recursive: true });
  const named = Object.keys(files).map((role) => ({ role, name: role, url: null, size: null, sha256: null }));
  writeFileSync(join(folder, 'model.json'), JSON.stringify({ ...row, files: named }));
  for (const [role, content] of Object.entries(files)) writeFileSync(join(folder, role), content);
}

/**
 * `quiet` is written for noise of the amplitude 0.03, `loud` for 0.5. Without an end a text goes on to the
 * limit.
 */
export async function writeX3(
  home: Pick<Home, 'folder'>,
  key: string,
  language: string,
  { quiet, loud }: { readonly quiet: string; readonly loud: string },
  changes: Partial<SpeechSide> = {},
  cache: CacheSize = smallCache,
): Promise<void> {
  const row = { ...x3asrRow(key, changes), languages: [language] };
  const answers = ['language None<asr_text><|im_end|>', quiet, loud];
  await writeX3asr(modelsOf(home), row, x3asrFiles(answers, cache));
}

/** Tokens of text; fewer and less sure ones only make texts that are rightly not believed. */
const WORDS = 3000;

/** Random weights: what it writes means nothing, but is the same every time. */
export function writeWhisper(home: Pick<Home, 'folder'>, key: string, language: string): void {
  const size: WhisperSize = { bands: 80, width: 64, layers: 2, vocabulary: WORDS + 12 + 1501, sure: 50 };
  const row = speechRow(key, 'whisper-tiny', language, { token_limit: { min: 24, per_second: 0, max: 24 } });
  writeFiles(home, row, {
    tokenizer: JSON.stringify(bytesTokenizer(WORDS)),
    encoder: onnxBytes(whisperEncoder(size)),
    decoder: onnxBytes(whisperDecoder(size)),
  });
}

const words = 'un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze'.split(' ');
const BLANK = 2;
const tokens = ['<unk>', '▁zéro', '<blk>', ...words.map((word) => `▁${word}`)];

export function writeParakeet(home: Pick<Home, 'folder'>, key: string, language: string): void {
  writeFiles(home, speechRow(key, 'parakeet-tdt-0.6b-v3', language, {}), {
    features: featuresGraph(),
    encoder: encoderGraph(),
    decoder_joint: jointGraph(tokens.length, BLANK, 0, 0),
    vocabulary: `${tokens.map((word, token) => `${word} ${token}`).join('\n')}\n`,
  });
}

/** A sound in which the small Parakeet reads these words, one every 0.4 s. */
export function notes(...said: readonly string[]): Float32Array {
  const step = 5 * 1280;
  // Loud enough to be detected as a voice, and transcribed as nothing.
  const sound = new Float32Array(said.length * step).fill(note(BLANK, 0));
  // However the frames lie, each has one note at most.
  for (const [at, word] of said.entries()) sound[at * step + 700] = note(tokens.indexOf(`▁${word}`), 4);
  return sound;
}

/** Hums at these two frequencies are two voices. */
export const hums = [400, 1500] as const;

/** What tells voices apart: a detector, a segmentation and a vector, like Silero, pyannote and WeSpeaker. */
export async function writeVoices(home: Pick<Home, 'folder'>): Promise<void> {
  const models = modelsOf(home);
  await writeVoice(models);
  await writeModel(models, segmentationRow('tiny-turns'), segmentationGraph(...hums));
  const clustering = { linkage: 'centroid', similarity: 0.752 } as const;
  const speaker = speakerRow('tiny-speaker', 'wespeaker-resnet34', { clustering, mean_removed: false });
  const { input, output } = speaker.speaker!;
  await writeModel(models, speaker, voiceGraph({ input, output, of: 'level' }));
}

/** Noise that is the same every time; its amplitude chooses what the x3asr models write. */
export function noiseOf(seconds: number, amplitude: number, seed = 1): Float32Array {
  let state = seed * 2654435761;
  return Float32Array.from({ length: seconds * RATE }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return amplitude * (state / 2 ** 31 - 1);
  });
}
