// Which units are fitted, and how each is made: of its fit alone, or of its rule and its fit. Written by
// bench/starter-fit.ts, with fits.bin, whose order it has.
import type { UnitName } from './units.ts';

export const ways: Readonly<Partial<Record<UnitName, 'fit' | 'both'>>> = {
  'blue sky': 'fit',
  'cloudy sky': 'fit',
  clouds: 'fit',
  sea: 'fit',
  underwater: 'fit',
  forest: 'fit',
  foliage: 'fit',
  grass: 'fit',
  snow: 'fit',
  beach: 'fit',
  sand: 'fit',
  desert: 'fit',
  night: 'fit',
  'city lights': 'fit',
  stars: 'fit',
  sunset: 'fit',
  fire: 'both',
  fog: 'fit',
  rock: 'fit',
  landscape: 'both',
  document: 'both',
  text: 'fit',
  portrait: 'fit',
  plain: 'fit',
};
