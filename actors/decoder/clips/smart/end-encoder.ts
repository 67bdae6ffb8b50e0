// The encoder of the pictures at one end of a smart clip: H.264 that the same reader takes as the packets
// between the ends.
import {
  AV_PICTURE_TYPE_NONE,
  type CodecContext,
  type Frame,
  type Packet,
  type Stream,
} from '../../ffmpeg.ts';
import type { TimeBase } from '../../grid.ts';
import { H264FieldReader } from '../../packets/bitstream/h264-field.ts';
import { BitReader, eachNal, type NalFraming, nalFraming } from '../../packets/bitstream/nal.ts';
import type { Source } from '../../source/source.ts';
import { type ClipFile, type EncodedInto, Encoder } from '../clip-file.ts';
import { clipErrors } from '../contract.ts';
import { describePictures, keyframeDistance, pictureShape, quality } from '../picture-encoder.ts';

// The configuration record of H.264 in mp4 (avcC; ISO/IEC 14496-15, 5.3.3.1) with parameter sets of two
// encoders, and packets in the framing that it announces.

const SPS = 7;
const PPS = 8;
const DELIMITER = 9;
/**
 * Types of units that hold coded pictures, or parts of them, are up to it; those of H.264 up to the other.
 */
const lastCoded = 5;
const lastType = 23;
/** Numbers of sequence parameters are below it. */
const sequenceNumbers = 32;
/** Baseline, Main, High, and High for more bits or chroma, which may hold 8 bits and 4:2:0 too. */
const profiles = [66, 77, 100, 110, 122];
const high = 100;

export interface AvcSets {
  /** NAL units without framing. */
  readonly sequences: readonly Buffer[];
  readonly pictures: readonly Buffer[];
  readonly framing: NalFraming;
}

/** The parameter sets in extradata, a record or a byte stream. Null where they do not add up. */
export function avcSets(extradata: Uint8Array | null): AvcSets | null {
  if (!extradata || extradata.length < 7) return null;
  const framing = nalFraming(extradata, 4);
  const units = framing === 0 ? unitsOf(extradata, 0) : recordUnits(extradata);
  const sequences = units?.filter((unit) => typeOf(unit) === SPS) ?? [];
  const pictures = units?.filter((unit) => typeOf(unit) === PPS) ?? [];
  const isWhole = sequences.length > 0 && pictures.length > 0 && sequences.every(({ length }) => length > 4);
  return isWhole ? { sequences, pictures, framing } : null;
}

function recordUnits(record: Uint8Array): Buffer[] | null {
  const units: Buffer[] = [];
  let at = 5;
  for (const mask of [31, 255]) {
    if (at >= record.length) return null;
    for (let remainingUnits = record[at++]! & mask; remainingUnits > 0; remainingUnits--) {
      const end = at + 2 + (record[at] ?? 0) * 256 + (record[at + 1] ?? 0);
      if (end > record.length || end === at + 2) return null;
      units.push(Buffer.from(record.subarray(at + 2, end)));
      at = end;
    }
  }
  return units;
}

/** Without the zeros between units of a byte stream. Empty where the framing does not add up. */
function unitsOf(data: Uint8Array, framing: NalFraming): Buffer[] {
  const units: Buffer[] = [];
  const isWhole = eachNal(data, framing, (start, end) => {
    const last =
      framing === 0 ? data.subarray(start, end).findLastIndex((byte) => byte !== 0) : end - start - 1;
    if (last >= 0) units.push(Buffer.from(data.subarray(start, start + last + 1)));
    return true;
  });
  return isWhole ? units : [];
}

const typeOf = (unit: Uint8Array) => unit[0]! & 31;

/** The number of a parameter set among those of its type. */
const numberOf = (unit: Uint8Array) =>
  new BitReader(unit, typeOf(unit) === SPS ? 4 : 1, unit.length).golomb();

/** Why pictures with these parameters cannot be joined with others; null when they can. */
export function unjoinable({ sequences }: AvcSets, extradata: Uint8Array): string | null {
  if (sequences.length > 1) return 'the file has several sequence parameter sets';
  const profile = sequences[0]![1]!;
  if (!profiles.includes(profile)) return `H.264 profile ${profile}`;
  if (H264FieldReader.open(extradata)) return 'pictures may be interlaced';
  return null;
}

/** The name x264 has for the profile that all readers of the source understand. */
export function profileOf({ sequences }: AvcSets): string {
  const profile = sequences[0]![1]!;
  return profile === 66 ? 'baseline' : profile === 77 ? 'main' : 'high';
}

/**
 * A number for sequence and picture parameters of an encoder that the source has not; null when there is
 * none.
 */
