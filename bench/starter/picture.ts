// A picture of the table of starter-visual: its pixels and what it shows.
import sharp from 'sharp';

export const SIDE = 224;

/**
 * Labels of a picture. `maybe`: labels that it may be said to have; such a picture counts neither as right
 * nor as wrong.
 */
export interface Shown {
  readonly tags: readonly string[];
  readonly maybe: readonly string[];
}

export interface Picture extends Shown {
  readonly name: string;
  /** Where it comes from: photographs, or one of the ways to draw. */
  readonly style: string;
  /** 224×224×3, RGB. */
  readonly pixels: Uint8Array;
}

/** A drawing, as the inside of an SVG of 224×224. */
export interface Drawing extends Shown {
  readonly svg: string;
}

/** `name` ends in a number that tells pictures of one kind apart. */
export async function rendered(name: string, style: string, { svg, tags, maybe }: Drawing): Promise<Picture> {
  const whole = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}">${svg}</svg>`;
  const pixels = await sharp(Buffer.from(whole))
    .flatten({ background: '#000' })
    .removeAlpha()
    .raw()
    .toBuffer();
  return { name, style, tags, maybe, pixels: new Uint8Array(pixels) };
}

/** Stretched to the square that the model takes. */
export async function photograph(path: string): Promise<Uint8Array> {
  const picture = sharp(path).removeAlpha().toColourspace('srgb');
  return new Uint8Array(await picture.resize(SIDE, SIDE, { fit: 'fill', kernel: 'cubic' }).raw().toBuffer());
}
