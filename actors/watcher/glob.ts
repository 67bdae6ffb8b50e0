// Globs of one name, without separators: `*`, `?`, `[…]`, `{a,b}`. No glob takes longer than its length times
// that of the name, so that none of a hand-written list can stop a poll.

/** Takes a folded name. */
export type Matches = (name: string) => boolean;

type Token = '*' | ((character: string) => boolean);

/** A class, whose first member may be `]`; stars; or one character. */
const tokens = /\[(?:([!^])|(?![!^]))([^/][^\]/]*)\]|\*+|./gsu;

export function hasWildcard(segment: string): boolean {
  return /[*?[]/.test(segment);
}

/** Matcher of a whole segment, which is folded. Throws SyntaxError for a range that runs backwards. */
export function globOf(segment: string): Matches {
  const parsed = Array.from(segment.matchAll(tokens), ([text, negation, members]) =>
    members === undefined ? tokenOf(text) : classOf(negation !== undefined, members),
  );
  return (name) => isMatch(parsed, [...name]);
}

function tokenOf(text: string): Token {
  if (text.startsWith('*')) return '*';
  return text === '?' ? () => true : (character) => character === text;
}

function classOf(isNegated: boolean, members: string): Token {
  const escaped = members.replace(/[\\[\]]/g, '\\$&');
  const expression = new RegExp(`^[${isNegated ? '^' : ''}${escaped}]$`, 'u');
  return (character) => expression.test(character);
}

/** Where what follows a star fits first is as good as any later place: the next star takes the rest. */
function isMatch(parsed: readonly Token[], name: readonly string[]): boolean {
  let [token, at] = [0, 0];
  let [star, from] = [-1, 0];
  while (at < name.length) {
    const next = parsed[token];
    if (next === '*') {
      [star, from] = [token, at];
      token++;
    } else if (next?.(name[at]!)) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++from;
    } else return false;
  }
  return parsed.slice(token).every((rest) => rest === '*');
}

/**
 * `{a,b}` written out, nested ones too; of more than `most` the first, one more than that. Braces without a
 * comma are texts.
 */
export function writtenOut(glob: string, most: number): string[] {
  const parts = glob.match(tokens) ?? [];
  const cuts = bracesOf(parts);
  const [open, ...ends] = cuts;
  if (open === undefined) return [glob];
  const text = (from: number, to?: number) => parts.slice(from, to).join('');
  const middles = ends.flatMap((end, i) => writtenOut(text(cuts[i]! + 1, end), most)).slice(0, most + 1);
  const tails = writtenOut(text(ends.at(-1)! + 1), most);
  return middles.flatMap((middle) => tails.map((tail) => text(0, open) + middle + tail)).slice(0, most + 1);
}

/** Where the first braces with a comma open, are divided, and close; empty when there are none. */
function bracesOf(parts: readonly string[]): number[] {
  for (let open = parts.indexOf('{'); open >= 0; open = parts.indexOf('{', open + 1)) {
    const cuts = [open];
    for (let [at, depth] = [open, 0]; at < parts.length; at++) {
      if (parts[at] === '{') depth++;
      else if (parts[at] === ',' && depth === 1) cuts.push(at);
      else if (parts[at] === '}' && --depth === 0) {
        if (cuts.length > 1) return [...cuts, at];
        break;
      }
    }
  }
  return [];
}
