// Letters of strokes, so that the samples have words that can be read: no font is needed, and every machine
// draws the same bytes.
import type { Canvas, Color, Point } from './canvas.ts';

// A glyph is one or more strokes; a stroke is a row of points, two digits each: x from the left, and y from
// below, in sixths of the height of a capital letter. The line of writing is at y 2, small letters reach to
// 6, capitals to 8.
const glyphs: Readonly<Record<string, string>> = {
  A: '022842 1434',
  B: '02083847463505 3544433202',
  C: '4738180703123243',
  D: '02082846442202',
  E: '48080242 0535',
  F: '480802 0535',
  G: '47381807031232434525',
  H: '0802 4842 0545',
  I: '0802',
  J: '4843321203',
  K: '0802 4804 1542',
  L: '080242',
  M: '0208254842',
  N: '02084248',
  O: '183847433212030718',
  P: '02083847463505',
  Q: '183847433212030718 2442',
  R: '02083847463505 2542',
  S: '473818070615354443321203',
  T: '0848 2822',
  U: '080312324348',
  V: '082248',
  W: '0812263248',
  X: '0842 4802',
  Y: '0825 482522',
  Z: '08480242',
  a: '3632 3526160503122233',
  b: '0802 0516263533221203',
  c: '3526160503122233',
  d: '3832 3526160503122233',
  e: '04343526160503122233',
  f: '38281712 0626',
  g: '36312000 3526160503122233',
  h: '0802 0516263532',
  i: '0602 0808',
  j: '161100 1818',
  k: '0802 3603 1432',
  l: '0802',
  m: '0602 05162522 25364542',
  n: '0602 0516263532',
  o: '162635332212030516',
  p: '0600 0516263533221203',
  q: '3630 3526160503122233',
  r: '0602 05162635',
  s: '35261605142433221203',
  t: '18132232 0636',
  u: '0603122233 3632',
  v: '061226',
  w: '0612253246',
  x: '0632 3602',
  y: '0612 2600',
  z: '06360232',
  0: '183847433212030718',
  1: '172822',
  2: '0718384746024202',
  3: '07183847463525 354443321203',
  4: '32380444',
  5: '4808053544433212 1203',
  6: '4738180703123243443505',
  7: '084822',
  8: '183847463515060718 1504031232434435',
  9: '0312324347381807061545',
  '.': '0203',
  ',': '0301',
  ':': '0203 0506',
};
/** In units of a glyph: between two letters, and between two words. */
const [gap, space] = [1.7, 2.6];

function strokesOf(letter: string): Point[][] {
  const strokes = glyphs[letter]?.split(' ') ?? [];
  return strokes.map((stroke) =>
    Array.from({ length: stroke.length / 2 }, (_, i) => [Number(stroke[2 * i]), Number(stroke[2 * i + 1])]),
  );
}

function widthOf(letter: string): number {
  if (letter === ' ') return space;
  return Math.max(...strokesOf(letter).flatMap((stroke) => stroke.map(([x]) => x))) + gap;
}

/** How wide a text is whose capitals are one pixel high. */
export function textWidth(text: string): number {
  return [...text].reduce((sum, letter) => sum + widthOf(letter), -gap) / 6;
}

/**
 * `left`, `base`: where the text begins on its line. `size`: height of capitals, px. `pen`: thickness as a
 * share of it.
 */
export function paintText(
  canvas: Canvas,
  text: string,
  {
    left,
    base,
    size,
    pen,
  }: { readonly left: number; readonly base: number; readonly size: number; readonly pen: number },
  ink: Color,
): void {
  const unit = size / 6;
  const radius = (size * pen) / 2;
  let at = left;
  for (const letter of text) {
    for (const stroke of strokesOf(letter)) {
      const points = stroke.map(([x, y]): Point => [at + x * unit, base - (y - 2) * unit]);
      for (const [i, point] of points.entries()) {
        // Corners are round.
        canvas.disc(point[0], point[1], radius, ink);
        if (i > 0) canvas.line(points[i - 1]!, point, 2 * radius, ink);
      }
    }
    at += widthOf(letter) * unit;
  }
}
