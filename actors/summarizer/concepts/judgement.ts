// Which concepts a visual model may be believed. Pure.
import { defaultModelKey } from '../../models/rows/list.ts';
import type { Concept, GroupName } from './lexicon.ts';

/** The model that comes with the program: it knows words by their stems, and cannot tell a thing from its colours. */
const starter = defaultModelKey;

const starterGroups: ReadonlySet<GroupName> = new Set(['time_of_day', 'colour']);
/** Of other groups what it tells by colours, light and their places in the picture. */
const starterConcepts: ReadonlySet<string> = new Set([
  'bright light',
  'dim light',
  'city lights',
  'firelight',
  'almost complete darkness',
  'a clear blue sky',
  'a grey overcast sky',
  'a beach',
  'the sea',
  'a forest',
  'a meadow',
  'hills',
  'mountains',
  'a snowy mountain',
  'grass',
  'flames',
  'a campfire',
]);

export function namesConcept(model_key: string, { name, group }: Concept): boolean {
  if (model_key !== starter) return true;
  // Every fire is sepia to it.
  return (starterGroups.has(group) && name !== 'tinted sepia') || starterConcepts.has(name);
}

/**
 * Deviations above the bound from which on a concept is there for sure. To the starter model anything green is a little like
 * a forest: of what is more than a colour or the time of day it has to see much.
 */
export function sureFrom(model_key: string, { group }: Concept): number {
  return model_key === starter && !starterGroups.has(group) ? 2 : 0.5;
}

/** What is not to be expected of a model's names of pictures, for people; null when nothing special is known. */
export function limitationOf(model_key: string): string | null {
  if (model_key !== starter) return null;
  return `${starter} tells colours, light and kinds of places only; it names no things, no people and no actions.`;
}
