// The models the program knows by name.
import type { ModelRow } from '../contract.ts';
import { faceRows } from './faces.ts';
import { speechRows } from './speech.ts';
import { summaryRows } from './summary.ts';
import { sightRows, visualRows } from './visual.ts';
import { voiceRows } from './voice.ts';

export const defaultModelKey = 'starter-visual-3';
export const builtInRows: readonly ModelRow[] = [
  ...visualRows,
  ...speechRows,
  ...voiceRows,
  ...faceRows,
  ...sightRows,
  ...summaryRows,
];
