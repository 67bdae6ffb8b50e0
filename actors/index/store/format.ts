// The version of the format an analysis folder is written in.
import { storeErrors } from './contract.ts';
import type { Environment, Writes } from './environment.ts';
import { formatKey } from './names.ts';
import { Format, formatVersion } from './records.ts';
import { seal, unseal } from './table.ts';

/**
 * The environment itself. Throws STORE_TOO_NEW or STORE_TOO_OLD when another version wrote it, and closes it
 * then.
 */
export function checkFormat(environment: Environment, folder: string): Environment {
  const bytes = environment.get(formatKey);
  if (bytes === undefined) return environment;
  try {
    const { version } = unseal(Format, formatKey, bytes, environment.file);
    if (version > formatVersion) {
      throw storeErrors.STORE_TOO_NEW(
        `${folder} has format ${version}, but this program supports ${formatVersion}`,
        { folder, version },
      );
    }
    if (version < formatVersion) {
      throw storeErrors.STORE_TOO_OLD(
        `${folder} has the older format ${version}, which this program cannot read. Move the folder away, or choose another one with --cache-dir, and run framehound analyze on its media again`,
        { folder, version },
      );
    }
    return environment;
  } catch (error) {
    void environment.close();
    throw error;
  }
}

export function putFormat(writes: Writes): void {
  if (writes.get(formatKey) !== undefined) return;
  const format = { version: formatVersion, written_by: 'framehound' };
  writes.put(formatKey, seal(Format, formatKey, format));
}

/** For tests of other formats: the sealed format record of another version. */
export function formatRecord(version: number): Uint8Array {
  return seal(Format, formatKey, { version, written_by: 'framehound' });
}
