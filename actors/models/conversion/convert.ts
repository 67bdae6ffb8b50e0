// Conversions of files of a package into what is kept, in a thread of their own: a large graph takes a
// second.

import { createPool } from '../../../runtime/pool.ts';
import { moduleUrl } from '../../../runtime/process/program.ts';
import { modelErrors } from '../contract.ts';
import type { Conversion } from '../model-file.ts';

export interface ConversionTask {
  readonly conversion: Conversion;
  /** In the order in which the row names them. */
  readonly files: readonly Uint8Array[];
}

/**
 * `name`: what errors begin with. Throws CONVERSION_FAILED, saying what is wrong with the files, and
 * CANCELLED. *New memory.*
 */
export async function convertFiles(
  name: string,
  conversion: Conversion,
  files: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const pool = createPool<ConversionTask, Uint8Array>({
    module: moduleUrl('./in-thread', import.meta.url),
    name: 'convert',
    threads: 1,
    mostMegabytes: 2048,
  });
  try {
    return await pool.run({ conversion, files }, signal);
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw modelErrors.CONVERSION_FAILED(`${name} cannot be converted: ${reason}`, { file: name }, error);
  } finally {
    await pool.close();
  }
}
