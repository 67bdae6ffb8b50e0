// Embeds pieces with a speaker model, in batches.
import { Fbank, wespeakerFbank } from '../../actors/acoustics/fbank.ts';
import { speakerEmbedderOf } from '../../actors/diarizer/speaker-embedder.ts';
import { findSpeakerRow } from '../../actors/models/registry.ts';
import { builtInRows } from '../../actors/models/rows/list.ts';
import { openSession } from '../../actors/models/session.ts';
import { createLog } from '../../runtime/log.ts';
import type { Piece } from './pieces.ts';
import type { Embedded } from './verification.ts';

/** A piece as models hear it: frames×80. */
export interface PieceFeatures extends Pick<Piece, 'voice' | 'words'> {
  readonly features: Float32Array;
}

export function featuresOf(pieces: readonly Piece[]): PieceFeatures[] {
  const fbank = new Fbank(wespeakerFbank);
  return pieces.map(({ voice, words, samples }) => ({ voice, words, features: fbank.whole(samples) }));
}

export interface PieceEmbedder {
  embed(pieces: readonly PieceFeatures[]): Promise<Embedded[]>;
  release(): Promise<void>;
}

/** `path`: an ONNX file with the ports of the starter speaker model. */
export async function openPieceEmbedder(path: string): Promise<PieceEmbedder> {
  const row = findSpeakerRow({ rows: builtInRows, problems: [] }, 'starter-speaker');
  const log = createLog('bench', () => {});
  const session = await openSession(path, { device: 'cpu', threads: 1, log });
  const { embed, batch } = speakerEmbedderOf(row, session, path);
  return {
    embed: async (pieces) => {
      const embeddings: Embedded[] = [];
      for (let from = 0; from < pieces.length; from += batch) {
        const some = pieces.slice(from, from + batch);
        const length = some[0]!.features.length;
        const data = new Float32Array(some.length * length);
        some.forEach(({ features }, at) => {
          data.set(features, at * length);
        });
        const vectors = await embed(data, some.length);
        const width = vectors.length / some.length;
        some.forEach(({ voice, words }, at) => {
          embeddings.push({ voice, words, vector: vectors.slice(at * width, (at + 1) * width) });
        });
      }
      return embeddings;
    },
    release: () => session.release(),
  };
}
