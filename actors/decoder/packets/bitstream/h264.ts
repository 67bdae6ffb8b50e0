// H.264 (ITU-T H.264, 7.3 and 7.4): a picture is not a reference when nal_ref_idc is 0 in all its slices.
// Random access points are IDR pictures, and keyframes with a recovery point SEI of recovery_frame_cnt 0 (an
// open GOP). A packet that changes parameter sets counts as a reference, since later pictures use them.
import { BitReader, eachNal, type NalFraming } from './nal.ts';
import { type CodedPicture, unknownPicture } from './picture.ts';

const SLICE = 1;
const PARTITION_A = 2;
const IDR = 5;
const SEI = 6;
const SPS = 7;
const PPS = 8;

/** Facts about one access unit. `keyframe`: the container's flag. */
export function h264Picture(
  data: Uint8Array,
  framing: NalFraming,
  keyframe: boolean,
  parameters = new ParameterSets(),
): CodedPicture {
  let slices = 0;
  let reference = false;
  let idr = false;
  let recovery = -1;
  const whole = eachNal(data, framing, (start, end) => {
    const type = data[start]! & 31;
    if (type === SEI && recovery < 0) recovery = recoveryFrames(data, start + 1, end);
    if ((type === SPS || type === PPS) && parameters.changed(data.subarray(start, end))) reference = true;
    if (type === IDR) idr = true;
    if (type === SLICE || type === PARTITION_A || type === IDR) {
      slices++;
      if (data[start]! & 0x60) reference = true;
    }
    // Searching a byte stream for start codes is slow; after a reference slice the result cannot change.
    return !(reference && slices > 0 && framing === 0);
  });
  if (!whole || slices === 0) return unknownPicture;
  const entry = idr ? 'closed' : keyframe && recovery === 0 ? 'open' : 'no';
  return { reference, shown: true, entry, skipped: false };
}

/** The parameter sets of a stream, as far as its packets showed them. */
export class ParameterSets {
  /** Parameter sets by type and number. */
  readonly #units = new Map<number, Buffer>();

  /** True when a set of this type and number was seen before and differed. */
  changed(data: Uint8Array): boolean {
    // Before a start code of four bytes the range of a unit ends with the zero of that code.
    const unit = data.subarray(0, data.findLastIndex((byte) => byte !== 0) + 1);
    const type = unit[0]! & 31;
    const number = new BitReader(unit, type === SPS ? 4 : 1, unit.length).golomb();
    const key = number * 32 + type;
    const knownUnit = this.#units.get(key);
    if (knownUnit?.equals(unit)) return false;
    this.#units.set(key, Buffer.from(unit));
    return knownUnit !== undefined;
  }
}

/** recovery_frame_cnt of the recovery point message in an SEI NAL unit; -1 when there is none. */
function recoveryFrames(data: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at + 2 < end) {
    let type = 0;
    let size = 0;
    while (at < end && data[at] === 255) type += data[at++]!;
    type += data[at++] ?? 0;
    while (at < end && data[at] === 255) size += data[at++]!;
    size += data[at++] ?? 0;
    if (type === 6) return new BitReader(data, at, end).golomb();
    at += size;
  }
  return -1;
}
