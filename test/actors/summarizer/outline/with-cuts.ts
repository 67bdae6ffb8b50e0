// Pictures with the cuts that the index finds in their vectors.
import { lags, sceneStarts } from '../../../../actors/index/visual/scenes.ts';
import { distance } from '../../../../actors/summarizer/outline/channels.ts';
import type { PictureVectors } from '../../../../actors/summarizer/outline/summary-inputs.ts';

export function withCuts(pictures: Omit<PictureVectors, 'cuts'>): PictureVectors {
  const found = { ...pictures, cuts: [] };
  const rows = pictures.frames.length;
  const distances = Array.from({ length: lags }, (_, lag) =>
    Float32Array.from({ length: Math.max(0, rows - lag - 1) }, (_, i) => distance(found, i, i + lag + 1)),
  );
  const starts = sceneStarts(distances, new Float32Array(rows).fill(1), rows);
  return { ...found, cuts: starts.map((row) => pictures.frames[row]!) };
}
