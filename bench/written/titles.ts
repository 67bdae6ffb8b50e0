// Titles over footage, as they are edited: which are seen in which second, and their pictures. Drawn with one
// seed, so that every run has the same.
import sharp from 'sharp';
import { seeded } from '../../test/seeded.ts';

/** Size of the films. */
export const [width, height] = [1280, 720];

export interface Title {
  readonly text: string;
  /** Seconds [from, to). */
  readonly from: number;
  readonly to: number;
  readonly x: number;
  /** Place of its top in each second, px. */
  y(second: number): number;
  readonly size: number;
  readonly font: string;
  readonly colour: string;
  readonly opacity: number;
  /** Colour of a box behind it; null for none. */
  readonly behind: string | null;
}

export interface TitledFilm {
  readonly kind: string;
  /** Background of the titles: moving footage, one of its pictures, or one colour. */
  readonly footage: 'moving' | 'still' | 'light' | 'dark';
  /** Moving footage in a corner. */
  readonly inset: boolean;
  readonly titles: readonly Title[];
}

const words =
  `harbour authority budget quarterly meeting session chapter region segmentation measure results winter summer
  station platform library museum concert orchestra director camera producer editor sound lighting assistant interview
  professor department university institute research energy water forest mountain village market council minister police
  hospital school teacher student engine motor bridge railway airport traffic signal exit entrance parking ticket window`
    .split(/\s+/)
    .filter(Boolean);
const names = 'Anna Ben Carla David Emma Felix Greta Hanna Ivan Julia Karl Lena Marco Nina Oscar Paula'.split(
  ' ',
);
const fonts = ['DejaVu Sans', 'DejaVu Serif', 'DejaVu Sans Mono'] as const;

const plain = { opacity: 1, behind: null, colour: '#fff' };
const at = (y: number) => () => y;

class Writer {
  readonly #random: () => number;
  readonly #seconds: number;

  constructor(seconds: number, seed: number) {
    this.#random = seeded(seed);
    this.#seconds = seconds;
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!;
  }

  #phrase(count: number): string {
    const text = Array.from({ length: count }, () => this.#pick(words)).join(' ');
    return text[0]!.toUpperCase() + text.slice(1);
  }

  #until(second: number): number {
    return Math.min(this.#seconds, second);
  }

  lowerThirds(): Title[] {
    const titles: Title[] = [];
    for (let from = 1; from < this.#seconds; from += 8) {
      const shared = { ...plain, behind: 'rgba(0,30,90,0.75)', from, to: this.#until(from + 5), x: 90 };
      const font = this.#pick(fonts);
      titles.push({ ...shared, font, text: `${this.#pick(names)} ${this.#phrase(1)}`, y: at(540), size: 40 });
      titles.push({ ...shared, font, text: this.#phrase(3), y: at(605), size: 26 });
    }
    return titles;
  }

  /** Titles that stay for two or three seconds. */
  captions(size: number): Title[] {
    const titles: Title[] = [];
    for (let from = 0; from < this.#seconds; from += 3) {
      const to = this.#until(from + 2 + Math.floor(this.#random() * 2));
      titles.push({ ...plain, from, to, font: fonts[0], text: this.#phrase(4), x: 400, y: at(650), size });
    }
    return titles;
  }

  /** Lines come one after the other. */
  slides(): Title[] {
    const titles: Title[] = [];
    for (let from = 0; from < this.#seconds; from += 12) {
      const shared = { ...plain, colour: '#223', to: this.#until(from + 12), font: this.#pick(fonts) };
      titles.push({ ...shared, text: this.#phrase(2), from, x: 80, y: at(70), size: 48 });
      for (let i = 0; i < 4 && from + 2 * i + 1 < shared.to; i++) {
        const place = { from: from + 2 * i + 1, x: 110, y: at(180 + i * 70), size: 28 };
        titles.push({ ...shared, ...place, text: this.#phrase(4) });
      }
    }
    return titles;
  }

  /** Each line comes from below and is gone after ten seconds. */
  credits(): Title[] {
    return Array.from({ length: this.#seconds }, (_, from): Title => {
      const y = (second: number) => height - 60 - (second - from) * 66;
      const text = `${this.#phrase(1)}: ${this.#pick(names)} ${this.#phrase(1)}`;
      return {
        ...plain,
        from,
        to: this.#until(from + 10),
        font: this.#pick(fonts),
        text,
        x: 400,
        y,
        size: 24,
      };
    });
  }

  /** A clock of which one digit changes, and a pale mark that stays. */
  counter(): Title[] {
    const clocks = Array.from({ length: this.#seconds }, (_, from): Title => {
      const text = `Take 12 00:${String(10 + (from % 50)).padStart(2, '0')}:0${from % 10}`;
      return { ...plain, text, from, to: from + 1, font: fonts[2], x: 60, y: at(40), size: 20 };
    });
    const mark = { from: 0, to: this.#seconds, font: fonts[0], x: 1040, y: at(30), size: 18, opacity: 0.5 };
    return [...clocks, { ...plain, ...mark, text: 'CHANNEL 5 NEWS' }];
  }
}

export function titledFilms(seconds: number, round: number): TitledFilm[] {
  const writer = new Writer(seconds, 1000 + round);
  return [
    { kind: 'lower thirds', footage: 'moving', inset: false, titles: writer.lowerThirds() },
    { kind: 'captions of 24 px', footage: 'moving', inset: false, titles: writer.captions(24) },
    { kind: 'captions of 16 px', footage: 'moving', inset: false, titles: writer.captions(16) },
    { kind: 'slides', footage: 'light', inset: true, titles: writer.slides() },
    { kind: 'credits', footage: 'dark', inset: false, titles: writer.credits() },
    { kind: 'counter', footage: 'still', inset: false, titles: writer.counter() },
  ];
}

/** RGBA in rows. */
export interface Drawn {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export async function drawTitle({ text, size, font, colour, opacity, behind }: Title): Promise<Drawn> {
  const [across, down] = [Math.ceil(text.length * size * 0.72) + 2 * size, Math.ceil(size * 1.7)];
  const box = behind ? `<rect width="${across}" height="${down}" fill="${behind}"/>` : '';
  // White letters on light footage are drawn with an edge, as in films.
  const outline =
    behind === null && colour === '#fff'
      ? `stroke="#000" stroke-width="${size / 9}" paint-order="stroke"`
      : '';
  const svg = `<svg width="${across}" height="${down}">${box}<text x="${size / 2}" y="${size * 1.2}" font-size="${size}"
    font-family="${font}" fill="${colour}" fill-opacity="${opacity}" ${outline}>${text}</text></svg>`;
  const { data, info } = await sharp(Buffer.from(svg))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Puts it over a picture; what lies outside is cut off. */
export function over(rgb: Uint8Array, { data, ...drawn }: Drawn, left: number, top: number): void {
  for (let y = Math.max(0, -top); y < drawn.height && top + y < height; y++) {
    for (let x = 0; x < drawn.width && left + x < width; x++) {
      const [from, to] = [(y * drawn.width + x) * 4, ((top + y) * width + left + x) * 3];
      const share = data[from + 3]! / 255;
      if (share === 0) continue;
      for (let c = 0; c < 3; c++) rgb[to + c] = rgb[to + c]! * (1 - share) + data[from + c]! * share;
    }
  }
}
