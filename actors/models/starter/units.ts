// Units: what starter-visual can say about a frame beyond its colours, each as a soft "and" of ramps over
// evidence.
import type { EvidenceName } from './evidence.ts';

// Units that recognise simple scenes by materials, their place in the frame, and light. They are rough on
// purpose: each says what such a frame nearly always has. Rows are of `Ramp`.

export const scenes = {
  'blue sky': [
    ['top clear sky', 0.1, 0.6],
    ['top lightness', 0.4, 0.6],
    ['top texture', 0.06, 0.025],
  ],
  'cloudy sky': [
    ['top cloud', 0.12, 0.5],
    ['top lightness', 0.5, 0.7],
    ['top texture', 0.05, 0.02],
    ['top texture', 0.001, 0.004],
    ['whole tinted', 0.01, 0.05],
  ],
  sea: [
    ['whole water', 0.08, 0.4],
    ['horizontal share', 0.27, 0.42],
    ['vertical share', 0.28, 0.14],
    ['row pattern', 0.03, 0.2],
    ['whole texture', 0.003, 0.01],
    ['whole foliage', 0.25, 0.08],
    ['bottom grass', 0.4, 0.15],
  ],
  underwater: [
    ['whole water', 0.4, 0.8],
    ['tint', 0.7, 0.95],
    ['whole texture', 0.06, 0.02],
    ['whole chroma', 0.04, 0.08],
  ],
  foliage: [
    ['whole foliage', 0.08, 0.5],
    ['whole texture', 0.02, 0.05],
  ],
  forest: [
    ['whole foliage', 0.15, 0.55],
    ['middle foliage', 0.15, 0.55],
    ['whole texture', 0.03, 0.06],
    ['whole lightness', 0.75, 0.5],
  ],
  grass: [
    ['bottom grass', 0.2, 0.65],
    ['bottom texture', 0.006, 0.02],
  ],
  snow: [
    ['whole snow', 0.1, 0.35],
    ['bottom snow', 0.08, 0.3],
    ['whole lightness', 0.5, 0.68],
    ['whole warm', 0.04, 0.015],
    ['whole cool', 0.002, 0.01],
    ['sharpness', 0.95, 0.75],
    ['whole edge', 0.005, 0.03],
  ],
  sand: [
    ['bottom sand', 0.2, 0.65],
    ['bottom lightness', 0.45, 0.65],
    ['bottom edge', 0.5, 0.15],
  ],
  beach: [
    ['bottom sand', 0.15, 0.5],
    ['top lightness', 0.4, 0.6],
    ['whole cool', 0.005, 0.03],
    ['bottom edge', 0.5, 0.15],
  ],
  desert: [
    ['bottom sand', 0.2, 0.65],
    ['middle sand', 0.05, 0.4],
    ['whole foliage', 0.12, 0.02],
    ['middle water', 0.3, 0.1],
    ['top texture', 0.06, 0.03],
  ],
  night: [
    ['whole night', 0.12, 0.5],
    ['whole lightness', 0.52, 0.34],
    ['highlight', 0.25, 0.6],
  ],
  'city lights': [
    ['whole night', 0.15, 0.6],
    ['whole lightness', 0.52, 0.3],
    ['whole glint', 0.001, 0.008],
    ['whole warm glint', 0.0003, 0.003],
  ],
  stars: [
    ['whole night', 0.5, 0.9],
    ['whole lightness', 0.35, 0.18],
    ['whole glint', 0.0003, 0.003],
    ['whole coarse', 0.006, 0.002],
    ['whole warm glint', 0.002, 0.0004],
  ],
  sunset: [
    ['whole dusk', 0.08, 0.35],
    ['top texture', 0.06, 0.03],
    ['whole warm', 0.015, 0.055],
    ['horizontal share', 0.24, 0.36],
    ['contrast', 0.05, 0.12],
    ['whole skin', 0.6, 0.35],
  ],
  fire: [
    ['whole flame', 0.015, 0.12],
    ['whole night', 0.08, 0.35],
    ['highlight', 0.6, 0.85],
    ['whole warm', 0.01, 0.035],
    ['vertical share', 0.78, 0.6],
    ['diagonal share', 0.55, 0.35],
  ],
  'skin close-up': [
    ['centre skin', 0.15, 0.6],
    ['whole skin', 0.08, 0.35],
    ['whole texture', 0.09, 0.04],
    ['horizontal share', 0.48, 0.33],
    ['flat', 0.95, 0.8],
  ],
  document: [
    ['whole paper', 0.35, 0.75],
    ['whole chroma', 0.05, 0.02],
    ['whole edge', 0.03, 0.15],
    ['whole texture', 0.01, 0.045],
    ['sharpness', 0.35, 0.6],
  ],
  text: [
    ['whole edge', 0.05, 0.25],
    ['contrast', 0.03, 0.09],
    ['colour spread', 0.1, 0.04],
    ['sharpness', 0.3, 0.6],
    ['diagonal share', 0.25, 0.18],
    ['row pattern', 0.02, 0.12],
    ['whole foliage', 0.25, 0.08],
  ],
  landscape: [
    ['horizontal share', 0.22, 0.34],
    ['top texture', 0.05, 0.02],
    ['top lightness', 0.45, 0.65],
    ['bottom texture', 0.008, 0.03],
    ['row pattern', 0.3, 0.7],
  ],
  portrait: [
    ['centre skin', 0.08, 0.4],
    ['border skin', 0.5, 0.2],
    ['centre gradient', 0.01, 0.03],
    ['horizontal share', 0.48, 0.33],
  ],
  fog: [
    ['contrast', 0.14, 0.05],
    ['whole lightness', 0.5, 0.7],
    ['whole chroma', 0.05, 0.02],
    ['whole texture', 0.03, 0.01],
    ['contrast', 0.004, 0.02],
  ],
  clouds: [
    ['whole cloud', 0.1, 0.4],
    ['whole lightness', 0.5, 0.7],
    ['whole lightness', 0.97, 0.9],
    ['whole edge', 0.2, 0.05],
    ['contrast', 0.02, 0.06],
    ['whole texture', 0.05, 0.02],
  ],
  rock: [
    ['whole mineral', 0.25, 0.65],
    ['whole texture', 0.03, 0.07],
    ['whole chroma', 0.06, 0.03],
  ],
  concrete: [
    ['whole mineral', 0.3, 0.75],
    ['whole chroma', 0.05, 0.02],
    ['whole texture', 0.08, 0.03],
    ['whole texture', 0.003, 0.012],
  ],
  soil: [
    ['bottom earth', 0.2, 0.6],
    ['bottom texture', 0.015, 0.05],
  ],
} as const satisfies Record<string, readonly Ramp[]>;

