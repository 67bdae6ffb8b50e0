// The models the program knows by name.
import type { ModelRow } from './contract.ts';
import { speechRows } from './rows-speech.ts';
import { visualRows } from './rows-visual.ts';
import { voiceRows } from './rows-voice.ts';

export const defaultModelKey = 'starter-visual';
export const builtInRows: readonly ModelRow[] = [...visualRows, ...speechRows, ...voiceRows];
