// SFace: one face a run, 128 values; the graph normalises by itself, so its row has a mean of 0 and a scale of 1.
import { modelErrors } from '../../models/contract.ts';
import { arcfaceChip } from '../alignment/similarity.ts';
import type { EmbedderFamily } from './family.ts';
import { facePorts } from './graphs.ts';

export const sface: EmbedderFamily = {
  open(row, session, file) {
    const ports = facePorts(row, session, file, arcfaceChip);
    const { batch } = row.embedder;
    if (batch === 1) return { ...ports, batch };
    throw modelErrors.MODEL_INVALID(`"${row.key}": SFace takes one face in a run, not ${batch}`, {
      key: row.key,
    });
  },
};
