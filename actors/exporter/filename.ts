// Turns a display name into a file name that is valid on every system.
import { oneLine } from './rows.ts';

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
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > MOST_BYTES) break;
    kept += segment;
  }
  return kept;
}
