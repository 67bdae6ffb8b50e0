// Reads the packets around a clip, without decoding: which pictures are in it, and in which groups they lie.

import { AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_FLAG_CORRUPT, type Packet } from '../../ffmpeg.ts';
import { near, seekNear } from '../../frames/seek.ts';
import { MomentGrid } from '../../grid.ts';
import type { StreamHead } from '../../packets/head.ts';
import { packetFacts } from '../../packets/packet-facts.ts';
import { packetCheckpoint } from '../../source/packet-checkpoint.ts';
import { frameStep } from '../../source/stream.ts';
import { clipErrors } from '../contract.ts';
import { ClipFrameRange, frameRangeOf } from '../frame-range.ts';
import type { CutOptions } from '../picture-cut.ts';
import { type AvcSets, changesSets, isFramed } from './end-encoder.ts';
import type { PictureGroup, Scanned, SourceFrame } from './plan.ts';

/** Parts of a clip, in ticks of the stream. */
export interface ScannedClip extends Scanned {
  /** Where it starts and ends. */
  readonly origin: number;
  readonly ending: number;
}

/**
 * Goes to the last random access point before a moment, in seconds from the first picture. Its presentation
 * time in ticks; null at the first packet of the file.
 */
export async function goTo({ source, head, turn }: CutOptions, seconds: number): Promise<number | null> {
  const zero = head.start ?? 0;
  if (seconds < near) {
    source.rewind();
    return null;
  }
  const grid = new MomentGrid(head.video.timeBase, zero, [seconds]);
  return seekNear({ source, reader: head.reader, grid, from: 0, turn }, zero);
}

/** Errors: CLIP_OUTSIDE, CLIP_NOT_SMART, CANCELLED. */
export async function scan(options: CutOptions, sets: AvcSets): Promise<ScannedClip> {
  const { source, head, turn, start, end } = options;
  const { path, video } = source;
  const entry = await goTo(options, start);
  const range = frameRangeOf(video!.timeBase, { zero: head.start ?? 0, start, end, step: frameStep(source) });
  const clip = new ClipScan(new ClipFrameRange(range, () => {}), entry);
  const groups = new GroupReader(head, sets);
  const checkpoint = packetCheckpoint(turn);
  // A picture is decoded at most so many pictures before one that is shown earlier.
  for (let later = 0; later <= head.reader.reorder; ) {
    await checkpoint();
    const packet = source.next();
    if (!packet) break;
    try {
      const at = groups.read(packet, path);
      if (at > range.end) later++;
    } finally {
      packet.free();
    }
    for (const group of groups.ready()) clip.add(group);
  }
  clip.add(groups.rest());
  return clip.finish(groups.lastLength || frameStep(source), path, start);
}

/** Puts pictures in order of presentation, and finds those of the clip. */
class ClipScan {
  readonly #range: ClipFrameRange<number>;
  readonly #entry: number | null;
  readonly #frames: SourceFrame[] = [];
  readonly #groups: PictureGroup[] = [];

  constructor(range: ClipFrameRange<number>, entry: number | null) {
    this.#range = range;
    this.#entry = entry;
  }

  add({ group, shown }: ReadGroup) {
    const entry = this.#entry ?? Number.NEGATIVE_INFINITY;
    this.#groups.push(group);
    for (const at of [...shown].sort((a, b) => a - b)) {
      // Pictures shown before the first decoded packet depend on pictures that were not read.
      if (at < entry || this.#range.ending !== null) continue;
      const frame = this.#range.push(at, at);
      if (frame) this.#frames.push(frame);
    }
  }

  finish(length: number, path: string, start: number): ScannedClip {
    const range = this.#range;
    const last = range.finish(length);
    if (last) this.#frames.push(last);
    const { origin, ending, isCut } = range;
    if (origin === null || ending === null) {
      throw clipErrors.CLIP_OUTSIDE(`${path}: has no picture at ${start} s`, { path });
    }
    return { groups: this.#groups, frames: this.#frames, isCut, origin, ending };
  }
}

interface ReadGroup {
  readonly group: PictureGroup;
  /** Times of those that are shown. */
  readonly shown: readonly number[];
}

class GroupReader {
  readonly #head: StreamHead;
  readonly #sets: AvcSets;
  #order: number[] = [];
  #shown: number[] = [];
  #flaw: string | null = 'it begins before the first keyframe';
  readonly #ready: ReadGroup[] = [];
  #last = Number.NEGATIVE_INFINITY;
  /** Ticks that the picture shown last says it is shown; 0 when it does not. */
  lastLength = 0;

  constructor(head: StreamHead, sets: AvcSets) {
    this.#head = head;
    this.#sets = sets;
  }

  /** Ticks at which the picture of a packet, *borrowed*, is shown. */
  read(packet: Packet, path: string): number {
    const { data } = packet;
    const { pts, shown, entry } = packetFacts(packet, this.#head.reader);
    if (pts === null || !data) throw clipErrors.CLIP_NOT_SMART('packets have no times', { path });
    const isWhole = (packet.flags & AV_PKT_FLAG_CORRUPT) === 0 && isFramed(data, this.#sets.framing);
    if ((isWhole && changesSets(data, this.#sets)) || packet.getSideData(AV_PKT_DATA_NEW_EXTRADATA)) {
      throw clipErrors.CLIP_NOT_SMART('the parameters of the pictures change', { path });
    }
    if (entry === 'closed') this.#begin();
    if (!shown) this.#flaw ??= 'an edit list hides pictures';
    if (!isWhole) this.#flaw ??= 'a packet is damaged';
    this.#order.push(pts);
    if (!shown) return pts;
    this.#shown.push(pts);
    if (pts > this.#last) {
      this.#last = pts;
      this.lastLength = Number(packet.duration);
    }
    return pts;
  }

  /** Groups that are complete. */
  ready(): ReadGroup[] {
    return this.#ready.splice(0);
  }

  rest(): ReadGroup {
    return { group: { order: this.#order, flaw: this.#flaw }, shown: this.#shown };
  }

  #begin() {
    if (this.#order.length > 0) this.#ready.push(this.rest());
    this.#order = [];
    this.#shown = [];
    this.#flaw = null;
  }
}
