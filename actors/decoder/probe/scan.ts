// The duration of a video stream when the container does not say: reads its packets without decoding them.
import { type PacketTurn, packetCheckpoint } from '../source/packet-checkpoint.ts';
import type { Source } from '../source/source.ts';
import { frameStep, mostSeconds } from '../source/stream.ts';
import { ticks } from '../source/ticks.ts';

/** Bytes read, at most: what follows is not counted. */
const mostBytes = 4 * 1024 ** 3;

/** Seconds; null when the stream has no packets. Leaves the source at its end. Throws CANCELLED. */
export async function scanSeconds(source: Source, turn: PacketTurn): Promise<number | null> {
  const { video } = source;
  if (!video) return null;
  source.onlyVideo();
  const step = frameStep(source);
  const checkpoint = packetCheckpoint(turn);
  let packets = 0;
  let bytes = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let packet = source.next(); packet; packet = source.next()) {
    packets++;
    bytes += packet.size;
    const at = ticks(packet.pts) ?? ticks(packet.dts);
    if (at !== null) {
      first = Math.min(first, at);
      last = Math.max(last, at);
    }
    packet.free();
    if (bytes > mostBytes) break;
    await checkpoint();
  }
  if (packets === 0) return null;
  const counted = packets * step;
  const span = last >= first ? last - first + step : 0;
  const { num, den } = video.timeBase;
  // In raw streams few packets have a time, if any; then their number is the better measure.
  return Math.min(mostSeconds(source), ((span > counted / 2 ? span : counted) * num) / den);
}
