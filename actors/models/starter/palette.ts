// The colours that starter-visual tells apart. Every row is one shade with sample points in sRGB; a pixel
// belongs softly to the nearest points. `counts` says how much of the pixel counts as which basic colour,
// because shades lie between names: salmon is red and pink, cream is white and a bit of yellow.

/** The eleven basic colour terms, and cyan, which people call blue or green. */
export const basicColours = [
  'black',
  'white',
  'grey',
  'red',
  'orange',
  'yellow',
  'green',
  'cyan',
  'blue',
  'purple',
  'pink',
  'brown',
] as const;
export type BasicColour = (typeof basicColours)[number];

interface Shade {
  readonly name: string;
  readonly counts: Partial<Record<BasicColour, number>>;
  /** Sample points, sRGB in hex, separated by spaces. */
  readonly points: string;
}

export const shades = [
  { name: 'black', counts: { black: 1 }, points: '000000 0c0c0e 1a1a1c' },
  { name: 'near black', counts: { black: 0.6, grey: 0.3 }, points: '29292b' },
  { name: 'dark grey', counts: { grey: 1 }, points: '3c3c3e 4c4c4d 5c5c5c' },
  { name: 'grey', counts: { grey: 1 }, points: '707070 868686 9c9c9c' },
  { name: 'light grey', counts: { grey: 0.9, white: 0.1 }, points: 'b2b2b2 c8c8c8' },
  { name: 'off white', counts: { white: 0.65, grey: 0.3 }, points: 'dcdcdc' },
  { name: 'white', counts: { white: 1 }, points: 'eeeeee ffffff' },
  { name: 'slate', counts: { grey: 0.85, blue: 0.1 }, points: '333a42 5d6670 7f8995 a3adb8' },
  { name: 'ice', counts: { white: 0.7, blue: 0.12 }, points: 'c6d0da dfe7ef' },
  { name: 'warm grey', counts: { grey: 0.85, brown: 0.12 }, points: '47423d 6c6660 928b83 b5aea5' },
  { name: 'stone', counts: { grey: 0.5, white: 0.3, brown: 0.1 }, points: 'd4cec4' },
  { name: 'ivory', counts: { white: 0.85, yellow: 0.1 }, points: 'f5f0e6 faf3dc' },
  { name: 'moss grey', counts: { grey: 0.75, green: 0.2 }, points: '475045 6a7466 909a8b' },

  { name: 'maroon', counts: { red: 0.6, brown: 0.3 }, points: '500a0e 6b0f16 801820' },
  { name: 'dark red', counts: { red: 1 }, points: '8f1518 a8181a' },
  { name: 'red', counts: { red: 1 }, points: 'c81a1a e01b1b ff0000 f02a24' },
  { name: 'scarlet', counts: { red: 0.65, orange: 0.35 }, points: 'e8402a ff4a28' },
  { name: 'brick', counts: { red: 0.6, brown: 0.4 }, points: '9c4038 b8564c' },
  { name: 'salmon', counts: { red: 0.5, pink: 0.5 }, points: 'ec6a60 f08a80' },

  { name: 'burnt orange', counts: { orange: 0.7, brown: 0.3 }, points: 'c25a16 d96a1c' },
  { name: 'orange', counts: { orange: 1 }, points: 'f06c12 ff7a00 ff8c00 f59020' },
  { name: 'amber', counts: { orange: 0.8, yellow: 0.3 }, points: 'ffa520 ffb030' },
  { name: 'peach', counts: { orange: 0.6, pink: 0.2 }, points: 'ffb27a ffc9a0 f8b890' },

  { name: 'dark brown', counts: { brown: 0.85, black: 0.15 }, points: '2c1a10 300c08 41281a 4a2c16' },
  { name: 'brown', counts: { brown: 1 }, points: '5e3a20 6f4524 8a5a30 7a4a2e 9a6a3e 85603f' },
  { name: 'rust', counts: { brown: 0.7, orange: 0.2, red: 0.2 }, points: '7a3414 96441c' },
  { name: 'tan', counts: { brown: 0.75 }, points: 'a8835a b8946a c6a47a ab8f72' },
  { name: 'beige', counts: { brown: 0.35, white: 0.35, yellow: 0.1 }, points: 'd8c09a e4d0b0 eddfc6 d2c2a8' },

  { name: 'yellow', counts: { yellow: 1 }, points: 'ffe000 ffee20 fff200 f0d818' },
  { name: 'pale yellow', counts: { yellow: 0.8, white: 0.2 }, points: 'fff59a f8ea9c fff8c4' },
  {
    name: 'gold',
    counts: { yellow: 0.65, brown: 0.25, orange: 0.15 },
    points: 'd4a81c c49520 e2b93c f5c518',
  },
  { name: 'mustard', counts: { yellow: 0.5, brown: 0.5 }, points: 'a88a2c c0a650' },
  { name: 'olive', counts: { green: 0.6, brown: 0.25, yellow: 0.2 }, points: '3a3a14 585820 76762c 8c8a4a' },
  { name: 'lime', counts: { green: 0.85, yellow: 0.25 }, points: 'a8dc28 c0f020 b8d850 90c830' },

  { name: 'deep green', counts: { green: 0.8, black: 0.2 }, points: '0c2a12 143a18 1f3318' },
  { name: 'dark green', counts: { green: 1 }, points: '14501e 1d6b28 2a5a2a 006428' },
  { name: 'leaf', counts: { green: 1 }, points: '38562a 4c7236 5f8a40 6a8248' },
  { name: 'meadow', counts: { green: 1 }, points: '6ea044 86b058 9ab87a' },
  { name: 'green', counts: { green: 1 }, points: '1e8c34 18a838 30c048 00d83c 00ff00 48b050' },
  { name: 'light green', counts: { green: 0.9, white: 0.1 }, points: '90e088 a8dca0 c8ecc0 80f090' },
  { name: 'mint', counts: { green: 0.7, cyan: 0.3 }, points: 'a0f0cc 68d8a4 c8f4e0' },
  { name: 'sea green', counts: { green: 0.8, cyan: 0.3 }, points: '2a7a58 3a9a74 1c5a44' },

  { name: 'teal', counts: { cyan: 1, green: 0.4, blue: 0.4 }, points: '064444 0a6868 128a88 38787a' },
  { name: 'turquoise', counts: { cyan: 1, green: 0.3, blue: 0.35 }, points: '1cb8ac 30d4c4 40e0d0' },
  { name: 'cyan', counts: { cyan: 1, blue: 0.5 }, points: '00c8dc 00e4f4 00ffff 40b8cc' },
  { name: 'pale cyan', counts: { cyan: 0.9, blue: 0.3, white: 0.1 }, points: 'a0eaf0 c4f2f4 8cccd0' },

  { name: 'midnight blue', counts: { blue: 0.8, black: 0.25 }, points: '060a2a 0c1638 141c30' },
  { name: 'navy', counts: { blue: 1 }, points: '0a1458 101e70 1c2c60' },
  { name: 'blue', counts: { blue: 1 }, points: '1430a0 1840d0 0000ff 2050f0 2a6ae0 1560b8' },
  { name: 'steel blue', counts: { blue: 0.8, grey: 0.2 }, points: '2a4468 40608c 5a7ea8 7898b8' },
  { name: 'sky blue', counts: { blue: 1 }, points: '3a90e0 58a4ec 78b6f0 90bce4' },
  { name: 'pale blue', counts: { blue: 0.8, white: 0.2 }, points: 'a4ccf2 b8d4ec c8e0f6 a0b8d0' },

  { name: 'dark purple', counts: { purple: 1 }, points: '240a3c 3c1464 34204a' },
  { name: 'purple', counts: { purple: 1 }, points: '5a1c8c 70289c 800080 6c3a90 7c4ea0' },
  { name: 'violet', counts: { purple: 1 }, points: '6a28d0 8438f0 7a50d8 9060e0' },
  { name: 'lavender', counts: { purple: 0.85, white: 0.1 }, points: 'a880d8 bca0e8 d2c2f0 a898c4' },
  { name: 'plum', counts: { purple: 0.8, brown: 0.15 }, points: '4e2850 6a3a64' },
  { name: 'magenta', counts: { pink: 0.6, purple: 0.6 }, points: 'b01888 d81cc0 ff00ff f040d8 8c146c' },
  { name: 'hot pink', counts: { pink: 1 }, points: 'ff2f92 f0509c e8307c' },
  { name: 'rose', counts: { pink: 0.75, red: 0.3 }, points: 'b83860 cc5c7c d0788c' },
  { name: 'pink', counts: { pink: 1 }, points: 'f47cb0 f898bc e89ab0 f0a8a8' },
  { name: 'pale pink', counts: { pink: 0.85, white: 0.15 }, points: 'fcc0d4 fad4e0 f4ccd0' },

  {
    name: 'fair skin',
    counts: { pink: 0.3, orange: 0.25, brown: 0.1 },
    points: 'f0cbb4 e8b89c dca688 f4d8c8',
  },
  { name: 'mid skin', counts: { brown: 0.6, orange: 0.2 }, points: 'd09472 c08060 b07252 c89880' },
  { name: 'deep skin', counts: { brown: 1 }, points: '8a5840 704430 563424 a06850' },
] as const satisfies readonly Shade[];
export type ShadeName = (typeof shades)[number]['name'];

/**
 * OKLab of a gamma-coded sRGB colour with parts 0..1. Constants: Björn Ottosson, "A perceptual color space",
 * 2020.
 */
export const oklab = {
  /** Linear RGB to cone responses. */
  cones: [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
  ],
  /** Cube roots of cone responses to lightness, green-red, blue-yellow. */
  lab: [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
  ],
} as const;

type Lab = readonly [lightness: number, greenRed: number, blueYellow: number];

/** `hex`: rrggbb. The transfer curve is the power part of sRGB alone, the same one as in the graph. */
export function labOfHex(hex: string): Lab {
  const rgb = [0, 2, 4].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255));
  const cones = oklab.cones.map((row) => Math.cbrt(dot(row, rgb)));
  return [dot(oklab.lab[0], cones), dot(oklab.lab[1], cones), dot(oklab.lab[2], cones)];
}

function linear(part: number): number {
  return ((part + 0.055) / 1.055) ** 2.4;
}

function dot(row: readonly number[], values: readonly number[]): number {
  return row.reduce((sum, weight, i) => sum + weight * values[i]!, 0);
}
