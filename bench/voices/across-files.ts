// How often two speakers of different files whose vectors are alike are one voice:
// `node bench/voices/across-files.ts`. The five voices of LibriSpeech test-other, whom no model here was
// trained on; each file has other words and a session of its own.
import { starterSpeakerFile, starterSpeakerPldaFile } from '../../actors/models/starter/speaker.ts';
import { rate, type Voice } from '../diarization/compose.ts';
import { errorsAt } from '../diarization/equal-error.ts';
import { readVoices } from '../diarization/librispeech.ts';
import { seeded } from '../diarization/random.ts';
import { featuresOf, openPieceEmbedder, type PieceEmbedder } from './embedding.ts';
import type { Piece } from './pieces.ts';
import { cosine, pldaScorerOf } from './scorer.ts';
import { drawSession, heardIn, sourceSamples } from './session.ts';
import { atTempo } from './tempo.ts';
import { type Embedded, verify } from './verification.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);
/** Windows as the diarizer embeds them. */
const [windowSeconds, hopSeconds] = [1.5, 0.75];
const copies = 3;

/** Sound of a voice in one file, recorded in a session of its own. */
function fileOf(voice: Voice, words: readonly number[], seconds: number, seed: number): Float32Array {
  const random = seeded(seed);
  const session = drawSession(random);
  const source = Float32Array.from(words.flatMap((at) => [...voice.pieces[at]!]));
  const said = atTempo(source.slice(0, sourceSamples(seconds, session.tempo)), session.tempo);
  return heardIn(session, said.slice(0, seconds * rate), random, { noise: session.noise });
}

/** Disjoint recordings that are long enough together. */
function filesOf(voice: Voice, seconds: number): number[][] {
  const files: number[][] = [];
  let [open, length] = [[] as number[], 0];
  for (const [at, { length: pieceLength }] of voice.pieces.entries()) {
    open.push(at);
    length += pieceLength;
    if (length < seconds * rate * 1.08) continue;
    files.push(open);
    [open, length] = [[], 0];
  }
  return files;
}

async function centroid(
  embedder: PieceEmbedder,
  sound: Float32Array,
  of: Omit<Piece, 'samples'>,
): Promise<Embedded> {
  const [size, hop] = [windowSeconds * rate, hopSeconds * rate];
  const pieces: Piece[] = [];
  for (let from = 0; from + size <= sound.length; from += hop) {
    pieces.push({ ...of, samples: sound.slice(from, from + size) });
  }
  const embedded = await embedder.embed(featuresOf(pieces));
  const sum = new Float32Array(embedded[0]!.vector.length);
  for (const { vector } of embedded) for (let k = 0; k < sum.length; k++) sum[k]! += vector[k]!;
  const length = Math.hypot(...sum);
  return { ...of, vector: sum.map((value) => value / length) };
}

/**
 * The part of files whose most alike file of other words is of the same voice, and of those the part above a
 * threshold.
 */
function first(files: readonly Embedded[], threshold: number) {
  let [right, suggested, rightSuggested] = [0, 0, 0];
  for (const file of files) {
    const others = files.filter(
      (candidate) => candidate.voice !== file.voice || candidate.words !== file.words,
    );
    const best = others.reduce((a, b) =>
      cosine(file.vector, b.vector) > cosine(file.vector, a.vector) ? b : a,
    );
    const isRight = best.voice === file.voice;
    if (isRight) right++;
    if (cosine(file.vector, best.vector) < threshold) continue;
    suggested++;
    if (isRight) rightSuggested++;
  }
  return {
    right: right / files.length,
    suggested: suggested / files.length,
    rightOf: rightSuggested / suggested,
  };
}

const voices = await readVoices('test-other', say);
const embedder = await openPieceEmbedder(starterSpeakerFile.path);
const plda = pldaScorerOf(starterSpeakerPldaFile.path);
const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
for (const seconds of [5, 10, 20]) {
  const files: Embedded[] = [];
  for (const [at, voice] of (voices ?? []).entries()) {
    for (const [file, words] of filesOf(voice, seconds).entries()) {
      for (let copy = 0; copy < copies; copy++) {
        const seed = 7 + at * 100_003 + file * 1009 + copy * 31 + seconds;
        const sound = fileOf(voice, words, seconds, seed);
        files.push(await centroid(embedder, sound, { voice: voice.name, words: String(file) }));
      }
    }
  }
  const { pairs, pooled } = verify(files, cosine);
  say(
    `${seconds} s: ${files.length} files, ${pairs.same.length} pairs of one voice, ${pairs.other.length} of two`,
  );
  say(
    `  equal error: cosine ${percent(pooled.rate)} at ${pooled.threshold.toFixed(3)}, PLDA ${percent(verify(files, plda).pooled.rate)}`,
  );
  for (const threshold of [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7]) {
    const { missed, confused } = errorsAt(pairs, threshold);
    const { suggested, rightOf, right } = first(files, threshold);
    say(
      `  ${threshold}: misses ${percent(missed)}, confuses ${percent(confused)}; the first suggestion is right ${percent(right)}, ` +
        `of the ${percent(suggested)} above it ${percent(rightOf)}`,
    );
  }
}
await embedder.release();
