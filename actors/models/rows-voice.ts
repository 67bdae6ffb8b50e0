// The models the program knows by name that tell where somebody speaks, and who.
import type { ModelRow } from './contract.ts';

export const voiceRows: readonly ModelRow[] = [];
