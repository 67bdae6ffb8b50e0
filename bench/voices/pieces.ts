// Pieces of recorded voices to compare: as recorded, or each in a session of its own.
import { rate, type Voice } from '../diarization/compose.ts';
import { seeded } from '../diarization/random.ts';
import { drawSession, heardIn, sourceSamples } from './session.ts';
import { atTempo } from './tempo.ts';

export interface Piece {
  readonly voice: string;
  /** The words: pieces of the same words are never compared. */
  readonly words: string;
  /** *Owned.* All of one length. */
  readonly samples: Float32Array;
}

/** Disjoint pieces of every recording; its rest is left out. */
export function recordedPieces(voices: readonly Voice[], seconds: number): Piece[] {
  const size = seconds * rate;
  return voices.flatMap(({ name, pieces }) =>
    pieces.flatMap((samples, recording) =>
      Array.from({ length: Math.floor(samples.length / size) }, (_, at) => ({
        voice: name,
        words: `${recording}:${at}`,
        samples: samples.slice(at * size, (at + 1) * size),
      })),
    ),
  );
}

/** The fastest tempo of a session reads so much more than it says. */
const fastest = 1.08;

/** `copies`: sessions in which each piece is heard. The same seed gives the same pieces. */
export function sessionPieces(
  voices: readonly Voice[],
  seconds: number,
  { seed, copies }: { readonly seed: number; readonly copies: number },
): Piece[] {
  const size = seconds * rate;
  const spaced = Math.ceil(size * fastest);
  return voices.flatMap(({ name, pieces }, voice) =>
    pieces.flatMap((recording, number) =>
      Array.from({ length: Math.floor(recording.length / spaced) }, (_, at) =>
        Array.from({ length: copies }, (_, copy): Piece => {
          const random = seeded(
            Math.imul(seed, 0x9e3779b1) + voice * 1_000_003 + number * 10_007 + at * 101 + copy,
          );
          const session = drawSession(random);
          const from = at * spaced;
          const said = atTempo(
            recording.slice(from, from + sourceSamples(seconds, session.tempo)),
            session.tempo,
          );
          const samples = heardIn(session, said.slice(0, size), random, { noise: session.noise });
          return { voice: name, words: `${number}:${at}`, samples };
        }),
      ).flat(),
    ),
  );
}
