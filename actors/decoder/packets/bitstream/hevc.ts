// HEVC (ITU-T H.265, 7.3 and 7.4.2.2): even NAL unit types below 16 are sub-layer non-reference pictures,
// which no picture of the same temporal sub-layer references. In the highest sub-layer that means no picture
// at all.
import { eachNal, type NalFraming } from './nal.ts';
import { type CodedPicture, unknownPicture } from './picture.ts';

const RASL_N = 8;
const RASL_R = 9;
const FIRST_IRAP = 16;
const FIRST_IDR = 19;
const CRA = 21;
const SPS = 33;

/**
 * Reads the packets of one stream in order; remembers how many temporal sub-layers its parameter sets
 * announce.
 */
export class HevcReader {
  readonly #framing: NalFraming;
  /** The highest temporal sub-layer any parameter set announced; -1 until one was seen. */
  #highest = -1;

  constructor(framing: NalFraming, extradata: Uint8Array | null) {
    this.#framing = framing;
    if (extradata && framing > 0) this.#readConfiguration(extradata);
    else if (extradata) eachNal(extradata, 0, (start) => this.#readParameters(extradata, start));
  }

  picture(data: Uint8Array): CodedPicture {
    let type = -1;
    let layer = 0;
    const whole = eachNal(data, this.#framing, (start) => {
      this.#readParameters(data, start);
      const unit = (data[start]! >> 1) & 63;
      const ofBase = (data[start]! & 1) === 0 && data[start + 1]! >> 3 === 0;
      if (unit < 32 && ofBase) {
        type = unit;
        layer = (data[start + 1]! & 7) - 1;
      }
      // All slices of a picture have the same type, so the first one is enough.
      return type < 0;
    });
    if (!whole || type < 0) return unknownPicture;
    const subLayerNonReference = type < FIRST_IRAP && type % 2 === 0;
    const reference = !(subLayerNonReference && this.#highest >= 0 && layer >= this.#highest);
    const irap = type >= FIRST_IRAP && type <= CRA;
    const entry = !irap ? 'no' : type >= FIRST_IDR && type < CRA ? 'closed' : 'open';
    return { reference, shown: true, entry, skipped: type === RASL_N || type === RASL_R };
  }

  #readParameters(data: Uint8Array, start: number): boolean {
    const ofBase = (data[start]! & 1) === 0 && data[start + 1]! >> 3 === 0;
    if (((data[start]! >> 1) & 63) === SPS && ofBase) {
      this.#highest = Math.max(this.#highest, (data[start + 2]! >> 1) & 7);
    }
    return true;
  }

  /** hvcC (ISO/IEC 14496-15, 8.3.3.1): 22 bytes, then arrays of units with 16-bit lengths. */
  #readConfiguration(record: Uint8Array) {
    let at = 23;
    for (let arrays = record[22] ?? 0; arrays > 0 && at + 3 <= record.length; arrays--) {
      const units = record[at + 1]! * 256 + record[at + 2]!;
      at += 3;
      for (let unit = 0; unit < units && at + 4 < record.length; unit++) {
        const size = record[at]! * 256 + record[at + 1]!;
        this.#readParameters(record, at + 2);
        at += 2 + size;
      }
    }
  }
}