export function freeNumber({ sequences, pictures }: AvcSets): number | null {
  const takenNumbers = new Set([...sequences, ...pictures].map(numberOf));
  // Numbers from 1 on: some encoders take 0 for "not given".
  const free = Array.from({ length: sequenceNumbers - 1 }, (_, i) => i + 1).find((n) => !takenNumbers.has(n));
  return free ?? null;
}

/** True when no set of the one has the number of a set of the other. */
export function areApart(first: AvcSets, second: AvcSets): boolean {
  const areDisjoint = (a: readonly Buffer[], b: readonly Buffer[]) => {
    const numbers = new Set(a.map(numberOf));
    return b.every((unit) => !numbers.has(numberOf(unit)));
  };
  return areDisjoint(first.sequences, second.sequences) && areDisjoint(first.pictures, second.pictures);
}

/**
 * One record with the sets of all, whose units have lengths of four bytes. Pictures are of 8 bits and 4:2:0.
 */
export function avcRecord(all: readonly AvcSets[]): Buffer {
  const sequences = all.flatMap((sets) => sets.sequences);
  const pictures = all.flatMap((sets) => sets.pictures);
  const profile = Math.max(...sequences.map((unit) => unit[1]!));
  // Flags say what all of them keep to.
  const compatibility = sequences.reduce((flags, unit) => flags & unit[2]!, 255);
  const level = Math.max(...sequences.map((unit) => unit[3]!));
  return Buffer.concat([
    Buffer.from([1, profile, compatibility, level, 0xfc | 3, 0xe0 | sequences.length]),
    ...sequences.map(withShortLength),
    Buffer.from([pictures.length]),
    ...pictures.map(withShortLength),
    ...(profile >= high ? [Buffer.from([0xfc | 1, 0xf8, 0xf8, 0])] : []),
  ]);
}

function withShortLength(unit: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(unit.length);
  return Buffer.concat([length, unit]);
}

/**
 * The units of a packet with lengths of four bytes; the packet itself when it has those already. Of a byte
 * stream, delimiters and parameter sets are left out, which mp4 has elsewhere. Null where the framing does
 * not add up.
 */
export function withLengths(data: Buffer, framing: NalFraming): Buffer | null {
  if (framing === 4) return data;
  const units = unitsOf(data, framing).filter(
    (unit) => framing > 0 || ![SPS, PPS, DELIMITER].includes(typeOf(unit)),
  );
  if (units.length === 0) return null;
  const parts = units.flatMap((unit) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(unit.length);
    return [length, unit];
  });
  return Buffer.concat(parts);
}

/** True when a packet brings a parameter set that is not among the known ones. */
export function changesSets(data: Uint8Array, { sequences, pictures, framing }: AvcSets): boolean {
  let isChanged = false;
  eachNal(data, framing, (start, end) => {
    const type = data[start]! & 31;
    if (type === SPS || type === PPS) {
      const unit = Buffer.from(data.buffer, data.byteOffset + start, end - start);
      const last = unit.findLastIndex((byte) => byte !== 0);
      const content = unit.subarray(0, last + 1);
      isChanged ||= !(type === SPS ? sequences : pictures).some((knownUnit) =>
        trimmed(knownUnit).equals(content),
      );
    }
    // Sets come before the first part of a picture.
    return type === 0 || type > lastCoded;
  });
  return isChanged;
}

/** False for a packet whose framing is damaged. A byte stream has none that could be. */
export function isFramed(data: Uint8Array, framing: NalFraming): boolean {
  if (framing === 0) return true;
  let isKnown = true;
  let hasPicture = false;
  const isWhole = eachNal(data, framing, (start) => {
    // The highest bit is always 0.
    const type = data[start]! & 0x80 ? 0 : data[start]! & 31;
    isKnown &&= type >= 1 && type <= lastType;
    hasPicture ||= type <= lastCoded;
    return isKnown;
  });
  return isWhole && isKnown && hasPicture;
}

const trimmed = (unit: Buffer) => unit.subarray(0, unit.findLastIndex((byte) => byte !== 0) + 1);

/** FFmpeg's name. */
export const endEncoder = 'libx264';

export interface EndEncoderOptions {
  readonly source: Source;
  readonly sets: AvcSets;
  readonly base: TimeBase;
  readonly joined: JoinedStream;
}

/** One picture to encode; times in ticks of the clip. */
interface Shown {
  readonly shown: number;
  readonly length: number;
}

export class EndEncoder {
  readonly #encoder: Encoder;
  readonly #lengths = new Map<bigint, bigint>();

