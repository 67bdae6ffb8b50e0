// Colour words: which basic colour they stand for in parts of the frame, and which shades they mean. Words
// for shades of a colour that need a modifier (dark, light, …) are in `tones`.
import type { BasicColour, ShadeName } from '../palette.ts';

export interface ColourWord {
  /** Every spelling, one meaning. Plurals and endings are found by query.ts. */
  readonly words: string;
  /** Basic colours of the cells of the frame, by weight. */
  readonly colours: Partial<Record<BasicColour, number>>;
  /** Left out for the basic terms: all shades that count as the colour. */
  readonly shades?: Partial<Record<ShadeName, number>>;
  /**
   * Some of it is in too many pictures for a match to be strong, as measured (decision 35); not so of a
   * picture full of it.
   */
  readonly isUnsure?: true;
}

export const colourWords: readonly ColourWord[] = [
  { words: 'black, jet black, blackish', colours: { black: 1 }, isUnsure: true },
  { words: 'white, whitish', colours: { white: 1 }, isUnsure: true },
  { words: 'grey, gray, greyish, grayish', colours: { grey: 1 } },
  { words: 'red, reddish', colours: { red: 1 } },
  { words: 'orange, orangish', colours: { orange: 1 } },
  { words: 'yellow, yellowish', colours: { yellow: 1 } },
  { words: 'green, greenish', colours: { green: 1 } },
  { words: 'blue, bluish, blueish', colours: { blue: 1 } },
  { words: 'purple, purplish', colours: { purple: 1 } },
  { words: 'pink, pinkish', colours: { pink: 1 }, isUnsure: true },
  { words: 'brown, brownish', colours: { brown: 1 } },

  {
    words: 'cyan, aqua, aquamarine',
    colours: { cyan: 1 },
    shades: { cyan: 1, 'pale cyan': 0.7, turquoise: 0.5 },
  },
  { words: 'turquoise', colours: { cyan: 1 }, shades: { turquoise: 1, cyan: 0.5, teal: 0.5 } },
  {
    words: 'teal, petrol, blue green, green blue',
    colours: { cyan: 1 },
    shades: { teal: 1, turquoise: 0.4 },
  },
  { words: 'navy, navy blue', colours: { blue: 1 }, shades: { navy: 1, 'midnight blue': 0.6 } },
  { words: 'midnight blue', colours: { blue: 1, black: 0.4 }, shades: { 'midnight blue': 1, navy: 0.5 } },
  { words: 'sky blue, azure, baby blue', colours: { blue: 1 }, shades: { 'sky blue': 1, 'pale blue': 0.6 } },
  { words: 'royal blue, ultramarine, cobalt, cobalt blue', colours: { blue: 1 }, shades: { blue: 1 } },
  { words: 'steel blue, denim', colours: { blue: 1 }, shades: { 'steel blue': 1 } },
  {
    words: 'indigo',
    colours: { purple: 0.6, blue: 0.6 },
    shades: { navy: 0.6, violet: 0.6, 'dark purple': 0.6 },
  },
  { words: 'slate, blue grey, blue gray, steel', colours: { grey: 1, blue: 0.3 }, shades: { slate: 1 } },
  {
    words: 'maroon, burgundy, wine red, claret',
    colours: { red: 0.8, brown: 0.3 },
    shades: { maroon: 1, 'dark red': 0.4 },
  },
  { words: 'crimson, ruby, cherry red', colours: { red: 1 }, shades: { red: 1, 'dark red': 0.6 } },
  {
    words: 'scarlet, vermilion, orange red',
    colours: { red: 0.8, orange: 0.4 },
    shades: { scarlet: 1, red: 0.3 },
  },
  { words: 'salmon, coral', colours: { red: 0.5, pink: 0.5 }, shades: { salmon: 1, peach: 0.3 } },
  {
    words: 'brick, brick red, terracotta',
    colours: { red: 0.5, brown: 0.6 },
    shades: { brick: 1, rust: 0.6 },
  },
  {
    words: 'rust, rusty, copper, bronze, auburn',
    colours: { brown: 1 },
    shades: { rust: 1, 'burnt orange': 0.5 },
  },
  { words: 'peach, apricot', colours: { orange: 0.8, pink: 0.2 }, shades: { peach: 1 } },
  { words: 'amber', colours: { orange: 1 }, shades: { amber: 1, gold: 0.4 } },
  {
    words: 'gold, golden',
    colours: { yellow: 0.7, orange: 0.3 },
    shades: { gold: 1, amber: 0.3, mustard: 0.3 },
  },
  {
    words: 'mustard, ochre, ocher, khaki',
    colours: { brown: 0.6, yellow: 0.6 },
    shades: { mustard: 1, gold: 0.3 },
  },
  { words: 'lemon, lemon yellow', colours: { yellow: 1 }, shades: { yellow: 1, 'pale yellow': 0.6 } },
  {
    words: 'cream, ivory, off white, eggshell',
    colours: { white: 1 },
    shades: { ivory: 1, 'off white': 0.4, stone: 0.4 },
  },
  { words: 'beige', colours: { brown: 0.6, white: 0.4 }, shades: { beige: 1, stone: 0.4, tan: 0.3 } },
  { words: 'tan, camel, caramel', colours: { brown: 1 }, shades: { tan: 1, beige: 0.3 } },
  { words: 'chocolate, coffee brown, umber', colours: { brown: 1 }, shades: { 'dark brown': 1, brown: 0.5 } },
  {
    words: 'olive, olive green, army green',
    colours: { green: 0.8, brown: 0.2 },
    shades: { olive: 1, 'moss grey': 0.3 },
  },
  { words: 'lime, lime green, chartreuse, yellow green', colours: { green: 1 }, shades: { lime: 1 } },
  { words: 'mint, mint green', colours: { green: 0.8, cyan: 0.3 }, shades: { mint: 1, 'light green': 0.4 } },
  { words: 'emerald, emerald green', colours: { green: 1 }, shades: { green: 1, 'sea green': 0.5 } },
  { words: 'sea green', colours: { green: 1 }, shades: { 'sea green': 1, mint: 0.3, teal: 0.3 } },
  { words: 'violet', colours: { purple: 1 }, shades: { violet: 1, purple: 0.5 } },
  { words: 'lavender, lilac, mauve', colours: { purple: 1 }, shades: { lavender: 1 } },
  { words: 'plum, aubergine', colours: { purple: 1 }, shades: { plum: 1, 'dark purple': 0.5 } },
  { words: 'magenta, fuchsia', colours: { pink: 0.6, purple: 0.6 }, shades: { magenta: 1, 'hot pink': 0.4 } },
  { words: 'hot pink', colours: { pink: 1 }, shades: { 'hot pink': 1 } },
  { words: 'rose', colours: { pink: 1 }, shades: { rose: 1, pink: 0.4 } },
  { words: 'silver, silvery', colours: { grey: 1 }, shades: { 'light grey': 1, grey: 0.4, slate: 0.3 } },
  {
    words: 'charcoal, anthracite',
    colours: { grey: 0.6, black: 0.6 },
    shades: { 'dark grey': 1, 'near black': 0.6 },
  },
  {
    words: 'skin coloured, skin colored, flesh',
    colours: { brown: 0.4, pink: 0.3, orange: 0.3 },
    shades: { 'fair skin': 1, 'mid skin': 1 },
  },
];

