// A request to export clips: its checks against the disk, and the form in which it is recorded.
import { codeOf } from '../../../runtime/files/error-code.ts';
import { clipErrors } from '../../decoder/clips/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import { type AnalysisRequest, analysisErrors, type ExportRequest } from '../contract.ts';
import { plainPath } from '../request.ts';
import { clipExport } from '../stages/clips/kind.ts';
import type { StageKind } from '../stages/kind.ts';
import { expectWritable } from './files.ts';

/** Throws INVALID_REQUEST, NOT_A_FOLDER, CLIP_UNWRITABLE; changes nothing. */
export async function checkExport({ clips, output_dir }: ExportRequest): Promise<void> {
  if (clips.length === 0) throw analysisErrors.INVALID_REQUEST('clips names none', { field: 'clips' });
  const field = 'output_dir';
  await expectWritable(output_dir, field).catch((error) => {
    const { STORE_READ_ONLY, STORE_FULL } = storeErrors;
    if (!STORE_READ_ONLY.is(error) && !STORE_FULL.is(error)) throw error;
    // It is no analysis folder.
    const why = codeOf((error as Error).cause);
    throw clipErrors.CLIP_UNWRITABLE(`${field} ${output_dir} cannot be written (${why})`, { field }, error);
  });
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
    // Who asks anew wants a clip tried that was left alone; a resume leaves it alone.
    force: true,
  } as AnalysisRequest;
}
