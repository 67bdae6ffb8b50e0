// The rule for a person's name, wherever one is given: to clusters of faces, with sample pictures, to
// speakers.
import { errorTable } from '../../../runtime/errors.ts';

/** Letters of a name, as code points. */
export const mostNameLetters = 200;

export const nameErrors = errorTable({
  BAD_NAME: { meaning: 'The name is not valid', status: 400 },
});

/** Cc is what a terminal obeys; the other two end a line. */
const unprintable = /[\p{Cc}\u2028\u2029]/u;

/** A name as it is stored and compared: accents composed, single spaces, and none around it. */
export function plainName(name: string): string {
  return name.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

/** Why nobody can be given this name; null when somebody can. An empty one can: it takes a name away. */
export function nameProblem(name: string): string | null {
  const plain = plainName(name);
  if (unprintable.test(name)) return 'contains a control character';
  if (name !== '' && plain === '') {
    return 'is blank; use an empty string or null to remove the name';
  }
  if (!name.isWellFormed()) return 'contains half of a character (a lone surrogate)';
  // Counted by code points, as a person would.
  const letters = [...plain].length;
  return letters > mostNameLetters
    ? `has ${letters} characters, more than the maximum of ${mostNameLetters}`
    : null;
}

/** The plain name. Throws BAD_NAME naming `field`. */
export function givenName(name: string, field: string): string {
  const problem = nameProblem(name);
  if (problem !== null) throw nameErrors.BAD_NAME(`${field} ${problem}`, { field });
  return plainName(name);
}
