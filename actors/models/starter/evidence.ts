// Measurements of the picture graph: channels (one value for each of 56×56 points), averaged over regions of
// the frame, and scalars of the whole frame. Units and features refer to these by name.
import { basicColours, type ShadeName, shades } from './palette.ts';

/** Points along one side of the maps that channels are measured on. */
export const MAP_SIDE = 56;

export interface SurfaceMaterial {
  /** How much each shade can belong to this material. */
  readonly colours: Partial<Record<ShadeName, number>>;
  /**
   * Local contrast that the material shows, as a ramp from 0 to 1; given backwards, the material is smooth.
   */
  readonly texture?: readonly [from: number, to: number];
}

/** Materials of a point, by its colour and the texture around it. */
export const materials = {
  'clear sky': {
    colours: {
      'sky blue': 1,
      'pale blue': 1,
      blue: 0.6,
      'steel blue': 0.6,
      ice: 0.5,
      'pale cyan': 0.5,
      cyan: 0.4,
    },
    texture: [0.05, 0.02],
  },
  cloud: {
    colours: { white: 0.8, 'off white': 1, 'light grey': 1, ice: 1, slate: 0.5, stone: 0.5, grey: 0.4 },
    texture: [0.05, 0.02],
  },
  water: {
    colours: {
      blue: 1,
      'steel blue': 1,
      navy: 0.8,
      teal: 1,
      turquoise: 1,
      cyan: 0.9,
      'sky blue': 0.6,
      slate: 0.7,
      'sea green': 0.7,
      'midnight blue': 0.4,
    },
  },
  foliage: {
    colours: {
      'deep green': 1,
      'dark green': 1,
      leaf: 1,
      meadow: 0.7,
      green: 0.6,
      olive: 0.8,
      'moss grey': 0.5,
      lime: 0.5,
      'sea green': 0.3,
      'near black': 0.2,
    },
    texture: [0.02, 0.05],
  },
  grass: {
    colours: { leaf: 1, meadow: 1, green: 0.8, lime: 0.9, 'dark green': 0.7, olive: 0.5, 'light green': 0.4 },
  },
  snow: {
    colours: { white: 1, ice: 1, 'off white': 0.7, 'pale blue': 0.5, ivory: 0.4, slate: 0.2 },
    texture: [0.25, 0.12],
  },
  sand: {
    colours: {
      beige: 1,
      tan: 1,
      mustard: 0.6,
      stone: 0.5,
      peach: 0.4,
      gold: 0.3,
      'fair skin': 0.5,
      'mid skin': 0.4,
    },
    texture: [0.1, 0.05],
  },
  flame: {
    colours: {
      amber: 1,
      orange: 1,
      yellow: 0.8,
      scarlet: 0.9,
      gold: 0.6,
      'pale yellow': 0.5,
      'burnt orange': 0.8,
      red: 0.4,
    },
  },
  dusk: {
    colours: {
      orange: 1,
      amber: 1,
      peach: 1,
      'burnt orange': 1,
      scarlet: 0.8,
      salmon: 0.9,
      rose: 0.6,
      gold: 0.9,
      yellow: 0.4,
      brick: 0.7,
      rust: 0.6,
      pink: 0.4,
      'pale yellow': 0.5,
      plum: 0.3,
      lavender: 0.2,
    },
    texture: [0.07, 0.03],
  },
  skin: {
    colours: {
      'fair skin': 1,
      'mid skin': 1,
      'deep skin': 0.8,
      peach: 0.4,
      tan: 0.4,
      brick: 0.2,
      beige: 0.2,
      brown: 0.2,
    },
    texture: [0.09, 0.04],
  },
  paper: {
    colours: { white: 1, 'off white': 1, ivory: 1, stone: 0.5, 'light grey': 0.6, beige: 0.3 },
  },
  night: {
    colours: {
      black: 1,
      'near black': 1,
      'midnight blue': 1,
      'dark brown': 0.5,
      'dark purple': 0.5,
      'deep green': 0.3,
    },
  },
  earth: {
    colours: { brown: 1, rust: 0.8, 'dark brown': 0.8, tan: 0.6, 'warm grey': 0.6, mustard: 0.4, brick: 0.4 },
  },
  mineral: {
    colours: {
      grey: 1,
      'dark grey': 0.8,
      'warm grey': 1,
      slate: 1,
      'light grey': 0.8,
      stone: 0.5,
      'moss grey': 0.4,
    },
  },
} as const satisfies Record<string, SurfaceMaterial>;
type MaterialName = keyof typeof materials;
export const materialNames = Object.keys(materials) as MaterialName[];

