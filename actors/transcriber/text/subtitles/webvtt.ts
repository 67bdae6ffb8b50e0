// Reads WebVTT (https://www.w3.org/TR/webvtt1/): blocks between blank lines; notes, styles and regions are passed over, and
// so is where on the picture a cue stands. Pure.
import { type Cue, isBrokenTiming, linesOf, type Parsed, timingLine } from './cue.ts';
import { voicesOfWebvtt } from './markup.ts';

export function parseWebvtt(text: string): Parsed {
  const blocks = blocksOf(linesOf(text));
  const cues: Cue[] = [];
  let skipped = 0;
  blocks.forEach((block, i) => {
    // What follows the signature up to the first blank line is the header, unless the blank line was forgotten.
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
    // A blank under the times is the empty upper line of captions that roll up.
    const isText = line !== '' && before !== undefined && timingLine(before) !== null;
    if (line.trim() !== '' || isText) blocks.at(-1)!.push(line);
    else if (blocks.at(-1)!.length > 0) blocks.push([]);
  }
  return blocks.filter((block) => block.length > 0);
}

/** From each timing line on; where a blank line was forgotten a block holds several. The identifier before is dropped. */
function splitAtTimings(block: readonly string[]): string[][] {
  const pieces: string[][] = [];
  for (const line of block) {
    if (timingLine(line) || isBrokenTiming(line)) pieces.push([line]);
    else pieces.at(-1)?.push(line);
  }
  return pieces;
}
