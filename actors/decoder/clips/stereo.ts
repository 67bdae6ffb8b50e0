// Sound of many loudspeakers mixed down to two.

const half = Math.SQRT1_2;

/** Shares of each loudspeaker, by its bit in FFmpeg's masks, left and right. Others are in both. */
const shares: readonly (readonly [left: number, right: number])[] = [
  [1, 0],
  [0, 1],
  [half, half],
  // The low effects are no part of a mix of two.
  [0, 0],
  [half, 0],
  [0, half],
  [1, 0],
  [0, 1],
  [half * half, half * half],
  [half, 0],
  [0, half],
];

/** The places of the channels, in their order. */
export function speakersOf(mask: bigint): number[] {
  const bits = mask.toString(2);
  return Array.from(bits, (_, bit) => bit).filter((bit) => bits[bits.length - 1 - bit] === '1');
}

/** Two rows of gains, one for each channel, that never clip. */
export function toStereo(speakers: readonly number[]): number[] {
  const each = speakers.map((speaker) => shares[speaker] ?? ([half, half] as const));
  const sums = [0, 1].map((side) => each.reduce((sum, share) => sum + share[side]!, 0));
  const most = Math.max(...sums, Number.EPSILON);
  return [0, 1].flatMap((side) => each.map((share) => share[side]! / most));
}