// Units that describe how a frame looks: light, colour as a whole, focus, structure.

const looks = {
  bright: [['whole lightness', 0.5, 0.95]],
  dark: [['whole lightness', 0.6, 0.1]],
  'high contrast': [['contrast', 0.12, 0.34]],
  'low contrast': [['contrast', 0.17, 0.03]],
  'high key': [
    ['whole lightness', 0.75, 0.92],
    ['whole dark', 0.15, 0.01],
  ],
  'low key': [
    ['whole lightness', 0.42, 0.2],
    ['whole bright', 0.3, 0.08],
    ['highlight', 0.3, 0.6],
  ],
  backlit: [
    ['contrast', 0.15, 0.3],
    ['whole black', 0.08, 0.3],
    ['whole bright', 0.08, 0.3],
    ['centre dark', 0.15, 0.55],
  ],
  colourful: [
    ['whole chroma', 0.04, 0.14],
    ['colour spread', 0.04, 0.15],
  ],
  vivid: [['whole vivid', 0.08, 0.6]],
  muted: [
    ['whole chroma', 0.08, 0.03],
    ['whole chroma', 0.004, 0.012],
  ],
  pastel: [
    ['whole tinted', 0.3, 0.8],
    ['whole vivid', 0.2, 0.02],
    ['whole lightness', 0.7, 0.85],
  ],
  colourless: [
    ['whole chroma', 0.025, 0.006],
    ['whole tinted', 0.1, 0.01],
  ],
  sepia: [
    ['tint', 0.75, 0.93],
    ['whole yellow shift', 0.008, 0.03],
    ['whole red shift', -0.005, 0.008],
    ['colour spread', 0.04, 0.015],
    ['whole vivid', 0.2, 0.02],
    ['contrast', 0.02, 0.08],
  ],
  warm: [['whole warm', 0.008, 0.12]],
  cool: [['whole cool', 0.01, 0.08]],

  sharp: [
    ['sharpness', 0.22, 0.6],
    ['whole gradient', 0.01, 0.03],
  ],
  blurred: [
    ['sharpness', 0.35, 0.1],
    ['contrast', 0.03, 0.08],
    ['flat bands', 0.95, 0.8],
  ],
  busy: [
    ['whole edge', 0.08, 0.4],
    ['spread', 0.2, 0.7],
  ],
  plain: [
    ['whole texture', 0.03, 0.006],
    ['whole edge', 0.12, 0.01],
  ],
  empty: [
    ['whole edge', 0.04, 0.003],
    ['contrast', 0.16, 0.04],
  ],
  textured: [
    ['whole texture', 0.03, 0.1],
    ['spread', 0.5, 0.9],
  ],
  smooth: [['whole texture', 0.04, 0.01]],
  edges: [
    ['whole gradient', 0.02, 0.1],
    ['whole edge', 0.03, 0.2],
  ],

  'horizontal lines': [
    ['horizontal share', 0.35, 0.7],
    ['whole edge', 0.01, 0.06],
  ],
  'vertical lines': [
    ['vertical share', 0.35, 0.7],
    ['whole edge', 0.01, 0.06],
  ],
  'diagonal lines': [
    ['diagonal share', 0.3, 0.55],
    ['whole edge', 0.01, 0.06],
  ],
  'horizontal stripes': [
    ['repeat down', 0.2, 0.6],
    ['repeat across', 0.35, 0.1],
    ['horizontal share', 0.5, 0.85],
    ['whole edge', 0.04, 0.15],
  ],
  'vertical stripes': [
    ['repeat across', 0.2, 0.6],
    ['repeat down', 0.35, 0.1],
    ['vertical share', 0.5, 0.85],
    ['whole edge', 0.04, 0.15],
  ],
  'diagonal stripes': [
    ['repeat across', 0.2, 0.6],
    ['repeat down', 0.2, 0.6],
    ['diagonal share', 0.4, 0.75],
    ['whole edge', 0.04, 0.15],
  ],
  grid: [
    ['repeat across', 0.08, 0.35],
    ['repeat down', 0.08, 0.35],
    ['horizontal share', 0.15, 0.35],
    ['vertical share', 0.15, 0.35],
    ['diagonal share', 0.3, 0.1],
    ['whole edge', 0.03, 0.12],
  ],
  brickwork: [
    ['repeat across', 0.08, 0.3],
    ['repeat down', 0.2, 0.6],
    ['horizontal share', 0.4, 0.55],
    ['vertical share', 0.03, 0.1],
    ['diagonal share', 0.25, 0.12],
    ['column pattern', 0.35, 0.2],
  ],
  symmetrical: [
    ['symmetry', 0.4, 0.9],
    ['contrast', 0.03, 0.08],
  ],
} as const satisfies Record<string, readonly Ramp[]>;

export const units = { ...looks, ...scenes };
export type UnitName = keyof typeof units;
export const unitNames = Object.keys(units) as UnitName[];

/** Most ramps that one unit has; the graph gives every unit this many. */
export const RAMPS = 8;

// One condition of a unit: a ramp over one measure of the picture.

/** 0 at `from` and 1 at `to`, straight between them; with `from` above `to`, small values count. */
export type Ramp = readonly [evidence: EvidenceName, from: number, to: number];

/** Least value of a ramp: one condition that does not hold lowers a unit, but does not make it 0. */
export const RAMP_MIN = 0.02;
/** Greatest value of a ramp: above 1, so that clear cases still differ. */
export const RAMP_MAX = 1.06;
