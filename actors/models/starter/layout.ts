// Which dimension of a starter-visual vector means what. The graph fills the dimensions, the lexicon
// addresses them by name, and both take the order from here.
//
//   0 … named.length-1   named features, centred and scaled: what texts are compared by
//   then                 similarity: unnamed dimensions for comparing pictures with pictures
//   last                 always zero in pictures: a text without any known word points there and scores 0
import { type BasicColour, basicColours, type ShadeName, shades } from './palette.ts';
import { type UnitName, unitNames } from './units.ts';

export const DIMENSIONS = 512;

/** Cells of the frame in rows from the top left. */
export const CELLS = 9;
type Cell = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
const cells: readonly Cell[] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** Measurements of every cell beside the colours. */
export const cellLooks = ['light', 'busy', 'sharp'] as const;
export type CellLook = (typeof cellLooks)[number];

type ColourFeature = 'some' | 'amount' | 'most' | 'spot';

/**
 * `some` saturates early, `amount` grows with the share of the frame, `most` begins at a third of it, `spot`
 * says that a small patch is full of it.
 */
export type Feature =
  | `${ColourFeature} ${BasicColour}`
  | `shade ${ShadeName}`
  | `cell ${Cell} ${BasicColour | CellLook}`
  | `unit ${UnitName}`;

interface Group {
  readonly features: readonly Feature[];
  /** Value of an ordinary frame; it is subtracted. */
  readonly centre: number;
  /** Weight in the vector: it changes the similarity of pictures, not the scores of texts. */
  readonly scale: number;
}

const colourFeatures = (kind: ColourFeature) => basicColours.map((colour): Feature => `${kind} ${colour}`);

/** In the order in which the graph makes them. */
export const groups: readonly Group[] = [
  { features: colourFeatures('some'), centre: 0.3, scale: 0.14 },
  { features: colourFeatures('amount'), centre: 0.08, scale: 0.2 },
  { features: colourFeatures('most'), centre: 0.03, scale: 0.12 },
  { features: colourFeatures('spot'), centre: 0.35, scale: 0.1 },
  { features: shades.map(({ name }): Feature => `shade ${name}`), centre: 0.12, scale: 0.1 },
  {
    features: cells.flatMap((cell) => basicColours.map((colour): Feature => `cell ${cell} ${colour}`)),
    centre: 0.1,
    scale: 0.1,
  },
  {
    features: cellLooks.flatMap((look) => cells.map((cell): Feature => `cell ${cell} ${look}`)),
    centre: 0.45,
    scale: 0.12,
  },
  { features: unitNames.map((name): Feature => `unit ${name}`), centre: 0.2, scale: 0.13 },
];

export const named: readonly Feature[] = groups.flatMap(({ features }) => features);
export const centres: readonly number[] = groups.flatMap(({ features, centre }) =>
  features.map(() => centre),
);
export const scales: readonly number[] = groups.flatMap(({ features, scale }) => features.map(() => scale));

const positions = new Map(named.map((name, i) => [name, i]));

export function featureIndex(name: Feature): number {
  const at = positions.get(name);
  if (at === undefined) throw new RangeError(`there is no feature called "${name}"`);
  return at;
}

/** The dimension that no picture has. */
export const NEUTRAL = DIMENSIONS - 1;
/** Dimensions of the similarity part. */
export const SIMILARITY = DIMENSIONS - named.length - 1;

// Where the similarity part has what: light in rows from the top left, two planes of colour, edges of each
// direction, then what has no place in the frame.
export const LIGHT_SIDE = 8;
export const COLOUR_SIDE = 4;
export const EDGE_SIDE = 4;
export const EDGE_DIRECTIONS = 6;

/** Dimension in the mirrored picture for each dimension. */
export function mirrorOrder(): number[] {
  const order = Array.from({ length: DIMENSIONS }, (_, i) => i);
  for (const name of [...basicColours, ...cellLooks])
    for (const cell of cells)
      order[featureIndex(`cell ${cell} ${name}`)] = featureIndex(`cell ${mirroredCell(cell)} ${name}`);
  let at = named.length;
  /** `from`: the plane that is this one in the mirror, counted in planes from this one. */
  const plane = (side: number, from = 0) => {
    for (let i = 0; i < side * side; i++)
      order[at + i] = at + from * side * side + (i - (i % side)) + side - 1 - (i % side);
    at += side * side;
  };
  plane(LIGHT_SIDE);
  plane(COLOUR_SIDE);
  plane(COLOUR_SIDE);
  for (let k = 0; k < EDGE_DIRECTIONS; k++) plane(EDGE_SIDE, ((EDGE_DIRECTIONS - k) % EDGE_DIRECTIONS) - k);
  return order;
}

/** In a row of three the first becomes the last. */
function mirroredCell(cell: Cell): Cell {
  return (cell - (cell % 3) + 2 - (cell % 3)) as Cell;
}
