// Fields of H.264 (ITU-T H.264, 7.3.2.1, 7.3.2.2 and 7.3.3): tells from the first slice header of an access
// unit whether it is one field of an interlaced frame, and whether two fields belong to the same frame.
import { BitReader, eachNal, type NalFraming, nalFraming } from './nal.ts';

const SLICE = 1;
const PARTITION_A = 2;
const IDR = 5;
const SPS = 7;
const PPS = 8;

export interface H264Field {
  readonly bottom: boolean;
  readonly frameNumber: number;
  readonly reference: boolean;
  readonly idr: boolean;
}

interface Sequence {
  readonly separatePlanes: boolean;
  readonly frameNumberBits: number;
  /** frame_mbs_only_flag is 0: pictures may be fields. */
  readonly interlaced: boolean;
}

/** Profiles whose sequence parameters contain the chroma format and scaling lists. */
const highProfiles = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]);

/** True when the two, in decoding order, are the fields of one frame. */
export function sameFrame(first: H264Field, second: H264Field): boolean {
  return (
    first.bottom !== second.bottom &&
    first.frameNumber === second.frameNumber &&
    first.reference === second.reference &&
    !second.idr
  );
}

/** Reads the packets of one stream in order; remembers their parameter sets. */
export class H264FieldReader {
  readonly #framing: NalFraming;
  readonly #sequences = new Map<number, Sequence>();
  /** Number of the sequence parameters by number of the picture parameters. */
  readonly #pictures = new Map<number, number>();

  private constructor(extradata: Uint8Array | null) {
    this.#framing = nalFraming(extradata, 4);
    if (extradata && this.#framing > 0) this.#readConfiguration(extradata);
    else if (extradata) eachNal(extradata, 0, (start, end) => this.#readParameters(extradata, start, end));
  }

  /** Null for a stream whose parameters rule out fields. */
  static open(extradata: Uint8Array | null): H264FieldReader | null {
    const reader = new H264FieldReader(extradata);
    const sequences = [...reader.#sequences.values()];
    return sequences.length === 0 || sequences.some(({ interlaced }) => interlaced) ? reader : null;
  }

  /** Null when the packet holds a whole frame, or is not understood. */
  read(data: Uint8Array): H264Field | null {
    let field: H264Field | null = null;
    eachNal(data, this.#framing, (start, end) => {
      const type = data[start]! & 31;
      if (type !== SLICE && type !== PARTITION_A && type !== IDR)
        return this.#readParameters(data, start, end);
      field = this.#readSlice(data, start, end);
      return false;
    });
    return field;
  }

  #readSlice(data: Uint8Array, start: number, end: number): H264Field | null {
    const bits = new BitReader(data, start + 1, end);
    bits.golomb();
    bits.golomb();
    const sequence = this.#sequences.get(this.#pictures.get(bits.golomb()) ?? -1);
    if (!sequence?.interlaced) return null;
    if (sequence.separatePlanes) bits.bits(2);
    const frameNumber = bits.bits(sequence.frameNumberBits);
    if (bits.bit() === 0) return null;
    return {
      bottom: bits.bit() === 1,
      frameNumber,
      reference: (data[start]! & 0x60) !== 0,
      idr: (data[start]! & 31) === IDR,
    };
  }

  #readParameters(data: Uint8Array, start: number, end: number): boolean {
    const type = data[start]! & 31;
    const bits = new BitReader(data, start + 1, end);
    if (type === PPS) this.#pictures.set(bits.golomb(), bits.golomb());
    if (type === SPS) {
      const profile = bits.bits(8);
      bits.bits(16);
      this.#sequences.set(bits.golomb(), sequenceOf(bits, profile));
    }
    return true;
  }

  /**
   * avcC (ISO/IEC 14496-15, 5.3.3.1): 5 bytes, then sequence and picture parameter sets with 16-bit lengths.
   */
  #readConfiguration(record: Uint8Array) {
    let at = 5;
    for (const mask of [31, 255]) {
      for (let sets = (record[at++] ?? 0) & mask; sets > 0 && at + 2 < record.length; sets--) {
        const end = at + 2 + record[at]! * 256 + record[at + 1]!;
        this.#readParameters(record, at + 2, Math.min(end, record.length));
        at = end;
      }
    }
  }
}

/** The rest of sequence parameters, after their number. */
function sequenceOf(bits: BitReader, profile: number): Sequence {
  const separatePlanes = highProfiles.has(profile) && skipChroma(bits);
  const frameNumberBits = bits.golomb() + 4;
  skipPictureOrder(bits);
  // max_num_ref_frames, gaps_in_frame_num_value_allowed_flag, width and height.
  bits.golomb();
  bits.bit();
  bits.golomb();
  bits.golomb();
  return { separatePlanes, frameNumberBits, interlaced: bits.bit() === 0 };
}

/** Chroma format, bit depths and scaling lists; returns separate_colour_plane_flag. */
function skipChroma(bits: BitReader): boolean {
  const format = bits.golomb();
  const separatePlanes = format === 3 && bits.bit() === 1;
  bits.golomb();
  bits.golomb();
  bits.bit();
  if (bits.bit() === 1) {
    const lists = format === 3 ? 12 : 8;
    for (let list = 0; list < lists; list++) if (bits.bit() === 1) skipScalingList(bits, list < 6 ? 16 : 64);
  }
  return separatePlanes;
}

function skipScalingList(bits: BitReader, size: number) {
  let last = 8;
  let next = 8;
  for (let i = 0; i < size && next !== 0; i++) {
    next = (last + signed(bits.golomb()) + 256) & 255;
    if (next !== 0) last = next;
  }
}

function skipPictureOrder(bits: BitReader) {
  const type = bits.golomb();
  if (type === 0) bits.golomb();
  if (type !== 1) return;
  bits.bit();
  bits.golomb();
  bits.golomb();
  for (let cycle = Math.min(255, bits.golomb()); cycle > 0; cycle--) bits.golomb();
}

const signed = (code: number) => (code % 2 === 1 ? (code + 1) / 2 : -code / 2);