  /** `first`: *borrowed*. Errors: CLIP_NOT_SMART, CLIP_UNWRITABLE. */
  constructor(options: EndEncoderOptions, first: Frame) {
    const { source, sets, base, joined } = options;
    const number = freeNumber(sets);
    if (number === null) throw clipErrors.CLIP_NOT_SMART('the file uses all numbers of parameters');
    const shape = pictureShape(source, source.video!, base, first);
    this.#encoder = new Encoder(joined, {
      name: endEncoder,
      options: {
        ...quality,
        profile: profileOf(sets),
        bf: '0',
        g: String(keyframeDistance(shape)),
        'x264-params': `sps-id=${number}`,
      },
      prepare: (context) => {
        describePictures(context, shape);
        context.pixelFormat = first.format as typeof context.pixelFormat;
        context.threadCount = 0;
      },
    });
  }

  /**
   * Encodes a picture, *borrowed*, and changes its times. Throws CLIP_NOT_SMART for one of another size or
   * format.
   */
  encode(frame: Frame, { shown, length }: Shown) {
    const { context } = this.#encoder;
    const { width, height, format } = frame;
    if (width !== context.width || height !== context.height || format !== context.pixelFormat) {
      throw clipErrors.CLIP_NOT_SMART('the size of the pictures changes');
    }
    frame.pts = BigInt(shown);
    frame.duration = BigInt(length);
    // The type the source had would be forced on the encoder.
    frame.pictType = AV_PICTURE_TYPE_NONE;
    this.#lengths.set(frame.pts, frame.duration);
    this.#encode(frame);
  }

  /** Writes what is left. */
  finish() {
    this.#encode(null);
  }

  close() {
    this.#encoder.close();
  }

  #encode(frame: Frame | null) {
    this.#encoder.encode(frame, (packet) => {
      packet.duration = this.#lengths.get(packet.pts) ?? 1n;
      this.#lengths.delete(packet.pts);
    });
  }
}

// The video stream of a smart clip: packets of encoders and of the source, with one record of all parameter
// sets, on one clock of decoding. Owns nothing.

interface JoinedOptions {
  readonly file: ClipFile;
  readonly source: Stream;
  /** Parameter sets of the source. */
  readonly sets: AvcSets;
  readonly base: TimeBase;
  /** Ticks by which packets are decoded before they are shown, at most. */
  readonly delay: number;
}

/** Times of one packet, in ticks of the clip. */
interface PacketTimes {
  readonly shown: number;
  /** Without the delay. */
  readonly decoded: number;
  readonly length: number;
}

export class JoinedStream implements EncodedInto {
  readonly #options: JoinedOptions;
  #stream: Stream | null = null;
  #encoded: AvcSets | null = null;

  constructor(options: JoinedOptions) {
    this.#options = options;
  }

  get format() {
    return this.#options.file.format;
  }

  must(result: number, doing: string): number {
    return this.#options.file.must(result, doing);
  }

  /** Without any picture that is encoded. */
  open() {
    const { file, source, sets, base } = this.#options;
    this.#stream = file.joinedStream(source, avcRecord([sets]), base);
  }

  /**
   * Makes the stream for the first encoder; the others have to write the same parameters. Throws
   * CLIP_NOT_SMART.
   */
  encodedStream(context: CodecContext): Stream {
    const { file, source, sets, base } = this.#options;
    const encoderSets = avcSets(context.extraData);
    if (!encoderSets || !areApart(encoderSets, sets))
      throw refusal('the encoder cannot number its parameters');
    if (!this.#stream) this.#stream = file.joinedStream(source, avcRecord([sets, encoderSets]), base);
    else if (!this.#encoded || !areEqual(encoderSets, this.#encoded)) {
      throw refusal('both ends need different parameters');
    }
    this.#encoded = encoderSets;
    return this.#stream;
  }

  /** Writes a packet of the encoder, which encodes in the order of display. */
  write(packet: Packet, _: Stream, base: TimeBase) {
    if (packet.pts !== packet.dts) throw refusal('the encoder changes the order of pictures');
    const shown = Number(packet.pts);
    this.#put(packet, this.#encoded!, { shown, decoded: shown, length: Number(packet.duration) }, base);
  }

  /** Copies a packet of the source. */
  copy(packet: Packet, times: PacketTimes) {
    this.#put(packet, this.#options.sets, times, this.#options.base);
  }

  #put(packet: Packet, { framing }: AvcSets, { shown, decoded, length }: PacketTimes, base: TimeBase) {
    const { data, flags } = packet;
    const framed = data && withLengths(data, framing);
    if (!framed) throw refusal('a packet is damaged');
    if (framed !== data) {
      // Setting the data of a packet resets its other fields.
      packet.data = framed;
      packet.setFlags(flags);
    }
    packet.pts = BigInt(shown);
    packet.dts = BigInt(decoded - this.#options.delay);
    packet.duration = BigInt(length);
    this.#options.file.write(packet, this.#stream!, base);
  }
}

const refusal = (why: string) => clipErrors.CLIP_NOT_SMART(why);

function areEqual(a: AvcSets, b: AvcSets): boolean {
  const [first, second] = [a, b].map(({ sequences, pictures }) => [...sequences, ...pictures]);
  return first!.length === second!.length && first!.every((unit, i) => unit.equals(second![i]!));
}
