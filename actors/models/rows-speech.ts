// The speech models the program knows by name.
import type { ModelRow } from './contract.ts';

export const speechRows: readonly ModelRow[] = [];
