// The network of dlib: faces of 150×150, cut nearer than those of ArcFace and further down; it normalises by itself.
import { dlibChip } from '../alignment/similarity.ts';
import type { EmbedderFamily } from './family.ts';
import { facePorts } from './graphs.ts';

export const dlib: EmbedderFamily = {
  open: (row, session, file) => ({ ...facePorts(row, session, file, dlibChip), batch: row.embedder.batch }),
};
