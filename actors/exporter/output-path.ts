// The path of a file that a request wants written: it is never written over, and what keeps it from being
// written is told of the field.
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { reasonOf } from '../../runtime/errors.ts';
import { expectAbove, type Refuse, saveNew } from '../../runtime/files/save-new.ts';
import { oneLine } from './rows.ts';

/** Output fields of a request that writes one file. */
export interface OutputFields {
  /** Absolute path of the file; left out where the answer has the document itself. */
  readonly output_path?: string | undefined;
  readonly create_folders?: boolean | undefined;
}

/**
 * The path names the file to write, not a folder to write into, and its folder is there. Before there is
 * anything to write.
 */
export async function expectOutput(
  { output_path, create_folders = false }: OutputFields,
  refuse: Refuse,
): Promise<void> {
  if (output_path === undefined) return;
  if (await isFolder(output_path)) throw refuse(`${output_path} is a folder; it must name the file to write`);
  await expectAbove(output_path, create_folders, refuse);
}

/** The path it got. */
export async function saveAt(path: string, content: Uint8Array, refuse: Refuse): Promise<string> {
  return saveNew(dirname(path), basename(path), content).catch((error) => {
    throw refuse(`${path} cannot be written: ${reasonOf(error)}`, error);
  });
}

/** An error here comes up again in the write, which reports it. */
async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

// Turns a display name into a file name that is valid on every system.

/** Bytes of a name: file systems allow 255, and a number and a suffix may follow. */
const MOST_BYTES = 200;

/**
 * Without path separators, characters and device names that Windows forbids, bidirectional controls and
 * spaces without width. `otherwise`: where nothing is left.
 */
export function safeName(text: string, otherwise = 'transcript'): string {
  const plain = oneLine(text)
    .normalize('NFC')
    .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g, '')
    .replace(/[<>:"/\\|?*]/g, '_')
    .replace(/^[. ]+|[. ]+$/g, '');
  const short = truncate(plain).replace(/[. ]+$/, '');
  if (short === '') return otherwise;
  return /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i.test(short)
    ? `_${short}`
    : short;
}

/** `name.txt`; one that has the suffix already does not get it twice. */
export function fileName(text: string, suffix: string, otherwise?: string): string {
  const name = safeName(text, otherwise);
  return name.toLowerCase().endsWith(`.${suffix}`) ? name : `${name}.${suffix}`;
}

/** Truncated between grapheme clusters. */
function truncate(text: string): string {
  if (Buffer.byteLength(text) <= MOST_BYTES) return text;
  let bytes = 0;
  let result = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > MOST_BYTES) break;
    result += segment;
  }
  return result;
}
