// Contents for routes of bytes: a file, or a text of the program; and the answer to a request for one.
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { extname } from 'node:path';
import { engineErrors } from '../../runtime/errors.ts';
import type { Content } from '../route.ts';
import { type ByteStream, plainError, type RawResponse } from './response.ts';

/** Bytes read of a file at a time: what one client that does not read on holds. */
const PIECE_BYTES = 256 * 1024;

export function contentOfText(text: string, type: string): Content {
  const bytes = Buffer.from(text);
  const etag = etagOf(bytes);
  return {
    type,
    size: bytes.length,
    etag,
    bytes,
    read: async (from, to) => bytes.subarray(from, to),
    close: async () => {},
  };
}

/**
 * A file, held open: another one that takes its name meanwhile is not mixed with it. Null when `isIt` says
 * that it is another one already, and for what is no file. Throws what `open` throws.
 */
export async function contentOfFile(
  path: string,
  type: string,
  isIt: (stats: BigIntStats) => boolean = () => true,
): Promise<Content | null> {
  // A pipe would block a thread until somebody writes into it.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await handle.stat({ bigint: true });
    if (stats.isFile() && isIt(stats)) return heldContent(handle, stats, path, type);
    await handle.close();
    return null;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function heldContent(
  handle: FileHandle,
  { dev, ino, size, mtimeNs }: BigIntStats,
  path: string,
  type: string,
): Content {
  return {
    type,
    size: Number(size),
    etag: `"${[dev, ino, size, mtimeNs].map((part) => part.toString(36)).join('-')}"`,
    read: async (from, to) => {
      const bytes = Buffer.allocUnsafe(Math.min(PIECE_BYTES, to - from));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
      if (bytesRead > 0) return bytes.subarray(0, bytesRead);
      throw engineErrors.INTERNAL(`${path} became shorter while it was being sent`, {});
    },
    close: () => handle.close(),
  };
}

// The answer to a request for a content: whole, a part, or that the client has it already.

interface ContentRequest {
  readonly method: string;
  readonly conditions: Conditions;
}

/**
 * `ended`: told once when all of a body was sent, or when it was given up. The content is *moved*: closed by
 * then.
 */
export async function contentAnswer(
  content: Content,
  { method, conditions }: ContentRequest,
  headers: Readonly<Record<string, string>>,
  ended: (sent: number, error?: unknown) => void,
): Promise<RawResponse> {
  const part = partOf(conditions, content, method === 'GET');
  const { status } = part;
  const named = [['ETag', content.etag], ['Accept-Ranges', 'bytes'], ...Object.entries(headers)] as const;
  if ((status === 200 || status === 304) && content.bytes) {
    const { type, bytes, etag } = content;
    await content.close();
    const described = [...heldHeaders(etag), ...Object.entries(headers)] as const;
    if (status === 304) return { status, headers: described, body: '' };
    return { status, headers: [['Content-Type', type], ...described], body: bytes, stays: true };
  }
  if (status === 200 || status === 206) {
    const range = `bytes ${part.from}-${part.to - 1}/${content.size}`;
    const all = status === 206 ? ([...named, ['Content-Range', range]] as const) : named;
    return {
      status,
      headers: [['Content-Type', content.type], ...all],
      body: streamOf(content, part, ended),
    };
  }
  await content.close();
  if (status === 304) return { status, headers: named, body: '' };
  if (status === 412) {
    return plainError(412, 'Precondition failed', 'The content is not the one that If-Match names', {
      ETag: content.etag,
    });
  }
  const message = `The content has ${content.size} bytes`;
  return plainError(416, 'Range not satisfiable', message, { 'Content-Range': `bytes */${content.size}` });
}

/** The tag is weak because the compressed form has the same one. */
export function heldHeaders(etag: string): readonly (readonly [string, string])[] {
  return [
    ['ETag', `W/${etag}`],
    ['Vary', 'Accept-Encoding'],
  ];
}

/** A strong entity tag of a text, quotes included. */
export function etagOf(text: string | Uint8Array): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}

