// An image inside a request, as base64 or as a data URL. Pure.
import { limits } from './limits.ts';

/** The size of an image in base64 or in a data URL; or what is wrong with it. */
export function inlineImage(text: string): { readonly bytes: number } | string {
  if (/^\s*[a-z][a-z0-9+.-]*:\/\//i.test(text)) return 'must hold the image itself, not a remote URL';
  let start = 0;
  if (/^\s*data:/i.test(text)) {
    const comma = text.indexOf(',');
    const head = comma < 0 ? '' : text.slice(0, comma);
    if (!/^\s*data:image\/[a-z0-9.+-]+(?:;[a-z0-9.+-]+=[^;,]*)*;base64$/i.test(head)) {
      return 'must be a data URL of the form data:image/...;base64,...';
    }
    start = comma + 1;
  }
  const letters = (start === 0 ? text : text.slice(start)).replace(/\s+/g, '');
  if (letters === '') return 'holds no image';
  const [, digits, padding] = /^([A-Za-z0-9+/]*)(={0,2})$/.exec(letters) ?? [];
  const whole = digits !== undefined && digits.length % 4 !== 1;
  if (!whole || (padding !== '' && letters.length % 4 !== 0)) return 'is not base64';
  const bytes = Math.floor((digits.length * 3) / 4);
  if (bytes > limits.imageBytes) return `has ${bytes} bytes, more than ${limits.imageBytes}`;
  return { bytes };
}
