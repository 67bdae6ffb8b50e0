// Units that guess at simple scenes from materials, where they lie in the frame, and light. They are rough on purpose:
// each says what such a frame nearly always has. See units.ts for how to read a row.
import type { Ramp } from './units.ts';

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
    ['bottom water', 0.2, 0.7],
    ['middle water', 0.05, 0.3],
    ['lying', 0.24, 0.36],
    ['top lightness', 0.3, 0.55],
    ['bottom texture', 0.004, 0.012],
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
    ['bottom snow', 0.2, 0.6],
    ['bottom lightness', 0.62, 0.82],
    ['sharpness', 0.85, 0.6],
    ['whole warm', 0.05, 0.02],
    ['bottom edge', 0.35, 0.12],
    ['contrast', 0.01, 0.04],
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
    ['whole night', 0.2, 0.7],
    ['whole lightness', 0.5, 0.27],
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
    ['whole lightness', 0.35, 0.15],
    ['whole glint', 0.0005, 0.005],
    ['whole coarse', 0.03, 0.01],
  ],
  sunset: [
    ['whole dusk', 0.12, 0.45],
    ['top texture', 0.05, 0.025],
    ['whole warm', 0.02, 0.07],
    ['lying', 0.24, 0.36],
    ['contrast', 0.06, 0.14],
    ['whole skin', 0.6, 0.35],
  ],
  fire: [
    ['whole flame', 0.03, 0.25],
    ['whole night', 0.08, 0.35],
    ['highlight', 0.6, 0.85],
    ['whole warm', 0.012, 0.05],
  ],
  'skin close-up': [
    ['centre skin', 0.15, 0.6],
    ['whole skin', 0.08, 0.35],
    ['whole texture', 0.09, 0.04],
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
    ['contrast', 0.06, 0.16],
    ['colour spread', 0.1, 0.04],
    ['sharpness', 0.3, 0.6],
    ['diagonal', 0.25, 0.18],
  ],
  landscape: [
    ['lying', 0.22, 0.34],
    ['top texture', 0.05, 0.02],
    ['top lightness', 0.45, 0.65],
    ['bottom texture', 0.008, 0.03],
    ['row pattern', 0.3, 0.7],
  ],
  portrait: [
    ['centre skin', 0.08, 0.4],
    ['border skin', 0.5, 0.2],
    ['centre gradient', 0.01, 0.03],
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