/** Channels that are measured directly, each with its unit. */
export const plainChannels = [
  'lightness', // OKLab L, 0..1
  'dark', // share of dark points
  'black', // share of nearly black points
  'bright', // share of bright points
  'chroma', // OKLab chroma, 0..0.32
  'vivid', // share of strongly coloured points
  'tinted', // share of points with any colour of note
  'warm', // chroma towards red and yellow
  'cool', // chroma towards blue and green
  'red shift', // OKLab a
  'yellow shift', // OKLab b
  'texture', // local contrast around the point, of luma 0..1
  'edge', // share of points on an edge
  'gradient', // edge strength
  'horizontal', // edge strength of horizontal lines
  'vertical', // edge strength of vertical lines
  'rising', // edge strength of lines from bottom left to top right
  'falling', // edge strength of lines from top left to bottom right
  'detail', // energy of the finest detail
  'coarse', // energy of edges at a quarter of the size
  'glint', // brightness of small spots over what is around them
  'warm glint', // the same where the spot is warm
] as const;

export type EvidenceChannel =
  | (typeof plainChannels)[number]
  | MaterialName
  | `${'colour' | 'shade'} ${string}`;

/** In the order of the graph: what is averaged from maps, then what comes from averaged shades. */
export const mapChannels: readonly EvidenceChannel[] = [...plainChannels, ...materialNames];
export const shadeChannels: readonly EvidenceChannel[] = [
  ...basicColours.map((name): EvidenceChannel => `colour ${name}`),
  ...shades.map(({ name }): EvidenceChannel => `shade ${name}`),
];
export const channels: readonly EvidenceChannel[] = [...mapChannels, ...shadeChannels];

/** Weights of the nine cells of the frame (rows from the top) in each region; a region is a weighted mean. */
export const regions = {
  whole: [1, 1, 1, 1, 1, 1, 1, 1, 1],
  top: [1, 1, 1, 0, 0, 0, 0, 0, 0],
  middle: [0, 0, 0, 1, 1, 1, 0, 0, 0],
  bottom: [0, 0, 0, 0, 0, 0, 1, 1, 1],
  left: [1, 0, 0, 1, 0, 0, 1, 0, 0],
  right: [0, 0, 1, 0, 0, 1, 0, 0, 1],
  centre: [0, 0, 0, 0, 1, 0, 0, 0, 0],
  border: [1, 1, 1, 1, 0, 1, 1, 1, 1],
} as const;
export type FrameRegion = keyof typeof regions;
export const regionNames = Object.keys(regions) as FrameRegion[];

/** Measures of the whole frame that are not averages of a channel. */
export const scalars = [
  'contrast', // standard deviation of lightness over the points
  'colour spread', // standard deviation of the colour over the points
  'range', // from the darkest to the lightest patch
  'highlight', // lightest patch
  'horizontal share', // share of the edge strength in horizontal lines
  'vertical share', // … in vertical lines
  'diagonal share', // … in the stronger diagonal
  'spread', // 1 when edges are as strong in every cell, 0 when they are in one
  'row pattern', // share of the variation that is the same along every row
  'column pattern', // share of the variation that is the same along every column
  'sharpness', // finest detail against coarse edges
  'symmetry', // similarity with the mirror picture, -1..1
  'tint', // how far the colours lie on one side: length of the mean chroma over the mean of the lengths
  'even', // 1 when every patch has one lightness
  'repeat across', // how well the frame repeats itself along its rows at the best distance, 0..1, without what is the same in a row
  'repeat down', // … along its columns, without what is the same in a column
  'repeat rising', // … from bottom left to top right
  'repeat falling', // … from top left to bottom right
  'flat', // share of points around which nothing varies, as in drawings and test patterns
  'flat bands', // share of the rows, or of the columns, of points that are all of one colour, whichever is more
] as const;
type Scalar = (typeof scalars)[number];

export type EvidenceName = `${FrameRegion} ${EvidenceChannel}` | Scalar;

/** In the order of the evidence vector. */
export const evidenceNames: readonly EvidenceName[] = [
  ...regionNames.flatMap((region) => channels.map((channel): EvidenceName => `${region} ${channel}`)),
  ...scalars,
];
export const evidenceCount = evidenceNames.length;
const positions = new Map<string, number>(evidenceNames.map((name, i) => [name, i]));

/** Where a piece of evidence lies in the evidence vector. */
export function evidenceIndex(name: EvidenceName): number {
  const at = positions.get(name);
  if (at === undefined) throw new RangeError(`there is no evidence called "${name}"`);
  return at;
}
