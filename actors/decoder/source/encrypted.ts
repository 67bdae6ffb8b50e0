// Recognises a file in the MP4 family whose pictures or sound are encrypted: FFmpeg calls such a file
// damaged, or decodes none of its pictures.
import { open } from 'node:fs/promises';
import type { EngineError } from '../../../runtime/errors.ts';
import { mediaErrors } from '../contract.ts';

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
export async function encryptionScheme(path: string): Promise<string | null> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const head = await readAt(0);
    if (head.toString('latin1', 4, 8) !== 'ftyp' && head.toString('latin1', 4, 8) !== 'styp') return null;
    return schemeIn(head) ?? schemeIn(await readAt(Math.max(0, size - LOOKED_AT)));
  } finally {
    await file.close();
  }

  async function readAt(position: number): Promise<Buffer> {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(LOOKED_AT), position });
    return buffer.subarray(0, bytesRead);
  }
}

function schemeIn(bytes: Buffer): string | null {
  for (let at = bytes.indexOf('schm'); at !== -1; at = bytes.indexOf('schm', at + 4)) {
    const scheme = bytes.toString('latin1', at + SCHEME_AT, at + SCHEME_AT + 4);
    if (schemes.includes(scheme)) return scheme;
  }
  return null;
}
