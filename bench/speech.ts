// The cost of our decoding loop on top of Whisper's graphs. The same sound and as many tokens: a bare greedy
// loop over ready features against the family with features, time token rules, probabilities and checkpoints
// between tokens.
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { LogMel, melRate, whisperFrames } from '../actors/acoustics/mel.ts';
import type { SpeechRow } from '../actors/models/contract.ts';
import { whisperRows } from '../actors/models/rows/speech.ts';
import { type ModelSession, openSession, type TensorIn } from '../actors/models/session.ts';
import { onnxBytes } from '../actors/models/starter/graph/onnx.ts';
import { whisper } from '../actors/transcriber/whisper/family.ts';
import { createLog } from '../runtime/log.ts';
import { alternate, type Question, type Row } from './row.ts';
import { sized } from './size.ts';
import { type WhisperSize, whisperDecoder, whisperEncoder } from './whisper-graphs.ts';
import { bytesTokenizer } from './whisper-tokenizer.ts';

const threads = availableParallelism();
const seconds = 28;
/** The size of Whisper tiny: its decoder is the smallest, so the share of our loop is the largest. */
const tiny: WhisperSize = {
  bands: 80,
  width: sized(384, 64),
  layers: sized(4, 1),
  vocabulary: 51_865,
  sure: 200,
};
const WORDS = tiny.vocabulary - 1501 - 12;
/** Fewer than in a window of speech (about 100), so that the cost of a window weighs more. */
const TOKENS = sized(16, 4);

export const speech: Question = async (say, folder) => {
  await writeFile(join(folder, 'encoder'), onnxBytes(whisperEncoder(tiny)));
  await writeFile(join(folder, 'decoder'), onnxBytes(whisperDecoder(tiny)));
  await writeFile(join(folder, 'tokenizer'), JSON.stringify(bytesTokenizer(WORDS)));
  return await measure(folder, say);
};

async function measure(folder: string, say: (text: string) => void): Promise<Row[]> {
  say(
    `graphs of the size of Whisper tiny with random weights, ${threads} threads, ${TOKENS} tokens a window`,
  );
  const log = createLog('bench', () => {});
  const open = (path: string) => openSession(path, { device: 'cpu', threads, log });
  let runs = 0;
  const counting = async (path: string | Uint8Array): Promise<ModelSession> => {
    const session = await open(String(path));
    const run: ModelSession['run'] = (feeds, fetch) => {
      runs += 1;
      return session.run(feeds, fetch);
    };
    return { ...session, run };
  };
  const like = whisperRows[0] as SpeechRow;
  const token_limit = { min: TOKENS, per_second: 0, max: TOKENS };
  const row = { ...like, languages: ['en'], speech: { ...like.speech, token_limit } };
  const family = await whisper.open(
    row,
    (role) => join(folder, role),
    counting,
    async () => {},
  );
  const samples = sound();
  const window = { samples, speech: [[0, samples.length]] as const };
  const checkpoint = async () => void (await eventLoopTurn());
  const bare = await bareLoop(
    await open(join(folder, 'encoder')),
    await open(join(folder, 'decoder')),
    samples,
  );
  runs = 0;
  await family.transcribe([window], 'en', checkpoint);
  // One run is the encoder's; a text may be decoded several times, at higher temperatures.
  const steps = runs - 1;
  const attempts = Math.round(steps / TOKENS);
  say(`${steps} runs of the decoder in ${attempts} texts`);
  const speed = await alternate(5, {
    bare: () => perSecond(steps, () => bare.run(attempts, steps / attempts)),
    ours: () => perSecond(steps, () => family.transcribe([window], 'en', checkpoint)),
  });
  await family.close();
  await bare.close();
  return [
    {
      question: 'speech',
      name: 'Whisper, features and rules included',
      value: speed.ours,
      unit: 'tokens/s',
      against: { name: 'bare loop over the graphs', value: speed.bare },
      ratio: speed.ours / speed.bare,
      goal: { of: 'ratio', at: 'least', than: 0.9 },
    },
  ];
}

function sound(): Float32Array {
  let state = 7;
  return Float32Array.from({ length: seconds * melRate }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}

async function bareLoop(encoder: ModelSession, decoder: ModelSession, samples: Float32Array) {
  const features: TensorIn = {
    data: new LogMel(80).padded(samples).data,
    dims: [1, tiny.bands, whisperFrames],
  };
  const pasts = decoder.inputs
    .filter(({ name }) => name.startsWith('past_key_values'))
    .map(({ name }) => name);
  const empty: TensorIn = { data: new Float32Array(0), dims: [1, tiny.width / 64, 0, 64] };
  const text = async (hidden: TensorIn, steps: number) => {
    const feeds: Record<string, TensorIn> = { encoder_hidden_states: hidden };
    for (const name of pasts) feeds[name] = empty;
    let tokens = [WORDS + 1, WORDS + 2, WORDS + 7];
    for (let step = 0; step < steps; step += 1) {
      feeds['input_ids'] = { data: BigInt64Array.from(tokens, BigInt), dims: [1, tokens.length] };
      feeds['use_cache_branch'] = { data: Uint8Array.of(step === 0 ? 0 : 1), dims: [1], type: 'bool' };
      const results = await decoder.run(feeds);
      const logits = results['logits']!.data as Float32Array;
      tokens = [likeliest(logits.subarray((tokens.length - 1) * tiny.vocabulary))];
      for (const name of pasts) {
        if (step === 0 || name.includes('.decoder.'))
          feeds[name] = results[name.replace('past_key_values', 'present')]!;
      }
    }
  };
  return {
    run: async (attempts: number, steps: number) => {
      const { last_hidden_state } = await encoder.run({ input_features: features });
      for (let attempt = 0; attempt < attempts; attempt += 1) await text(last_hidden_state!, steps);
    },
    close: async () => {
      await encoder.release();
      await decoder.release();
    },
  };
}

function likeliest(logits: Float32Array): number {
  let best = 0;
  for (let at = 1; at < logits.length; at += 1) if (logits[at]! > logits[best]!) best = at;
  return best;
}

async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (count / (performance.now() - start)) * 1000;
}
