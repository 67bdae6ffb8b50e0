// A request to export clips: that there are some, and that the disk takes them.
import { codeOf } from '../../../runtime/files/error-code.ts';
import { expectAbove } from '../../../runtime/files/expect-above.ts';
import { clipErrors } from '../../decoder/clips/contract.ts';
import type { ClipsRequest } from '../../exporter/clips/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import { type AnalysisRequest, analysisErrors } from '../contract.ts';
import { plainPath } from '../request.ts';
import { clipExport } from '../stages/clips/kind.ts';
import { expectWritable } from './files.ts';
import type { OrderedJobs } from './ordered-jobs.ts';

/**
 * Throws INVALID_REQUEST, NOT_A_FOLDER, CLIP_UNWRITABLE. The folder that is filled is the one of the clips.
 */
export async function resolveClips({ output_dir, ...request }: ClipsRequest): Promise<OrderedJobs> {
  const { create_folders = false } = request;
  if (request.clips.length === 0) throw analysisErrors.INVALID_REQUEST('clips is empty', { field: 'clips' });
  const field = 'output_dir';
  await expectAbove(output_dir, create_folders, (what, cause) =>
    clipErrors.CLIP_UNWRITABLE(`${field}: ${what}`, { field }, cause),
  );
  await expectWritable(output_dir, field).catch((error) => {
    const { STORE_READ_ONLY, STORE_FULL } = storeErrors;
    if (!STORE_READ_ONLY.is(error) && !STORE_FULL.is(error)) throw error;
    // It is no analysis folder.
    const why = codeOf((error as Error).cause);
    throw clipErrors.CLIP_UNWRITABLE(`${field} ${output_dir} cannot be written (${why})`, { field }, error);
  });
  return { cache_dir: plainPath(output_dir), clip_export: clipExport(request) };
}

/** The same clips of the same sources in the same folder: whoever asks twice wants them once. */
export function clipKey({ cache_dir, clip_export }: AnalysisRequest): string | null {
  return clip_export ? JSON.stringify(['clips', cache_dir, clip_export]) : null;
}
