// Embeds pieces with a speaker model, in batches.
import { Fbank, wespeakerFbank } from '../../actors/acoustics/fbank.ts';
import { speakerEmbedderOf } from '../../actors/diarizer/speaker-embedder.ts';
import { findSpeakerRow } from '../../actors/models/registry.ts';
import { builtInRows } from '../../actors/models/rows/list.ts';
import { openSession } from '../../actors/models/session.ts';
import { createLog } from '../../runtime/log.ts';
import type { Piece } from './pieces.ts';
import type { Embedded } from './verification.ts';

export interface PieceEmbedder {
  embed(pieces: readonly Piece[]): Promise<Embedded[]>;
  release(): Promise<void>;
}

/** `path`: an ONNX file with the ports of the starter speaker model. */
export async function openPieceEmbedder(path: string): Promise<PieceEmbedder> {
  const row = findSpeakerRow({ rows: builtInRows, problems: [] }, 'starter-speaker');
  const log = createLog('bench', () => {});
  const session = await openSession(path, { device: 'cpu', threads: 1, log });
  const { embed, batch } = speakerEmbedderOf(row, session, path);
  const fbank = new Fbank(wespeakerFbank);
  return {
    embed: async (pieces) => {
      const found: Embedded[] = [];
      for (let from = 0; from < pieces.length; from += batch) {
        const some = pieces.slice(from, from + batch);
        const features = some.map(({ samples }) => fbank.whole(samples));
        const length = features[0]!.length;
        const data = new Float32Array(some.length * length);
        features.forEach((one, at) => {
          data.set(one, at * length);
        });
        const vectors = await embed(data, some.length);
        const width = vectors.length / some.length;
        some.forEach(({ voice, words }, at) => {
          found.push({ voice, words, vector: vectors.slice(at * width, (at + 1) * width) });
        });
      }
      return found;
    },
    release: () => session.release(),
  };
}
