// Which code runs which family of visual models, by the row's `family`.
import { modelErrors, type VisualRow } from '../models/contract.ts';
import { clip } from './clip.ts';
import type { Family } from './family.ts';
import { siglip } from './siglip.ts';
import { starterFamily } from './starter.ts';

const families: ReadonlyMap<string, Family> = new Map([
  ['starter', starterFamily],
  ['siglip', siglip],
  ['clip', clip],
]);

/** Throws MODEL_INVALID for a family that no code runs. */
export function familyOf(row: VisualRow): Family {
  const family = families.get(row.family);
  if (family) return family;
  const known = [...families.keys()].join(', ');
  throw modelErrors.MODEL_INVALID(
    `The model "${row.key}" is of the family "${row.family}"; there is ${known}`,
    {
      key: row.key,
    },
  );
}
