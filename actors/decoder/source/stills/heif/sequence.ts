// Tells a sequence of HEIF or AVIF pictures, which is a film with tracks, from a still: both can be in one
// file.
import { ByteSource } from '../byte-source.ts';
import { topBoxes } from './items.ts';

/** Main brands of files that are meant to be shown as one still, whatever else they hold. */
const brands = ['avif', 'heic', 'heix', 'heim', 'heis', 'mif1', 'mif2', 'miaf', 'MiHB', 'MiHE'];

/** `start`: the first bytes of the file. Errors: FILE_UNREADABLE. */
export async function isSequence(path: string, start: Uint8Array): Promise<boolean> {
  if (brands.includes(Buffer.from(start.subarray(8, 12)).toString('latin1'))) return false;
  return ByteSource.of(path, async (source) => {
    for await (const { type } of topBoxes(source)) if (type === 'moov') return true;
    return false;
  });
}
