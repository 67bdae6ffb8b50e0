// The first look into a picture stream: when its first picture is presented, and whether its packets say enough to
// plan with. Edit lists are applied by FFmpeg, which marks the packets they hide.

import { mediaErrors } from '../contract.ts';
import type { Packet } from '../ffmpeg.ts';
import type { Source } from '../source/source.ts';
import { type PacketFacts, packetFacts } from './packet-facts.ts';
import { PictureDecoder } from './picture-decoder.ts';
import { type PictureReader, pictureReader } from './reference.ts';

export interface Head {
  /** Ticks of the first presented picture; null when no picture can be decoded near the start. */
  readonly start: number | null;
  /** True when every packet seen has a presentation time. */
  readonly timed: boolean;
}

/** Packets looked at, at most. */
const farthest = 600;

/** What has to be known of a picture stream before any walk. Errors: NO_PICTURE, DECODE_FAILED. */
export function firstLook(source: Source) {
  const { path, video } = source;
  if (!video) throw mediaErrors.NO_PICTURE(`${path}: has no picture`, { path });
  source.onlyVideo();
  const reader = pictureReader(source.codec, source.intraOnly, video.codecpar.extradata);
  const head = readHead(source, reader);
  if (head.start === null && source.ended !== null && !head.timed) {
    throw mediaErrors.DECODE_FAILED(`${path}: none of its pictures can be decoded`, { path });
  }
  return { video, reader, head };
}

/** Looks at the first packets and gives them back to the source. */
export function readHead(source: Source, reader: PictureReader): Head {
  const packets: Packet[] = [];
  try {
    const facts: PacketFacts[] = [];
    let first = Number.POSITIVE_INFINITY;
    let after = 0;
    // As many pictures later than the earliest as can be shown before it prove that it is the earliest.
    while (after <= reader.reorder && packets.length < farthest) {
      const packet = source.next();
      if (!packet) break;
      packets.push(packet);
      const fact = packetFacts(packet, reader);
      facts.push(fact);
      if (fact.shown && fact.pts !== null && fact.pts < first) first = fact.pts;
      after = facts.filter(({ pts }) => pts !== null && pts > first).length;
    }
    const timed = facts.length > 0 && facts.every(({ pts }) => pts !== null);
    if (timed && first !== Number.POSITIVE_INFINITY && provesStart(facts, first))
      return { start: first, timed };
    return { start: firstDecoded(source, packets), timed };
  } finally {
    source.unread(packets);
  }
}

/** True when the earliest shown picture can certainly be decoded. */
function provesStart(facts: readonly PacketFacts[], first: number): boolean {
  const [entry] = facts;
  if (!entry || entry.entry === 'no' || entry.pts === null) return false;
  return entry.entry === 'closed' || first >= entry.pts;
}

/** Decodes from the first packet until a picture comes out. */
function firstDecoded(source: Source, packets: Packet[]): number | null {
  const decoder = PictureDecoder.open(source);
  try {
    let start: number | null = null;
    const see = (_frame: unknown, pts: number | null) => {
      start ??= pts;
    };
    for (let i = 0; i < farthest && start === null; i++) {
      const packet = packets[i] ?? source.next();
      if (!packet) break;
      if (i >= packets.length) packets.push(packet);
      decoder.send(packet, see);
    }
    if (start === null) decoder.drain(see);
    return start;
  } finally {
    decoder.close();
  }
}
