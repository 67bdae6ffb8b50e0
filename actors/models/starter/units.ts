// Units: what starter-visual can say about a frame beyond its colours, each as a soft "and" of ramps over
// evidence.

import type { Ramp } from './ramp.ts';
import { scenes } from './scenes.ts';

// Units that describe how a frame looks: light, colour as a whole, focus, structure. See ramp.ts for how to
// read a row.

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
