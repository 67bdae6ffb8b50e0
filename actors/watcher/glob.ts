// Wildcards of one name, without separators: `*`, `?`, `[…]`, `{a,b}`.
//
// A matcher of globs turns each `*` into a regular expression's, which tries every way to share out a name:
// `*a*a*a*a*b` takes hours on a long one. So picomatch translates what stands between stars, and the pieces
// are joined in such a way that each is looked for once, from left to right: the first place where it fits is
// as good as any later one, for the next star takes the rest.
import picomatch from 'picomatch';

/** Takes a folded name. */
export type Matches = (name: string) => boolean;

/** Everything but `?`, `[…]` and texts is taken out before. */
const options = {
  dot: true,
  fastpaths: false,
  literalBrackets: false,
  maxLength: 65_536,
  nobrace: true,
  noextglob: true,
  noglobstar: true,
  nonegate: true,
  posix: false,
  strictSlashes: true,
};

export function hasWildcard(segment: string): boolean {
  return /[*?[]/.test(segment);
}

/** Matcher of a whole segment, which is folded. Throws SyntaxError for a range that runs backwards. */
export function globOf(segment: string): Matches {
  const [first, ...others] = piecesBetweenStars(segment).map(
    (piece) => picomatch.parse(piece, options).output,
  );
  const last = others.pop();
  // What a lookahead has found is not looked for again.
  const middle = others.map((piece, at) => `(?=([^/]*?${piece}))\\${at + 1}`);
  const source = last === undefined ? first : `${first}${middle.join('')}[^/]*${last}`;
  const expression = new RegExp(`^${source}$`, 'u');
  return (name) => expression.test(name);
}

/**
 * `{a,b}` written out, nested ones too; null when it would be more than `most`. Braces without a comma are
 * texts.
 */
export function writtenOut(text: string, most: number): string[] | null {
  const braces = bracesIn(text);
  if (braces === null) return [text];
  const tails = writtenOut(braces.after, most);
  const heads: string[] = [];
  for (const alternative of braces.alternatives) {
    const ways = writtenOut(alternative, most);
    if (ways === null || heads.length + ways.length > most) return null;
    heads.push(...ways);
  }
  if (tails === null || heads.length * tails.length > most) return null;
  return heads.flatMap((head) => tails.map((tail) => braces.before + head + tail));
}

function piecesBetweenStars(segment: string): string[] {
  const pieces = [''];
  const add = (text: string) => {
    pieces[pieces.length - 1] += text;
  };
  for (let at = 0; at < segment.length; at++) {
    const character = segment[at]!;
    const end = classEnd(segment, at);
    if (character === '*') {
      if (segment[at - 1] !== '*') pieces.push('');
    } else if (end > at) {
      add(segment.slice(at, end + 1).replace(/^\[!/, '[^'));
      at = end;
    } else {
      // These mean something to picomatch, and in a class nothing.
      add('[(){}|"'.includes(character) ? `[${character}]` : character);
    }
  }
  return pieces;
}

/**
 * Where the class that begins at `at` ends; -1 when none begins. A `]` that comes first belongs to it, a
 * separator never.
 */
function classEnd(text: string, at: number): number {
  if (text[at] !== '[') return -1;
  const begin = /[!^]/.test(text[at + 1] ?? '') ? at + 2 : at + 1;
  const end = text.indexOf(']', begin + 1);
  return text.slice(at, end).includes('/') ? -1 : end;
}

interface Braces {
  readonly before: string;
  readonly alternatives: readonly string[];
  readonly after: string;
}

function bracesIn(text: string): Braces | null {
  for (let at = 0; at < text.length; at++) {
    at = Math.max(at, classEnd(text, at));
    const found = text[at] === '{' ? bracesAt(text, at) : null;
    if (found) return found;
  }
  return null;
}

function bracesAt(text: string, open: number): Braces | null {
  const alternatives: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < text.length; at++) {
    at = Math.max(at, classEnd(text, at));
    const character = text[at];
    if (character === '{') depth++;
    const isEnd = character === '}' && --depth === 0;
    if (!isEnd && !(character === ',' && depth === 1)) continue;
    alternatives.push(text.slice(from, at));
    from = at + 1;
    if (!isEnd) continue;
    return alternatives.length > 1
      ? { before: text.slice(0, open), alternatives, after: text.slice(from) }
      : null;
  }
  return null;
}
