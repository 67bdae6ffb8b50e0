// Seeking: finds a random access point shortly before a wanted second, so that decoding does not start at the
// beginning of the file.
import { packetFacts } from '../packets/packet-facts.ts';
import type { PictureReader } from '../packets/reference.ts';
import { packetCheckpoint } from '../source/packet-checkpoint.ts';
import type { Source } from '../source/source.ts';
import type { GopWalkOptions } from './gop-walk.ts';

/** Seconds before the wanted one at which a seek is tried, one after the other. */
const margins = [0.5, 3, 15, 60];
/** Wanted seconds this near to the current position are reached by reading on. */
export const near = 2;
/** Packets read after a seek, at most, to find a random access point. */
const mostPackets = 1000;

type SeekOptions = Pick<GopWalkOptions, 'source' | 'reader' | 'grid' | 'from' | 'turn'>;

/** Like `seekNear`, to the last such point. */
export function seekExactly(options: SeekOptions, start: number): Promise<number | null> {
  return seekNear(options, start, [0, ...margins]);
}

/**
 * Seeks to a random access point from which the picture of second `from` can be decoded and returns its PTS
 * in ticks; null after going back to the start of the file. `start`: PTS of the first presented picture.
 */
export async function seekNear(
  options: SeekOptions,
  start: number,
  tried: readonly number[] = margins,
): Promise<number | null> {
  const { source, grid, from } = options;
  const limit = grid.limit(from);
  for (const margin of tried) {
    const before = limit - grid.ticks(margin);
    if (before <= start || !source.seek(before)) break;
    const entry = await nextEntry(options, limit);
    if (entry !== null) return entry;
  }
  source.rewind();
  return null;
}

/**
 * PTS of the next random access point when it is not after `limit`; else null. Packets before it are dropped.
 */
async function nextEntry(
  { source, reader, turn }: { source: Source; reader: PictureReader; turn: GopWalkOptions['turn'] },
  limit: number,
): Promise<number | null> {
  const checkpoint = packetCheckpoint(turn);
  for (let i = 0; i < mostPackets; i++) {
    const packet = source.next();
    if (!packet) return null;
    const { entry, pts, shown } = packetFacts(packet, reader);
    if (entry !== 'no' && pts !== null && shown) {
      source.unread([packet]);
      return pts <= limit ? pts : null;
    }
    packet.free();
    await checkpoint();
  }
  return null;
}
