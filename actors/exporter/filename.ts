// A name that people gave as the name of a file, on every system. Pure.
import { oneLine } from './rows.ts';

/** Bytes of a name: file systems allow 255, and a number and a suffix may follow. */
const MOST_BYTES = 200;

/** Without folders, signs that Windows forbids, signs that turn the writing round, and the names of its devices. */
export function safeName(text: string): string {
  const plain = oneLine(text)
    .normalize('NFC')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[<>:"/\\|?*]/g, '_')
    .replace(/^[. ]+|[. ]+$/g, '');
  const short = cut(plain).replace(/[. ]+$/, '');
  if (short === '') return 'transcript';
  return /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i.test(short) ? `_${short}` : short;
}

/** `name.txt`; one that has the suffix already does not get it twice. */
export function fileName(text: string, suffix: string): string {
  const name = safeName(text);
  return name.toLowerCase().endsWith(`.${suffix}`) ? name : `${name}.${suffix}`;
}

/** Never half a character: what a person sees as one may be several. */
function cut(text: string): string {
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
