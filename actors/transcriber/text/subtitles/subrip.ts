// Parses SubRip. There is no standard, and files are edited by hand: a cue begins at a timing line and lasts to the next one,
// blank lines included. Counters are removed and otherwise ignored.
import { type Cue, isBrokenTiming, linesOf, type Parsed, timingLine } from './cue.ts';
import { plainSubrip } from './markup.ts';

interface Open {
  readonly at: { start: number; end: number | null } | null;
  readonly lines: string[];
}

export function parseSubrip(text: string): Parsed {
  const open: Open[] = [];
  let numbered = false;
  let before = '';
  for (const line of linesOf(text)) {
    const at = timingLine(line);
    if (at || isBrokenTiming(line)) {
      // Counters are removed only in a file that begins with one: elsewhere a number may be the text of a cue.
      if (open.length === 0) numbered = isCounter(before);
      else if (numbered) dropCounter(open.at(-1)!.lines);
      open.push({ at, lines: [] });
    } else if (open.length > 0) open.at(-1)!.lines.push(line);
    else if (line.trim() !== '') before = line;
  }
  const cues: Cue[] = [];
  for (const { at, lines } of open) {
    if (at) cues.push({ ...at, text: plainSubrip(lines.join('\n')), speaker: null });
  }
  return { cues, skipped: open.length - cues.length, language: null };
}

function isCounter(line: string): boolean {
  return /^[\s\ufeff]*\d+\s*$/.test(line);
}

/** Removes the counter of the next cue from the end of this one. */
function dropCounter(lines: string[]): void {
  let last = lines.length - 1;
  while (last >= 0 && lines[last]!.trim() === '') last--;
  if (last >= 0 && isCounter(lines[last]!)) lines.length = last;
}
