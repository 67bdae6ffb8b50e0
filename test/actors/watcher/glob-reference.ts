// Globs as they are described, in the plainest way: every way to share out a name is tried, letter by letter.

/** Both in lower case; `glob` holds no separator. */
export function naiveMatch(glob: string, name: string): boolean {
  if (name === glob) return true;
  return [glob, ...naiveBraces(glob)].some((way) => name === way || letters([...way], [...name]));
}

/** Segment lists; `path` and `glob` are relative to the watched folder. */
export function naiveFolderMatch(glob: string, path: string): boolean {
  const isPath = /[/\\]/.test(glob);
  const names = path.split('/');
  return [glob, ...naiveBraces(glob)].some((way) => {
    const segments = way.split(/[/\\]/).filter((segment) => segment.length > 0);
    const plain = (segment: string, name: string) => name === segment || letters([...segment], [...name]);
    if (!isPath) return names.some((name) => plain(way, name));
    for (let at = 0; at < segments.length; at++) {
      if (at >= names.length || !plain(segments[at]!, names[at]!)) return false;
    }
    return true;
  });
}

function letters(glob: readonly string[], name: readonly string[]): boolean {
  const [first, ...rest] = glob;
  if (first === undefined) return name.length === 0;
  if (first === '*') return letters(rest, name) || (name.length > 0 && letters(glob, name.slice(1)));
  const [letter, ...others] = name;
  if (letter === undefined) return false;
  if (first === '?') return letters(rest, others);
  const close = first === '[' ? classLength(glob) : 0;
  if (close > 0) return isInClass(glob.slice(1, close), letter) && letters(glob.slice(close + 1), others);
  return first === letter && letters(rest, others);
}

/** Index of the `]` of the class at the front; 0 when there is none. */
function classLength(glob: readonly string[]): number {
  let at = glob[1] === '!' || glob[1] === '^' ? 3 : 2;
  for (; at < glob.length; at++) if (glob[at] === ']') return at;
  return 0;
}

function isInClass(body: readonly string[], letter: string): boolean {
  const isNegated = body[0] === '!' || body[0] === '^';
  const members = isNegated ? body.slice(1) : body;
  let isIn = false;
  for (let at = 0; at < members.length; at++) {
    if (members[at + 1] === '-' && at + 2 < members.length) {
      if (members[at]! <= letter && letter <= members[at + 2]!) isIn = true;
      at += 2;
    } else if (members[at] === letter) isIn = true;
  }
  return isIn !== isNegated;
}

/** All that is written out, none when there are no braces with a comma. */
function naiveBraces(glob: string): string[] {
  const letters = [...glob];
  for (let open = 0; open < letters.length; open++) {
    const skip = letters[open] === '[' ? classSkip(letters, open) : 0;
    if (skip > 0) open += skip;
    else if (letters[open] === '{') {
      const cuts = cutsOf(letters, open);
      if (cuts.length < 3) continue;
      const parts = cuts.slice(1).map((cut, at) => letters.slice(cuts[at]! + 1, cut).join(''));
      const head = letters.slice(0, open).join('');
      const tail = letters.slice(cuts.at(-1)! + 1).join('');
      return parts.flatMap((part) => {
        const whole = head + part + tail;
        const more = naiveBraces(whole);
        return more.length > 0 ? more : [whole];
      });
    }
  }
  return [];
}

/** Where the braces that open there open, are divided and close; fewer than three when they are a text. */
function cutsOf(letters: readonly string[], open: number): number[] {
  const cuts = [open];
  let depth = 0;
  for (let at = open; at < letters.length; at++) {
    at += letters[at] === '[' ? classSkip(letters, at) : 0;
    if (letters[at] === '{') depth++;
    if (letters[at] === ',' && depth === 1) cuts.push(at);
    if (letters[at] === '}' && --depth === 0) return [...cuts, at];
  }
  return [];
}

function classSkip(letters: readonly string[], at: number): number {
  const length = classLength(letters.slice(at));
  return letters.slice(at, at + length).some((letter) => letter === '/' || letter === '\\') ? 0 : length;
}