export type Tone = 'dark' | 'light' | 'vivid' | 'dull';

export const toneWords: Readonly<Record<Tone, string>> = {
  dark: 'dark, darker, deep, deeper',
  light: 'light, lighter, pale, paler, soft, pastel, baby',
  vivid: 'bright, vivid, intense, strong, saturated, neon, pure, brilliant, hot',
  dull: 'dull, dusty, muted, faded, desaturated, washed out, greyish, grayish',
};

/** The shades of a basic colour in a tone. */
export const tones: Readonly<Record<Tone, Partial<Record<BasicColour, Partial<Record<ShadeName, number>>>>>> =
  {
    dark: {
      grey: { 'dark grey': 1, 'near black': 0.6 },
      red: { maroon: 1, 'dark red': 1 },
      orange: { 'burnt orange': 1, rust: 0.6 },
      yellow: { mustard: 1, gold: 0.7, olive: 0.4 },
      green: { 'dark green': 1, 'deep green': 1, leaf: 0.5, 'sea green': 0.3 },
      cyan: { teal: 1 },
      blue: { navy: 1, 'midnight blue': 0.9, 'steel blue': 0.3 },
      purple: { 'dark purple': 1, plum: 0.7 },
      pink: { rose: 1, 'hot pink': 0.5, magenta: 0.3 },
      brown: { 'dark brown': 1 },
    },
    light: {
      grey: { 'light grey': 1, 'off white': 0.4 },
      red: { salmon: 1, brick: 0.2 },
      orange: { peach: 1, amber: 0.3 },
      yellow: { 'pale yellow': 1 },
      green: { 'light green': 1, mint: 0.7, meadow: 0.5, lime: 0.3 },
      cyan: { 'pale cyan': 1 },
      blue: { 'pale blue': 1, 'sky blue': 0.9, ice: 0.3 },
      purple: { lavender: 1 },
      pink: { 'pale pink': 1, pink: 0.4 },
      brown: { tan: 1, beige: 0.8, 'mid skin': 0.3 },
    },
    vivid: {
      red: { red: 1, scarlet: 0.5 },
      orange: { orange: 1, amber: 0.6 },
      yellow: { yellow: 1 },
      green: { green: 1, lime: 0.7 },
      cyan: { cyan: 1, turquoise: 0.7 },
      blue: { blue: 1, 'sky blue': 0.3 },
      purple: { violet: 1, purple: 0.7 },
      pink: { 'hot pink': 1, magenta: 0.6 },
      brown: { rust: 1 },
      white: { white: 1 },
    },
    dull: {
      red: { brick: 1, maroon: 0.4 },
      orange: { peach: 0.6, tan: 0.4, rust: 0.5 },
      yellow: { mustard: 1, beige: 0.4 },
      green: { 'moss grey': 1, olive: 0.8, leaf: 0.4 },
      blue: { 'steel blue': 1, slate: 0.7 },
      purple: { plum: 1, lavender: 0.3 },
      pink: { rose: 0.7, 'fair skin': 0.3 },
      brown: { 'warm grey': 1, tan: 0.4 },
    },
  };
