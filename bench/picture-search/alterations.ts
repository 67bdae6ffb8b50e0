// Alterations of a picture before it is searched for: mirrored, put between bars, cut, scaled, coded, in
// other light, turned, written on. Each takes and gives RGB, and draws what it leaves to chance from the dice
// of the picture.
import sharp, { type Sharp } from 'sharp';
import type { Dice } from '../../test/actors/models/starter/drawings/canvas.ts';

/** width×height×3 bytes. */
export interface Rgb {
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export type Alteration = (picture: Rgb, dice: Dice) => Promise<Rgb>;

export function sharpOf({ rgb, width, height }: Rgb): Sharp {
  return sharp(rgb, { raw: { width, height, channels: 3 } });
}

export async function rgbOf(picture: Sharp): Promise<Rgb> {
  const { data, info } = await picture
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { rgb: data, width: info.width, height: info.height };
}

const mirror: Alteration = (picture) => rgbOf(sharpOf(picture).flop());

/** Shares of the finished picture that bars take, above and below together and at the sides together. */
function bars(vertical: number, sideways: number, level = 0): Alteration {
  return (picture) => {
    const upright = Math.round((picture.height * vertical) / (1 - vertical) / 2);
    const across = Math.round((picture.width * sideways) / (1 - sideways) / 2);
    const background = { r: level, g: level, b: level };
    return rgbOf(
      sharpOf(picture).extend({ top: upright, bottom: upright, left: across, right: across, background }),
    );
  };
}

/** A share of the area, from the middle or from a corner by chance. */
function crop(area: number, place: 'middle' | 'corner'): Alteration {
  return (picture, dice) => {
    const [width, height] = [picture.width, picture.height].map((side) =>
      Math.max(8, Math.round(side * Math.sqrt(area))),
    ) as [number, number];
    const at = (room: number) => (place === 'middle' ? room >> 1 : dice.chance(0.5) ? room : 0);
    const [left, top] = [at(picture.width - width), at(picture.height - height)];
    return rgbOf(sharpOf(picture).extract({ left, top, width, height }));
  };
}

function coded(quality: number): Alteration {
  return async (picture) => rgbOf(sharp(await sharpOf(picture).jpeg({ quality }).toBuffer()));
}

function scaled(by: number): Alteration {
  return (picture) => rgbOf(sharpOf(picture).resize(Math.max(16, Math.round(picture.width * by))));
}

/** `factors` of the channels, and the number of levels `added` to each. */
function light(factors: readonly [number, number, number], added = 0): Alteration {
  return (picture) => rgbOf(sharpOf(picture).linear([...factors], [added, added, added]));
}

const luma = [0.299, 0.587, 0.114] as const;
const grey: Alteration = (picture) => rgbOf(sharpOf(picture).recomb([[...luma], [...luma], [...luma]]));

/** Turned by some degrees; what then lies outside is cut away. */
function turned(degrees: number): Alteration {
  return async (picture, dice) => {
    const angle = dice.chance(0.5) ? degrees : -degrees;
    const whole = await rgbOf(sharpOf(picture).rotate(angle, { background: '#000' }));
    const inside = 1 - 2.6 * Math.sin((degrees * Math.PI) / 180);
    const [width, height] = [Math.round(picture.width * inside), Math.round(picture.height * inside)];
    const [left, top] = [(whole.width - width) >> 1, (whole.height - height) >> 1];
    return rgbOf(sharpOf(whole).extract({ left, top, width, height }));
  };
}

/**
 * Two lines of strokes as tall as subtitles, white with a dark edge. `from`: the top of the first, a share of
 * the height.
 */
function written(from: number, tall = 0.05): Alteration {
  return (picture, dice) => {
    const { width, height } = picture;
    const size = height * tall;
    const strokes = [0, 1].flatMap((line) => {
      const y = height * from + line * size * 1.3;
      const letters: string[] = [];
      for (let x = width * dice.between(0.2, 0.3); x < width * 0.72; x += size * dice.between(0.45, 0.8)) {
        letters.push(`<rect x="${x}" y="${y}" width="${size * dice.between(0.2, 0.4)}" height="${size}"/>`);
      }
      return letters;
    });
    const edge = Math.max(1, size * 0.1);
    return drawnOver(picture, `<g fill="#fff" stroke="#111" stroke-width="${edge}">${strokes.join('')}</g>`);
  };
}

/** A sign in the upper right corner, as stations have it. */
const logo: Alteration = (picture) => {
  const { width, height } = picture;
  const size = height * 0.07;
  const [x, y] = [width - 2.6 * size, size * 0.5];
  const sign = `<circle cx="${x + size / 2}" cy="${y + size / 2}" r="${size / 2}" fill="#d33"/>`;
  return drawnOver(
    picture,
    `${sign}<rect x="${x + size * 1.1}" y="${y}" width="${size}" height="${size}" fill="#eee"/>`,
  );
};

function drawnOver(picture: Rgb, shapes: string): Promise<Rgb> {
  const { width, height } = picture;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`;
  return rgbOf(sharpOf(picture).composite([{ input: Buffer.from(svg) }]));
}

/** One after the other. */
function both(...parts: readonly Alteration[]): Alteration {
  return async (picture, dice) => {
    let altered = picture;
    for (const part of parts) altered = await part(altered, dice);
    return altered;
  };
}

export const alterations: Readonly<Record<string, Alteration>> = {
  mirror,
  'bars above and below, a quarter': bars(0.25, 0),
  'bars above and below, two fifths': bars(0.4, 0),
  'bars at the sides, a quarter': bars(0, 0.25),
  'bars all around': bars(0.2, 0.2),
  'bars not quite black, coded': both(bars(0.25, 0, 18), coded(50)),
  'bars with subtitles in them': both(bars(0.3, 0), written(0.87, 0.04)),
  'bars with a logo in them': both(bars(0.3, 0), logo),
  'half of the area, middle': crop(0.5, 'middle'),
  'half of the area, a corner': crop(0.5, 'corner'),
  'a quarter of the area, middle': crop(0.25, 'middle'),
  'a quarter of the area, a corner': crop(0.25, 'corner'),
  'a quarter of the width': scaled(0.25),
  'JPEG of quality 20': coded(20),
  brighter: light([1.25, 1.25, 1.25], 12),
  darker: light([0.7, 0.7, 0.7]),
  'less contrast': light([0.6, 0.6, 0.6], 50),
  warmer: light([1.12, 1, 0.85]),
  grey,
  'turned by 4 degrees': turned(4),
  'subtitles in the picture': written(0.82),
  'mirror and bars': both(mirror, bars(0.25, 0)),
  'mirror, half of the area': both(mirror, crop(0.5, 'middle')),
  'half of the area, darker, coded': both(crop(0.5, 'middle'), light([0.75, 0.75, 0.75]), coded(40)),
};
