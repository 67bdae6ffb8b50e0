// The implementation of each family of language models, by the row's `family`.
import { modelErrors, type SummaryRow } from '../../models/contract.ts';
import { qwen3vl } from './families/qwen3vl.ts';
import { smolvlm } from './families/smolvlm.ts';
import type { Family } from './family.ts';

const families: ReadonlyMap<string, Family> = new Map([
  ['qwen3vl', qwen3vl],
  ['smolvlm', smolvlm],
]);

/** Throws MODEL_INVALID for a family that is not implemented. */
export function familyOf({ key, family }: SummaryRow): Family {
  const found = families.get(family);
  if (found) return found;
  const known = [...families.keys()].join(', ');
  throw modelErrors.MODEL_INVALID(`The model "${key}" is of the family "${family}"; there is ${known}`, {
    key,
  });
}
