// Films whose changes are known because they were drawn: cuts of every rate, gradual changes, and
// disturbances that are no change. Fixed seeds: every run draws the same ones of the same takes.
import sharp from 'sharp';
import { Dice } from '../../test/actors/models/starter/drawings/canvas.ts';
import { sized } from '../size.ts';
import { height, type Take, width } from './takes.ts';

export interface Change {
  readonly kind: string;
  /** The first picture of the new shot, or the first mixed one of a gradual change. */
  readonly frame: number;
  /** The first picture that shows the new shot alone. */
  readonly end: number;
}

type Pictures = readonly Uint8Array[];
type Colour = readonly [number, number, number];

const shots = sized(9, 3);

export class Draft {
  readonly pictures: Uint8Array[] = [];
  readonly changes: Change[] = [];
  readonly dice: Dice;
  readonly rate: number;
  readonly #takes: readonly Take[];
  #group = '';

  constructor(takes: readonly Take[], rate: number, seed: number) {
    this.#takes = takes;
    this.rate = rate;
    this.dice = new Dice(seed);
  }

  /** A part of a take that does not look like that of the shot before. */
  async shot(least: number, most: number): Promise<Pictures> {
    const take = this.dice.pick(
      this.#takes.filter(({ group, seconds }) => group !== this.#group && seconds > least),
    );
    this.#group = take.group;
    const seconds = Math.min(this.dice.between(least, most), take.seconds - 0.1);
    return take.read(this.dice.between(0, take.seconds - 0.1 - seconds), seconds, this.rate);
  }

  add(pictures: Pictures): void {
    this.pictures.push(...pictures);
  }

  /** The next picture begins a change of so many mixed pictures. */
  mark(kind: string, length = 0): void {
    const frame = this.pictures.length;
    this.changes.push({ kind, frame, end: frame + length });
  }
}

export interface FilmKind {
  readonly name: string;
  /** Frames a second. */
  readonly rate: number;
  draw(draft: Draft): Promise<void>;
}

const film = (name: string, rate: number, draw: FilmKind['draw']): FilmKind => ({ name, rate, draw });
const cuts =
  (kind: string, count: number, least: number, most: number, disturb = (shot: Pictures, _: Dice) => shot) =>
  async (draft: Draft) => {
    for (let i = 0; i < count; i++) {
      const shot = await draft.shot(least, most);
      if (i > 0) draft.mark(kind);
      draft.add(disturb(shot, draft.dice));
    }
  };

export const filmKinds: readonly FilmKind[] = [
  ...[24, 25, 30, 50, 60].map((rate) => film(`${rate}`, rate, cuts('hard cut', shots, 1.2, 4))),
  film('montage', 25, cuts('cut of a montage', sized(25, 4), 0.2, 1.2)),
  film('flashes', 25, cuts('cut beside flashes', shots, 3, 5, flashing)),
  film('exposure', 25, cuts('cut beside exposure steps', shots, 3, 5, exposed)),
  film('dialogue', 25, dialogue),
  film('flat', 25, flat),
  film('slides', 25, slides),
  film('dissolves', 25, gradual('dissolve', [0.3, 2], mix)),
  film('fades', 24, gradual('fade through black', [0.6, 2.4], dip)),
];
/** Cuts for which one picture is the right one. */
export const isHard = ({ frame, end }: Change): boolean => frame === end;

const painted = ([red, green, blue]: Colour): Uint8Array =>
  Uint8Array.from({ length: width * height * 3 }, (_, i) => [red, green, blue][i % 3]!);
const [black, white] = [painted([0, 0, 0]), painted([255, 255, 255])];

function mix(from: Uint8Array, to: Uint8Array, share: number): Uint8Array {
  return from.map((value, i) => value + (to[i]! - value) * share);
}

function dip(from: Uint8Array, to: Uint8Array, share: number): Uint8Array {
  return share < 0.5 ? mix(from, black, share * 2) : mix(black, to, share * 2 - 1);
}

