// How long a stream lasts when its container does not say: read through the packets, without decoding. Bounded.
import { type PacketTurn, packetCheckpoint } from '../source/packet-checkpoint.ts';
import type { Source } from '../source/source.ts';
import { ticks } from '../source/source.ts';
import { frameStep } from '../source/stream.ts';

/** Bytes read at most; what lies behind is estimated from what was read. */
const most = 4 * 1024 ** 3;

/** Seconds of the picture stream; null when it has no packets. Leaves the source at its end. Throws CANCELLED. */
export async function scanSeconds(source: Source, turn: PacketTurn): Promise<number | null> {
  const { video } = source;
  if (!video) return null;
  source.onlyVideo();
  const step = frameStep(video);
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
    if (bytes > most) break;
    await checkpoint();
  }
  if (packets === 0) return null;
  const counted = packets * step;
  const span = last >= first ? last - first + step : 0;
  const { num, den } = video.timeBase;
  // Raw streams have times for some packets at best; then the count is the better measure.
  return ((span > counted / 2 ? span : counted) * num) / den;
}
