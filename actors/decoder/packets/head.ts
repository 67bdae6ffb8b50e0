// Examines the start of the video stream: when its first picture is presented, and whether all packets have
// the timestamps that planning needs.

import type { Turn } from '../../../runtime/actor.ts';
import { createCheckpoint } from '../../../runtime/sync/checkpoint.ts';
import { mediaErrors } from '../contract.ts';
import { AVMEDIA_TYPE_AUDIO, noTimestamp, type Packet, type Stream, ticks } from '../ffmpeg.ts';
import { undecodable } from '../source/file.ts';
import { type PacketTurn, packetCheckpoint } from '../source/packet-checkpoint.ts';
import { openSource, type Source } from '../source/source.ts';
import { type PacketFacts, packetFacts } from './packet-facts.ts';
import { PictureDecoder } from './picture-decoder.ts';
import { type PictureReader, pictureReader } from './reference.ts';

export interface StreamHead {
  readonly video: Stream;
  readonly reader: PictureReader;
  /** PTS of the first presented picture, in ticks; null when no picture can be decoded near the start. */
  readonly start: number | null;
  /** True when every packet seen has a PTS. */
  readonly timed: boolean;
}

/** Packets examined, at most. */
const mostPackets = 600;

/**
 * Selects the video stream of a source and examines its first packets; they can be read again afterwards.
 * Errors: NO_PICTURE, UNSUPPORTED_CODEC, DECODE_FAILED, CANCELLED.
 */
export async function readHead(source: Source, turn: PacketTurn): Promise<StreamHead> {
  const { path, video } = source;
  if (!video) throw mediaErrors.NO_PICTURE(`${path}: has no picture`, { path });
  source.onlyVideo();
  const reader = pictureReader(source.codec, source.intraOnly, video.codecpar.extradata);
  const packets: Packet[] = [];
  try {
    const { first, facts } = await firstPackets(source, reader, packets, turn);
    const timed = facts.length > 0 && facts.every(({ pts }) => pts !== null);
    if (timed && first !== null && provesStart(facts, first)) return { video, reader, start: first, timed };
    const { start, isDecoded } = await firstDecoded(source, packets, turn);
    // Raw streams have pictures, and no times.
    if (!isDecoded && source.ended !== null && !timed) {
      throw await undecodable(path);
    }
    return { video, reader, start, timed };
  } finally {
    source.unread(packets);
  }
}

/**
 * Reads into `packets` until it is certain which shown picture is the earliest: as soon as as many later
 * pictures were read as the codec can reorder. `first`: its PTS, null when there is none.
 */
async function firstPackets(source: Source, reader: PictureReader, packets: Packet[], turn: PacketTurn) {
  const checkpoint = packetCheckpoint(turn);
  const facts: PacketFacts[] = [];
  let first: number | null = null;
  let later = 0;
  while (later <= reader.reorder && packets.length < mostPackets) {
    const packet = source.next();
    if (!packet) break;
    packets.push(packet);
    const fact = packetFacts(packet, reader);
    facts.push(fact);
    if (fact.shown && fact.pts !== null && (first === null || fact.pts < first)) first = fact.pts;
    const earliest = first ?? Number.POSITIVE_INFINITY;
    later = facts.filter(({ pts }) => pts !== null && pts > earliest).length;
    await checkpoint();
  }
  return { first, facts };
}

/** True when the earliest shown picture can certainly be decoded. */
function provesStart(facts: readonly PacketFacts[], first: number): boolean {
  const [entry] = facts;
  if (!entry || entry.entry === 'no' || entry.pts === null) return false;
  return entry.entry === 'closed' || first >= entry.pts;
}

/**
 * Decodes from the first packet on until a picture with a PTS comes out. `isDecoded`: one came out, with or
 * without.
 */
async function firstDecoded(source: Source, packets: Packet[], turn: PacketTurn) {
  const checkpoint = createCheckpoint(turn);
  const decoder = PictureDecoder.open(source);
  try {
    let start: number | null = null;
    let isDecoded = false;
    const see = (_frame: unknown, pts: number | null) => {
      isDecoded = true;
      start ??= pts;
    };
    for (let i = 0; i < mostPackets && start === null; i++) {
      const packet = packets[i] ?? source.next();
      if (!packet) break;
      if (i >= packets.length) packets.push(packet);
      decoder.send(packet, see);
      await checkpoint();
    }
    if (start === null) decoder.drain(see);
    return { start, isDecoded };
  } finally {
    decoder.close();
  }
}

// Time 0 of a file, from which grid seconds, sound and subtitles are counted: the first presented picture, or
// without pictures the first sample of the audio track that starts first.

type StartTurn = PacketTurn & Pick<Turn, 'reserve'>;

/**
 * Seconds on the clock of the streams. The read position of `source` does not change: the video stream is
 * examined through a second source. Throws CANCELLED.
 */
export async function timelineStart(source: Source, turn: StartTurn): Promise<number> {
  return (source.video && (await videoStart(source.path, turn))) ?? audioStart(source);
}

/** Null when no picture can be decoded: then there is no grid either. */
async function videoStart(path: string, turn: StartTurn): Promise<number | null> {
  const source = await openSource(path, { turn });
  try {
    const { video, start } = await readHead(source, turn);
    return start === null ? null : inSeconds(video, start);
  } catch (error) {
    if (mediaErrors.DECODE_FAILED.is(error) || mediaErrors.UNSUPPORTED_CODEC.is(error)) return null;
    throw error;
  } finally {
    source.close();
  }
}

function audioStart({ format }: Source): number {
  const starts = format.streams
    .filter(
      ({ codecpar, startTime }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO && startTime !== noTimestamp,
    )
    .map((stream) => inSeconds(stream, ticks(stream.startTime)!));
  return starts.length > 0 ? Math.min(...starts) : 0;
}

const inSeconds = ({ timeBase: { num, den } }: Stream, at: number) => (at * num) / den;
