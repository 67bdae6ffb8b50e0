// The JSON object in what a language model writes: there may be a fence and words around it, but only one
// object.

export type Read<T> = { readonly value: T } | { readonly problem: string };

/** UTF-16 units of an answer that are looked at. */
const longest = 100_000;

export function oneObject(answer: string): Read<Readonly<Record<string, unknown>>> {
  const text = answer.slice(0, longest);
  const found: Record<string, unknown>[] = [];
  let cutOff = false;
  for (let at = text.indexOf('{'); at >= 0; ) {
    const end = endOfObject(text, at);
    cutOff ||= end === null;
    const value = end === null ? null : parsed(text.slice(at, end));
    if (value) found.push(value);
    // An object within one that cannot be read is no answer.
    at = text.indexOf('{', end ?? text.length);
  }
  const [only] = found;
  if (found.length > 1) return { problem: `it has ${found.length} JSON objects, and one is wanted` };
  if (only) return { value: only };
  if (cutOff) return { problem: 'its JSON object has no end' };
  return { problem: text.includes('{') ? 'its JSON cannot be read' : 'it has no JSON object' };
}

/** Behind the bracket that closes the one at `start`; null when none does. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (inString) {
      if (sign === '\\') at++;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === '{') depth++;
    else if (sign === '}' && --depth === 0) return at + 1;
  }
  return null;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
