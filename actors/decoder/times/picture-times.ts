// When the pictures of a part of a film are shown, from its packets alone.
import type { Turn } from '../../../runtime/actor.ts';
import type { Request } from '../../../runtime/contract.ts';
import type { decoderContract } from '../contract.ts';
import { near, seekNear } from '../frames/seek.ts';
import { MomentGrid } from '../grid.ts';
import { readHead, type StreamHead } from '../packets/head.ts';
import { packetFacts } from '../packets/packet-facts.ts';
import { paceVaries, timesVary } from '../probe/pace.ts';
import { readFileStamp } from '../source/file.ts';
import { packetCheckpoint } from '../source/packet-checkpoint.ts';
import { openSource, type Source } from '../source/source.ts';
import { isStill } from '../source/still.ts';
import { pictureSeconds } from '../source/stream.ts';
import type { PictureTimes } from './contract.ts';

const none: PictureTimes = { varies: false, starts: [], end: null };

export async function pictureTimes(
  { path, from, to }: Request<typeof decoderContract, 'picture_times'>,
  turn: Turn,
): Promise<PictureTimes> {
  await readFileStamp(path);
  if (to <= from || (await isStill(path))) return none;
  turn.throwIfCancelled();
  const source = await openSource(path, { turn });
  try {
    if (!source.video) return none;
    const head = await readHead(source, turn);
    if (!head.timed) return none;
    const firstVary = paceVaries(source);
    const grid = new MomentGrid(head.video.timeBase, head.start ?? 0, [from]);
    if (from >= near) await seekNear({ source, reader: head.reader, grid, from: 0, turn }, head.start ?? 0);
    const length = pictureSeconds(source);
    const { shown, next } = await readShown(source, head, {
      first: grid.limit(0),
      to: grid.limit(0) + grid.ticks(to - from),
      turn,
    });
    if (shown.length === 0) return { ...none, varies: firstVary };
    const last = grid.seconds(shown.at(-1)!);
    // Pictures count more than what a header says: it may have been written before the last of them.
    const isHeld = shown.at(-1)! <= grid.limit(0);
    if (isHeld && next === null && length !== null && from >= length) return { ...none, varies: firstVary };
    return {
      varies: firstVary || timesVary(shown, head.video.timeBase.num / head.video.timeBase.den, true),
      starts: shown.map((at) => grid.seconds(at)),
      end: next !== null ? grid.seconds(next) : length !== null && length > last ? length : null,
    };
  } finally {
    source.close();
  }
}

interface Part {
  /** Ticks up to which a picture may begin that is shown at the start of the part. */
  readonly first: number;
  /** Ticks of the end of the part. */
  readonly to: number;
  readonly turn: Turn;
}

/**
 * PTS of the pictures of the part, ascending, and of the one after them; null when they are the last ones.
 */
async function readShown(source: Source, { reader }: StreamHead, { first, to, turn }: Part) {
  const checkpoint = packetCheckpoint(turn);
  const times: number[] = [];
  // Packets are stored in the order of decoding: what comes later may be shown earlier, by so many pictures.
  for (let later = 0; later <= reader.reorder; ) {
    const packet = source.next();
    if (!packet) break;
    const { pts, shown } = packetFacts(packet, reader);
    packet.free();
    if (shown && pts !== null) times.push(pts);
    if (shown && pts !== null && pts >= to) later++;
    await checkpoint();
  }
  const ascending = [...new Set(times)].sort((a, b) => a - b);
  const begin = ascending.findLastIndex((at) => at <= first);
  const end = ascending.findIndex((at) => at >= to);
  return {
    shown: ascending.slice(Math.max(0, begin), end < 0 ? undefined : end),
    next: end < 0 ? null : ascending[end]!,
  };
}
