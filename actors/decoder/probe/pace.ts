// Decides whether the pictures of a film come at equal times, by its first packets. Nothing is decoded.
import { type Packet, ticks } from '../ffmpeg.ts';
import type { Source } from '../source/source.ts';

/** Packets read, and bytes of them, at most. */
const mostPackets = 64;
const mostBytes = 8 * 1024 * 1024;
/**
 * Pictures that a packet may be stored before or after its place: at the end of what was read some are
 * missing.
 */
const reorder = 16;
/** Distances between pictures that are needed to say anything. */
const fewest = 8;
/** Seconds by which equal distances differ, because containers write milliseconds. */
const rounding = 0.002;
/** Most irregular times: the first picture of a file is often shown longer. */
const mostOdd = 1;

/** Reads packets, which can be read again afterwards. False too when the file does not say. */
export function paceVaries(source: Source): boolean {
  const { video } = source;
  if (!video) return false;
  const packets: Packet[] = [];
  for (let bytes = 0; packets.length < mostPackets && bytes < mostBytes; ) {
    const packet = source.next();
    if (!packet) break;
    bytes += packet.size;
    packets.push(packet);
  }
  const times = packets.map(({ pts }) => ticks(pts));
  const isWhole = source.ended !== null;
  source.unread(packets);
  const { num, den } = video.timeBase;
  return timesVary(times, num / den, isWhole);
}

/** `times`: in ticks, in the order of the file; `isWhole`: they are all there are. */
export function timesVary(times: readonly (number | null)[], tick: number, isWhole: boolean): boolean {
  const knownTimes = times.filter((time) => time !== null).sort((a, b) => a - b);
  if (knownTimes.length < times.length) return false;
  const complete = isWhole ? knownTimes : knownTimes.slice(0, -reorder);
  const steps = complete.slice(1).map((time, i) => (time - complete[i]!) * tick);
  if (steps.length < fewest) return false;
  const usual = steps.toSorted((a, b) => a - b)[steps.length >> 1]!;
  const most = Math.max(rounding, 1.5 * tick);
  return steps.filter((step) => Math.abs(step - usual) > most).length > mostOdd;
}
