// Memory for the stills that FFmpeg reads. It is reserved before they are opened, because opening may decode them.
import type { Turn } from '../../../runtime/actor.ts';
import type { Size } from './coded-size.ts';
import { pictureOf, reserveFor } from './memory.ts';
import { ByteSource } from './stills/byte-source.ts';
import { codedHeader, codedHeaderLength } from './stills/coded-header.ts';
import { expectSize } from './stills/still.ts';

/** What decoding takes beside the picture and the file. */
const fixed = 8 * 2 ** 20;
/** Rows and columns by which a decoder may enlarge a picture to align it. */
const alignment = 128;
/** A still of a format whose header is not known here has this size at most; 4 bytes a px. */
const unknown: Size = { width: 4096, height: 4096 };

export interface CodedStillMemory {
  /** Pixels of the largest picture that may be decoded with it; FFmpeg refuses others. */
  readonly mostPixels: bigint;
  release(): void;
}

/** Waits until the still may be decoded. Errors: FILE_UNREADABLE, TOO_LARGE, CANCELLED. */
export async function reserveCodedStill(
  path: string,
  turn: Pick<Turn, 'reserve'>,
): Promise<CodedStillMemory> {
  const { header, fileBytes } = await ByteSource.of(path, async (source) => ({
    header: codedHeader(await source.readUpTo(0, codedHeaderLength), source.size),
    fileBytes: source.size,
  }));
  const { width, height } = header ?? unknown;
  if (header) expectSize(path, 'picture', header);
  const picture = header ? header.frameBytes + header.furtherBytes : 4 * width * height;
  // FFmpeg reads the whole file as one packet.
  const release = await reserveFor(pictureOf({ path, width, height }), fixed + fileBytes + picture, turn);
  return { mostPixels: BigInt((width + alignment) * (height + alignment)), release };
}
