// The speech models the program knows by name.
import type { ModelRow } from '../contract.ts';
import { parakeetRows } from './parakeet.ts';
import { whisperRows } from './whisper.ts';
import { x3asrRows } from './x3asr.ts';

export const speechRows: readonly ModelRow[] = [...x3asrRows, ...parakeetRows, ...whisperRows];
