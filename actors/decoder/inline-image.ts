// An image inside a request, as base64 or as a data URL.

/**
 * Letters of base64 that are looked at for the beginning of the image, and of what stands before them at
 * most.
 */
const HEAD = 1024;

/** The size of an image in base64 or in a data URL, of at most `most` bytes; or what is wrong with it. */
export function inlineImage(text: string, most: number): { readonly bytes: number } | string {
  if (/^\s*[a-z][a-z0-9+.-]*:\/\//i.test(text)) return 'must contain the image itself, not a remote URL';
  if (/^\s*data:/i.test(text)) {
    const comma = text.indexOf(',');
    // On a longer text the pattern could need too much memory.
    const head = comma < 0 || comma > HEAD ? '' : text.slice(0, comma);
    if (!/^\s*data:image\/[a-z0-9.+-]+(?:;[a-z0-9.+-]+=[^;,]*)*;base64$/i.test(head)) {
      return 'must be a data URL of the form data:image/...;base64,...';
    }
    if (/^\s*data:image\/svg/i.test(head)) return drawing;
  }
  const letters = lettersOf(text);
  if (letters === '') return 'contains no image';
  const [, digits, padding] = /^([A-Za-z0-9+/]*)(={0,2})$/.exec(letters) ?? [];
  const whole = digits !== undefined && digits.length % 4 !== 1;
  if (!whole || (padding !== '' && letters.length % 4 !== 0)) return 'is not base64';
  const bytes = Math.floor((digits.length * 3) / 4);
  if (bytes > most) return `has ${bytes} bytes, more than the maximum of ${most}`;
  return isDrawing(letters) ? drawing : { bytes };
}

/** The image itself. Only for a text without complaint. */
export function inlineBytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(lettersOf(text), 'base64'));
}

const drawing = 'is an SVG drawing, not a photo';

function lettersOf(text: string): string {
  const start = /^\s*data:/i.test(text) ? text.indexOf(',') + 1 : 0;
  return (start === 0 ? text : text.slice(start)).replace(/\s+/g, '');
}

function isDrawing(letters: string): boolean {
  const begin = Buffer.from(letters.slice(0, HEAD), 'base64').toString('latin1');
  return /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!doctype\s+svg|svg)/i.test(begin);
}
