// How units are recognised beyond their rules: logistic regressions over what the graph measures. Written by
// bench/starter-fit.ts, which fits them on photographs and drawings; docs/decisions/0029 names them and has the figures.
import type { Fit } from './fit.ts';
import type { UnitName } from './units.ts';

// biome-ignore format: a table
export const fits: Readonly<Partial<Record<UnitName, Fit>>> = {
  'blue sky': {
    with: 'fit', bias: -2.98, rule: 2.44,
    weights: {
      'top water': 0.46, 'middle horizontal': 0.39, 'middle clear sky': 0.44, 'bottom foliage': 0.47,
      'bottom earth': 0.41, 'top snow': 0.43, 'horizontal share': 0.42, 'top cool': 0.56,
      'middle foliage': 0.39, 'vertical share': -0.36, 'top clear sky': 0.38, 'bottom vivid': -0.28,
    },
  },
  'cloudy sky': {
    with: 'both', bias: -3.04, rule: 0.94,
    weights: {
      'top cloud': 0.95, 'bottom grass': 0.37, 'middle mineral': 0.46, 'centre texture': 0.31,
      'top clear sky': 0.44, 'middle horizontal': 0.43, 'whole cloud': 0.54, 'top water': 0.45,
      'middle vertical': 0.35, 'middle tinted': -0.49, even: -0.44, 'bottom foliage': 0.3,
    },
  },
  clouds: {
    with: 'fit', bias: -1.31, rule: -0.06,
    weights: {
      'middle horizontal': 0.7, 'middle mineral': 0.51, 'top water': 0.73, 'top cloud': 0.71,
      'vertical share': -0.72, range: 0.43, 'bottom earth': 0.44, 'top clear sky': 0.48,
      'bottom water': -0.39, 'middle foliage': 0.44, 'middle snow': 0.36, symmetry: -0.31,
    },
  },
  sea: {
    with: 'both', bias: -2.74, rule: 3.24,
    weights: {
      'middle horizontal': 0.71, 'top snow': 0.36, 'bottom water': 0.48, 'bottom foliage': 0.29,
      'vertical share': -0.55, 'bottom warm': -0.59, 'flat bands': -0.47, symmetry: -0.28,
      'top skin': 0.45, 'top grass': 0.38, 'row pattern': 0.29, 'top clear sky': 0.26,
    },
  },
  forest: {
    with: 'both', bias: -3.55, rule: 1.23,
    weights: {
      'bottom earth': 0.66, 'top foliage': 0.57, 'top snow': 0.41, 'top grass': 0.57,
      'middle earth': 0.5, 'centre foliage': 0.44, 'bottom lightness': -0.52, 'top cloud': 0.38,
      'border foliage': 0.47, tint: 0.38, 'middle horizontal': -0.43, 'bottom horizontal': 0.41,
    },
  },
  foliage: {
    with: 'fit', bias: -4.36, rule: 0.6,
    weights: {
      'middle foliage': 0.44, 'top grass': 0.32, 'top foliage': 0.39, 'centre foliage': 0.34,
      'whole foliage': 0.35, 'middle grass': 0.32, 'border foliage': 0.34, 'middle lightness': -0.29,
      'repeat rising': -0.31, 'whole lightness': -0.28, 'whole grass': 0.26, 'diagonal share': 0.26,
    },
  },
  grass: {
    with: 'both', bias: -3.33, rule: 2.74,
    weights: {
      'centre foliage': 0.52, tint: -0.4, 'bottom grass': 0.62, 'bottom lightness': -0.37,
      'bottom foliage': 0.33, 'middle horizontal': 0.42, symmetry: -0.38, 'top water': 0.41,
      'middle foliage': 0.36, 'bottom glint': -0.36, 'middle grass': 0.29, 'top earth': 0.28,
    },
  },
  snow: {
    with: 'both', bias: -3.5, rule: 2.5,
    weights: {
      'middle edge': 0.46, 'bottom water': 0.46, 'middle tinted': -0.72, 'middle snow': 0.6,
      'bottom vertical': 0.73, tint: 0.5, 'vertical share': -0.36, 'middle mineral': 0.45,
      'top horizontal': 0.51, 'top clear sky': 0.29, 'diagonal share': 0.4, 'bottom clear sky': 0.39,
    },
  },
  beach: {
    with: 'both', bias: -4.12, rule: 2,
    weights: {
      'top clear sky': 0.8, 'horizontal share': 0.35, 'bottom mineral': 0.4, 'middle water': 0.39,
      'bottom horizontal': 0.44, symmetry: -0.46, 'row pattern': 0.44, 'top vivid': -0.54,
      'middle horizontal': 0.3, 'top water': 0.43, 'bottom sand': 0.42, 'repeat down': 0.47,
    },
  },
  sand: {
    with: 'fit', bias: -4.07, rule: 1.99,
    weights: {
      'middle water': 0.6, 'horizontal share': 0.48, 'top water': 0.53, 'bottom sand': 0.66,
      'bottom mineral': 0.33, 'top clear sky': 0.41, 'bottom skin': 0.47, tint: -0.28,
      'bottom tinted': -0.32, symmetry: -0.32, 'flat bands': 0.29, spread: 0.32,
    },
  },
  desert: {
    with: 'both', bias: -4.99, rule: 1.7,
    weights: {
      'middle clear sky': 0.28, 'bottom skin': 0.5, 'top water': 0.47, 'flat bands': 0.56,
      'bottom earth': 0.56, 'bottom sand': 0.39, tint: -0.39, 'top cool': 0.32,
      'middle water': 0.39, 'top clear sky': 0.28, 'whole sand': 0.27, 'centre texture': -0.28,
    },
  },
  night: {
    with: 'both', bias: -3.22, rule: 1.31,
    weights: {
      'top lightness': -0.52, 'middle water': 0.38, 'bottom tinted': -0.36, 'top dark': 0.59,
      spread: -0.4, 'bottom dark': 0.42, 'top mineral': 0.31, highlight: 0.37,
      'whole lightness': -0.42, 'whole water': 0.41, 'bottom mineral': 0.33, 'border lightness': -0.43,
    },
  },
  'city lights': {
    with: 'both', bias: -3.51, rule: 2.43,
    weights: {
      'middle edge': 0.93, 'bottom lightness': -0.63, 'top clear sky': 0.38, 'bottom tinted': -0.37,
      'diagonal share': 0.42, 'top dark': 0.45, 'middle texture': 0.63, 'middle mineral': 0.46,
      'centre lightness': -0.44, 'centre foliage': -0.36, 'top texture': -0.39, 'bottom texture': 0.38,
    },
  },
  stars: {
    with: 'fit', bias: -4.05, rule: 0.72,
    weights: {
      'whole dark': 0.56, 'middle cool': 0.53, contrast: -0.52, 'bottom dark': 0.56,
      highlight: 0.46, 'top dark': 0.54, 'middle water': 0.52, 'centre chroma': 0.43,
      'flat bands': -0.39, tint: 0.42, 'whole lightness': -0.47, 'repeat rising': 0.24,
    },
  },
  sunset: {
    with: 'fit', bias: -2.94, rule: 1.34,
    weights: {
      'horizontal share': 0.61, 'top mineral': 0.71, 'top skin': 0.84, 'middle horizontal': 0.45,
      'bottom lightness': -0.49, range: 0.51, 'vertical share': -0.71, 'bottom cool': 0.4,
      'bottom earth': 0.4, 'diagonal share': 0.45, 'whole horizontal': 0.51, 'bottom dark': 0.37,
    },
  },
  fire: {
    with: 'both', bias: -5.82, rule: 3.01,
    weights: {
      'middle night': 0.32, spread: -0.32, 'top dark': 0.29, symmetry: 0.28,
      range: 0.34, 'whole night': 0.3, 'bottom warm': 0.29, 'middle dark': 0.3,
      'border night': 0.3, 'bottom flame': 0.28, 'bottom earth': 0.28, 'middle texture': -0.25,
    },
  },
  fog: {
    with: 'both', bias: -3.9, rule: 2.27,
    weights: {
      'top clear sky': 0.71, 'bottom water': 0.47, 'middle mineral': 0.5, 'horizontal share': -0.61,
      'colour spread': -0.47, 'flat bands': 0.42, 'whole clear sky': 0.44, highlight: -0.39,
      'centre chroma': -0.51, 'top lightness': 0.47, 'row pattern': -0.4, 'middle water': 0.31,
    },
  },
  rock: {
    with: 'both', bias: -2.83, rule: 2.52,
    weights: {
      'middle edge': 0.62, 'middle skin': 0.57, contrast: 0.29, 'bottom earth': 0.34,
      'diagonal share': 0.74, 'middle horizontal': 0.53, 'bottom glint': -0.67, 'middle warm': 0.61,
      tint: -0.44, 'top horizontal': 0.73, 'top night': 0.35, 'bottom lightness': -0.37,
    },
  },
  landscape: {
    with: 'both', bias: -2.39, rule: 1.18,
    weights: {
      'middle clear sky': 0.57, 'bottom grass': 0.32, 'whole clear sky': 0.35, 'top snow': 0.29,
      'top clear sky': 0.34, 'bottom earth': 0.2, 'middle cool': 0.25, 'middle vivid': -0.23,
      'top cool': 0.21, 'middle snow': 0.19, 'column pattern': -0.18, 'middle water': 0.19,
    },
  },
  document: {
    with: 'both', bias: -4.88, rule: 2.06,
    weights: {
      tint: -0.44, 'repeat down': 0.37, 'top paper': 0.42, 'top texture': 0.39,
      'bottom cloud': 0.31, sharpness: 0.4, 'repeat falling': 0.39, 'middle mineral': 0.32,
      'bottom paper': 0.39, 'repeat rising': 0.4, 'middle glint': -0.35, 'whole tinted': -0.36,
    },
  },
  text: {
    with: 'fit', bias: -3.68, rule: 2.85,
    weights: {
      flat: 0.53, spread: -0.51, 'centre texture': 0.47, 'bottom clear sky': 0.5,
      'bottom paper': 0.37, 'repeat falling': 0.47, contrast: -0.44, 'colour spread': -0.45,
      'flat bands': 0.24, 'repeat rising': 0.41, 'bottom edge': -0.33, sharpness: 0.36,
    },
  },
  portrait: {
    with: 'fit', bias: -4.96, rule: 3.76,
    weights: {
      'top earth': 0.53, symmetry: 0.58, 'top skin': 0.57, 'middle earth': 0.49,
      'bottom warm': -0.38, 'centre skin': 0.67, 'bottom sand': -0.31, contrast: 0.38,
      'middle mineral': 0.29, 'bottom earth': -0.33, tint: -0.28, 'middle tinted': -0.32,
    },
  },
  plain: {
    with: 'both', bias: -3.55, rule: 2.89,
    weights: {
      even: 0.5, flat: 0.46, 'bottom clear sky': 0.26, range: -0.41,
      'bottom mineral': 0.18, 'bottom dark': -0.27, 'horizontal share': -0.36, contrast: -0.39,
      'border texture': -0.3, 'border night': -0.28, 'bottom cool': 0.23, 'middle cloud': 0.2,
    },
  },
};
