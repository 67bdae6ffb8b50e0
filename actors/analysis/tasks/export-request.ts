// A request to export clips: its checks against the disk, and the form in which it is recorded.

import type { ExportRequest } from '../contract.ts';
import { type AnalysisRequest, analysisErrors } from '../contract.ts';
import { plainPath } from '../request.ts';
import { clipExport } from '../stages/clips/kind.ts';
import type { StageKind } from '../stages/kind.ts';
import { expectWritable } from './files.ts';

/** Throws INVALID_REQUEST, NOT_A_FOLDER, STORE_READ_ONLY; changes nothing. */
export async function checkExport({ clips, output_dir }: ExportRequest): Promise<void> {
  if (clips.length === 0) throw analysisErrors.INVALID_REQUEST('clips names none', { field: 'clips' });
  await expectWritable(output_dir, 'output_dir');
}

/** The folder that a task of exporting fills is the one it writes into. */
export function settledExport(
  kinds: readonly StageKind[],
  { output_dir, ...clips }: ExportRequest,
): AnalysisRequest {
  const nothing = Object.assign({}, ...kinds.map((kind) => kind.nothing));
  return {
    cache_dir: plainPath(output_dir),
    ...nothing,
    clip_export: clipExport(clips),
    force: false,
  } as AnalysisRequest;
}
