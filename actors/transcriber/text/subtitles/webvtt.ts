// Parses WebVTT (https://www.w3.org/TR/webvtt1/): blocks between blank lines. Notes, styles, regions and the position of cues
// are ignored.
import { type Cue, isBrokenTiming, linesOf, type Parsed, timingLine } from './cue.ts';
import { voicesOfWebvtt } from './markup.ts';

export function parseWebvtt(text: string): Parsed {
  const blocks = blocksOf(linesOf(text));
  const cues: Cue[] = [];
  let skipped = 0;
  blocks.forEach((block, i) => {
    // The first block is the header; it is not skipped, since without a blank line it holds the first cue as well.
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
