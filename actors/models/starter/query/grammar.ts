// Words that say where, how much and not, and words that say nothing about a picture. Several words in one
// row are different ways to say the same thing; longer phrases win over shorter ones.

type Cells = readonly number[];

/** Cells of the frame, in rows from the top left. */
export const placeWords: readonly { readonly words: string; readonly cells: Cells }[] = [
  { words: 'top, upper, at the top, on top, upper half, top half, upper part, overhead', cells: [0, 1, 2] },
  { words: 'bottom, lower, at the bottom, lower half, bottom half, lower part', cells: [6, 7, 8] },
  { words: 'left, left side, left half, on the left, to the left, left hand side', cells: [0, 3, 6] },
  { words: 'right, right side, right half, on the right, to the right, right hand side', cells: [2, 5, 8] },
  { words: 'centre, center, middle, central, in the middle, in the centre, in the center', cells: [4] },
  { words: 'top left, upper left, left top, top left corner, upper left corner', cells: [0] },
  { words: 'top right, upper right, right top, top right corner, upper right corner', cells: [2] },
  { words: 'bottom left, lower left, left bottom, bottom left corner, lower left corner', cells: [6] },
  { words: 'bottom right, lower right, right bottom, bottom right corner, lower right corner', cells: [8] },
  { words: 'background, backdrop, behind, in the background, surroundings', cells: [0, 1, 2, 3, 5, 6, 8] },
  { words: 'foreground, in front, in the foreground, subject', cells: [4, 6, 7, 8] },
  {
    words: 'side, sides, edge of the frame, border, frame border, around the edges',
    cells: [0, 2, 3, 5, 6, 8],
  },
  { words: 'corner, corners', cells: [0, 2, 6, 8] },
];

/** "A above B": where A is, then where B is. */
export const relationWords: readonly {
  readonly words: string;
  readonly first: Cells;
  readonly second: Cells;
}[] = [
  { words: 'above, over, on top of', first: [0, 1, 2], second: [6, 7, 8] },
  { words: 'below, under, underneath, beneath', first: [6, 7, 8], second: [0, 1, 2] },
  { words: 'left of, to the left of, on the left of', first: [0, 3, 6], second: [2, 5, 8] },
  { words: 'right of, to the right of, on the right of', first: [2, 5, 8], second: [0, 3, 6] },
  { words: 'on a, in front of a, against a, surrounded by', first: [4], second: [0, 1, 2, 3, 5, 6, 8] },
];

export type Amount = 'little' | 'most' | 'much';
export const amountWords: Readonly<Record<Amount, string>> = {
  little:
    'little, a little, a bit of, a bit, bit of, a touch of, touch of, touch, hint, hint of, a hint of, some, slightly, small, tiny, spot of, small spot of, a few, few',
  most: 'mostly, mainly, predominantly, largely, entirely, completely, all, only, full of, filled with, covered in, covered with, everything, totally, dominated by, nothing but',
  much: 'much, lots of, a lot of, lot of, plenty of, many, very, really, big, large, huge, extremely, more, strongly',
};

/** What follows is not to be in the picture. The wide ones reach over "and" to things of the same kind. */
export const negationWords = {
  narrow:
    'not, non, isn t, aren t, never, minus, except, except for, excluding, but not, rather than, instead of, avoid, less',
  wide: 'no, without, neither, none of',
} as const;

/** End the reach of a negation or of a place. */
export const breakWords = 'and, but, with, while, plus, then, also, as well as, yet';
/** Join alternatives; a negation goes on over them. */
export const joinWords = 'or, nor';

export const stopWords =
  'a, an, as, the, of, in, on, at, to, from, by, for, is, are, was, were, be, been, being, am, it, its, it s, this, that, these, those, ' +
  'there, here, which, who, whose, what, where, when, how, i, me, my, we, us, our, you, your, he, she, they, them, their, his, her, ' +
  'picture, pictures, photo, photos, photograph, photography, image, images, frame, frames, video, videos, clip, clips, shot, shots, ' +
  'footage, scene, scenes, film, movie, still, stills, screen, view, views, show, shows, showing, shown, find, search, look, looks, ' +
  'looking, like, has, have, having, had, do, does, did, can, could, would, should, will, into, onto, near, next, along, across, through, ' +
  'against, around, between, inside, outside of, within, up, down, off, out, very much, so, too, just, quite, rather, almost, nearly, ' +
  'one, two, three, several, thing, things, something, anything, color, colors, colour, colours, coloured, colored, tone, tones, toned, ' +
  'shade, shades, area, areas, part, parts, region, lot, bit, kind, sort, type, style, please, ' +
  'any, other, another, each, every, both, same, such, if, because, than, s, t, re, ll, ve, d, m, half, dominant, visible, seen';