function streamOf(
  content: Content,
  { from, to }: Part,
  ended: (sent: number, error?: unknown) => void,
): ByteStream {
  let at = from;
  return {
    length: to - from,
    next: async () => {
      const piece = await content.read(at, to);
      at += piece.length;
      return piece;
    },
    end: (sent, error) => {
      content.close().then(
        () => ended(sent, error),
        (second) => ended(sent, error ?? second),
      );
    },
  };
}

// Which part of a content a request asks for, and whether it has it already: RFC 9110, conditional and range
// requests.

/** The headers of a request that decide it; what is missing is empty. */
export interface Conditions {
  readonly range: string;
  readonly ifRange: string;
  readonly ifNoneMatch: string;
  readonly ifMatch: string;
}

/** Properties of a content for conditional requests. */
interface Validator {
  /** Bytes of the whole. */
  readonly size: number;
  /** A strong entity tag, quotes included: another one for every other content. */
  readonly etag: string;
}

/** Bytes [from, to) with this status. 304, 412 and 416 have none. */
interface Part {
  readonly status: 200 | 206 | 304 | 412 | 416;
  readonly from: number;
  readonly to: number;
}

/** `isGet`: a range is of GET alone. */
export function partOf(
  { range, ifRange, ifNoneMatch, ifMatch }: Conditions,
  of: Validator,
  isGet: boolean,
): Part {
  if (ifMatch !== '' && !isMatched(ifMatch, of.etag)) return { status: 412, from: 0, to: 0 };
  if (ifNoneMatch !== '' && isNamed(ifNoneMatch, of.etag)) return { status: 304, from: 0, to: 0 };
  const whole: Part = { status: 200, from: 0, to: of.size };
  // A date could be of another content of the same second, so it never matches.
  if (!isGet || range === '' || (ifRange !== '' && ifRange !== of.etag)) return whole;
  return rangeOf(range, of.size) ?? whole;
}

/**
 * Null for what is no single range of bytes: it is ignored, as the RFC allows for several ones. No two parts
 * of the expression match the same characters in turn: the time it takes would grow with the square of the
 * header.
 */
function rangeOf(header: string, size: number): Part | null {
  const [, first, last] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  const none: Part = { status: 416, from: 0, to: 0 };
  if (first === '') {
    const count = Math.min(size, Number(last));
    return count === 0 ? none : { status: 206, from: size - count, to: size };
  }
  const from = Number(first);
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last);
  if (end < from) return null;
  return from >= size ? none : { status: 206, from, to: Math.min(size, end + 1) };
}

/** Strong comparison: a weak tag names no bytes. */
function isMatched(header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim() === etag);
}

/** Weak comparison: what a cache between has marked as weak is the same content. */
export function isNamed(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

// Content types of media by the extensions of their names, as browsers know them.

const types: Readonly<Record<string, string>> = {
  '.aac': 'audio/aac',
  '.aif': 'audio/aiff',
  '.aiff': 'audio/aiff',
  '.avi': 'video/x-msvideo',
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.flac': 'audio/flac',
  '.gif': 'image/gif',
  '.heic': 'image/heic',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.jxl': 'image/jxl',
  '.m4a': 'audio/mp4',
  '.m4v': 'video/mp4',
  '.mkv': 'video/x-matroska',
  '.mov': 'video/quicktime',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.mpg': 'video/mpeg',
  '.mts': 'video/mp2t',
  '.mxf': 'application/mxf',
  '.oga': 'audio/ogg',
  '.ogg': 'audio/ogg',
  '.ogv': 'video/ogg',
  '.opus': 'audio/ogg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.ts': 'video/mp2t',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
};

export function mediaTypeOf(path: string): string {
  return types[extname(path).toLowerCase()] ?? 'application/octet-stream';
}
