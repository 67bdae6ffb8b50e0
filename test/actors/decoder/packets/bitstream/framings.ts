// NAL units put together to the bytes of a packet, in both framings.

export const prefixed = (...units: number[][]) =>
  Uint8Array.from(units.flatMap((unit) => [0, 0, unit.length >> 8, unit.length & 255, ...unit]));
export const annexB = (...units: number[][]) =>
  Uint8Array.from(units.flatMap((unit) => [0, 0, 0, 1, ...unit]));
export const framings = [
  ['length-prefixed', prefixed, 4],
  ['between start codes', annexB, 0],
] as const;
