// The implementation of each family of speech models, by the row's `family`.
import { modelErrors, type SpeechRow } from '../models/contract.ts';
import type { Family } from './family.ts';
import { parakeet } from './parakeet/family.ts';
import { whisper } from './whisper/family.ts';
import { x3asr } from './x3asr/family.ts';

const families: ReadonlyMap<string, Family> = new Map<string, Family>([
  ['x3asr', x3asr],
  ['parakeet', parakeet],
  ['whisper', whisper],
]);

/** Throws MODEL_INVALID for a family that is not implemented. */
export function familyOf(row: SpeechRow): Family {
  const family = families.get(row.family);
  if (family) return family;
  const known = [...families.keys()].join(', ');
  throw modelErrors.MODEL_INVALID(
    `The model "${row.key}" is of the family "${row.family}"; there is ${known}`,
    { key: row.key },
  );
}
