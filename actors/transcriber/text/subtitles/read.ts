// Parses subtitles of any format, detected from the text: names of files are often wrong.
import { parseAss } from './ass.ts';
import { type Cue, isBrokenTiming, linesOf, type Parsed, timingLine } from './cue.ts';
import { plainSubrip, voicesOfWebvtt } from './markup.ts';
import { parseTtml } from './ttml.ts';

export type Format = 'subrip' | 'webvtt' | 'ass' | 'ttml';

/** Detected from the start of the text; SubRip has no signature and is the default. */
export function formatOf(text: string): Format {
  const head = text.slice(0, 65_536);
  if (/^[\s\ufeff]*WEBVTT(?=\s|$)/.test(head)) return 'webvtt';
  if (/^[\s\ufeff]*<(?:\?xml|!--|(?:[\w-]+:)?tt[\s>])/i.test(head)) return 'ttml';
  if (/^[ \t]*\[(?:Script Info|Events|V4\+? Styles)\]/im.test(head) || /^[ \t]*Dialogue:\s/m.test(head))
    return 'ass';
  return 'subrip';
}

export function parseSubtitles(text: string): Parsed {
  const parse = { subrip: parseSubrip, webvtt: parseWebvtt, ass: parseAss, ttml: parseTtml }[formatOf(text)];
  return parse(text);
}

// Parses SubRip. There is no standard, and files are edited by hand: a cue begins at a timing line and lasts
// to the next one, blank lines included. Counters are removed and otherwise ignored.

interface Open {
  readonly at: { start: number; end: number | null } | null;
  readonly lines: string[];
}

function parseSubrip(text: string): Parsed {
  const open: Open[] = [];
  let numbered = false;
  let before = '';
  for (const line of linesOf(text)) {
    const at = timingLine(line);
    if (at || isBrokenTiming(line)) {
      // Counters are removed only in a file that begins with one: elsewhere a number may be the text of a
      // cue.
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

// Parses WebVTT (https://www.w3.org/TR/webvtt1/): blocks between blank lines. Notes, styles, regions and the
// position of cues are ignored.

function parseWebvtt(text: string): Parsed {
  const blocks = blocksOf(linesOf(text));
  const cues: Cue[] = [];
  let skipped = 0;
  blocks.forEach((block, i) => {
    // The first block is the header; it is not skipped, since without a blank line it holds the first cue as
    // well.
    if (i > 0 && /^(?:NOTE|STYLE|REGION)(?:\s|$)/.test(block[0]!)) return;
    for (const piece of splitAtTimings(block)) {
      const at = timingLine(piece[0]!);
      if (!at) skipped++;
      else {
        for (const said of voicesOfWebvtt(piece.slice(1).join('\n'))) cues.push({ ...at, ...said });
      }
    }
  });
  const language = /^Language:\s*(\S+)/im.exec(blocks[0]?.join('\n') ?? '')?.[1] ?? null;
  return { cues, skipped, language };
}

function blocksOf(lines: readonly string[]): string[][] {
  const blocks: string[][] = [[]];
  for (const line of lines) {
    const before = blocks.at(-1)!.at(-1);
    // A blank line right after the times is the empty first row of roll-up captions.
    const isText = line !== '' && before !== undefined && timingLine(before) !== null;
    if (line.trim() !== '' || isText) blocks.at(-1)!.push(line);
    else if (blocks.at(-1)!.length > 0) blocks.push([]);
  }
  return blocks.filter((block) => block.length > 0);
}

/** One part for each timing line; without blank lines a block holds several. Cue identifiers are dropped. */
function splitAtTimings(block: readonly string[]): string[][] {
  const pieces: string[][] = [];
  for (const line of block) {
    if (timingLine(line) || isBrokenTiming(line)) pieces.push([line]);
    else pieces.at(-1)?.push(line);
  }
  return pieces;
}
