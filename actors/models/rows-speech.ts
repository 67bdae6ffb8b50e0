// The speech models the program knows by name.
import type { ModelRow } from './contract.ts';
import { parakeetRows } from './rows-parakeet.ts';
import { whisperRows } from './rows-whisper.ts';
import { x3asrRows } from './rows-x3asr.ts';

export const speechRows: readonly ModelRow[] = [...x3asrRows, ...parakeetRows, ...whisperRows];
