// ArcFace and its kin (InsightFace, AuraFace): several faces a run where the row allows it, normalised as the row says.
import { arcfaceChip } from '../alignment/similarity.ts';
import type { EmbedderFamily } from './family.ts';
import { facePorts } from './graphs.ts';

export const arcface: EmbedderFamily = {
  open: (row, session, file) => ({
    ...facePorts(row, session, file, arcfaceChip),
    batch: row.embedder.batch,
  }),
};