/** Twice in a shot, one to four pictures are nearly white, or a strobe flashes. */
function flashing(shot: Pictures, dice: Dice): Pictures {
  const lit = new Set<number>();
  for (const part of [0.2, 0.6]) {
    const [at, length, isStrobe] = [Math.floor(part * shot.length), dice.whole(1, 4), dice.chance(0.5)];
    for (let i = 0; i < (isStrobe ? 10 : length); i++) if (!isStrobe || i % 4 < 2) lit.add(at + i);
  }
  return shot.map((picture, n) => (lit.has(n) ? mix(picture, white, 0.85) : picture));
}

/** Lighter or darker from one picture to the next, twice in a shot. */
function exposed(shot: Pictures, dice: Dice): Pictures {
  const gains = [1, dice.between(0.45, 0.75), dice.between(1.2, 1.9)];
  const steps = [0.3, 0.65].map((part) => Math.floor((part + dice.between(-0.1, 0.1)) * shot.length));
  return shot.map((picture, n) => {
    const gain = gains[steps.filter((step) => n >= step).length]!;
    return gain === 1 ? picture : picture.map((value) => Math.min(255, value * gain));
  });
}

/** Shot and reverse shot of two takes that go on. */
async function dialogue(draft: Draft): Promise<void> {
  const sides = [await draft.shot(12, 12), await draft.shot(12, 12)];
  const at = [0, 0];
  for (let i = 0; i <= shots; i++) {
    const length = Math.floor(draft.dice.between(0.7, 2.4) * draft.rate);
    const begin = at[i % 2]!;
    at[i % 2] = begin + length;
    if (i > 0) draft.mark('reverse shot');
    draft.add(sides[i % 2]!.slice(begin, begin + length));
  }
}

async function flat(draft: Draft): Promise<void> {
  const colours = [black, white, painted([32, 32, 96]), painted([128, 32, 32]), painted([200, 180, 40])];
  for (let i = 0; i < sized(6, 2); i++) {
    draft.add(await draft.shot(1.5, 3));
    draft.mark('to a flat colour');
    for (let n = 0; n < 1 + (i % 2); n++) {
      if (n > 0) draft.mark('between flat colours');
      const length = Math.floor(draft.dice.between(0.8, 2) * draft.rate);
      draft.add(Array.from({ length }, () => colours[(i + n) % colours.length]!));
    }
    draft.mark('from a flat colour');
  }
  draft.add(await draft.shot(1.5, 3));
}

const words =
  'budget market plan team growth risk report camera archive light model price river copy review launch'.split(
    ' ',
  );

async function slides(draft: Draft): Promise<void> {
  const { dice } = draft;
  const line = (count: number) => Array.from({ length: count }, () => dice.pick(words)).join(' ');
  for (let i = 0; i < sized(12, 3); i++) {
    const [paper, ink] = i % 4 === 3 ? ['#181c28', '#ebebeb'] : ['#ffffff', '#1e1e1e'];
    const text = [
      `<text x="${dice.whole(20, 120)}" y="50" font-size="30">${line(2)}</text>`,
      ...Array.from({ length: i % 2 === 0 ? 0 : dice.whole(2, 5) }, (_, n) => {
        return `<text x="36" y="${95 + n * 32}" font-size="17">• ${line(4)}</text>`;
      }),
    ];
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" fill="${ink}"
      font-family="sans-serif"><rect width="100%" height="100%" fill="${paper}"/>${text.join('')}</svg>`;
    const picture = new Uint8Array(await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer());
    if (i > 0) draft.mark('slide');
    draft.add(Array.from({ length: Math.floor(dice.between(1.5, 4) * draft.rate) }, () => picture));
  }
}

function gradual(
  kind: string,
  [least, most]: readonly [number, number],
  blend: typeof mix,
): FilmKind['draw'] {
  return async (draft) => {
    let before = await draft.shot(5.5, 7);
    for (let i = 1; i < sized(7, 2); i++) {
      const after = await draft.shot(5.5, 7);
      const length = Math.floor(draft.dice.between(least, most) * draft.rate);
      const keptCount = before.length - length;
      draft.add(before.slice(0, keptCount));
      draft.mark(kind, length);
      draft.add(
        after.slice(0, length).map((to, n) => blend(before[keptCount + n]!, to, (n + 1) / (length + 1))),
      );
      before = after.slice(length);
    }
    draft.add(before);
  };
}
