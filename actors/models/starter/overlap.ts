// The file of the detector of overlapping speech, a small network that train-overlap.py trains; it is
// committed.
import { fileURLToPath } from 'node:url';

export const overlapFile = {
  path: fileURLToPath(new URL('./overlap.onnx', import.meta.url)),
  sha256: '25f7b4ed56a62e2541a7b6f8b6131c3bcf29ff09e082aed9a9280ba5f8aaab9c',
} as const;
