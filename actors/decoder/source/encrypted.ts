// Recognises a file in the MP4 family whose pictures or sound are encrypted: FFmpeg calls such a file
// damaged, or decodes none of its pictures.
import type { EngineError } from '../../../runtime/errors.ts';
import { mediaErrors } from '../contract.ts';
import { ByteSource } from './stills/byte-source.ts';

/** The protection schemes of ISO/IEC 23001-7, Apple's and Microsoft's. */
const schemes = ['cenc', 'cens', 'cbc1', 'cbcs', 'itun', 'piff'];
/** How much is looked at, at each end of the file; a header at the end follows the media. */
const LOOKED_AT = 4 * 2 ** 20;
/** From the name of a scheme type box to the scheme: version and flags lie between (ISO/IEC 14496-12). */
const SCHEME_AT = 8;

/** `error`, or in its place UNSUPPORTED_CODEC where the reason is that the file is encrypted. */
export async function orEncrypted(path: string, error: EngineError): Promise<EngineError> {
  const scheme = await encryptionScheme(path).catch(() => null);
  if (scheme === null) return error;
  return mediaErrors.UNSUPPORTED_CODEC(`${path}: is encrypted (${scheme})`, { path }, error);
}

/** For a film none of whose pictures came out. */
export function undecodable(path: string): Promise<EngineError> {
  const error = mediaErrors.DECODE_FAILED(`${path}: none of its pictures can be decoded`, { path });
  return orEncrypted(path, error);
}

/** Null where no scheme is named. Only to be asked where a file cannot be read: the bytes may be anything. */
function encryptionScheme(path: string): Promise<string | null> {
  return ByteSource.of(path, async (source) => {
    const head = await source.readUpTo(0, LOOKED_AT);
    if (!['ftyp', 'styp'].includes(head.toString('latin1', 4, 8))) return null;
    const tail = Math.max(0, source.size - LOOKED_AT);
    return schemeIn(head) ?? schemeIn(await source.readUpTo(tail, LOOKED_AT));
  });
}

function schemeIn(bytes: Buffer): string | null {
  for (let at = bytes.indexOf('schm'); at !== -1; at = bytes.indexOf('schm', at + 4)) {
    const scheme = bytes.toString('latin1', at + SCHEME_AT, at + SCHEME_AT + 4);
    if (schemes.includes(scheme)) return scheme;
  }
  return null;
}
