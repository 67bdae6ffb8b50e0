// Extracts speakers written before the text: `MARY: Come in.`, `>> JOHN: Good evening.`
//
// Most colons follow no speaker: `Note: ...`, `10:30`, `https://...`, `He said: go.` So a name counts when it is in capitals
// in a text that is not, or when it occurs several times and looks like a name.
import type { Cue } from './cue.ts';
import { name } from './markup.ts';

/** How often a name in mixed case, or in a text of capitals, has to occur. */
const OFTEN = 3;

/** Dash or chevrons of a change of speaker, the name, a remark in brackets, a colon with a blank or nothing after it. */
const prefix =
  /^\s*(?:[-–—]\s*|>{2,3}\s*)?(?:\[([^\][:]{1,40})\]|(\p{L}[\p{L}\p{M}\p{N} .'’_#&-]{0,38}))(?:\s*\([^()]{1,30}\))?\s*(?::(?=\s|$)|：)\s*/u;

const noNames = new Set(
  (
    'note notes warning caution update edit correction translation translator subtitles subtitle subs captions caption ' +
    'synced sync transcript source sources website web url http https www mail email tel phone date time place location ' +
    'chapter part episode scene title example answer question ps p.s am pm tip fact summary result results lyrics music ' +
    'singing am: today tomorrow yesterday also but so and or then first second third finally now ps'
  ).split(' '),
);

interface Prefix {
  readonly name: string;
  readonly rest: string;
}

/** The same cues with the names removed; a cue in which several speak becomes one for each, at the same time. */
export function extractSpeakers(cues: readonly Cue[]): Cue[] {
  const lines = cues.filter(({ speaker }) => speaker === null).flatMap(({ text }) => text.split('\n'));
  const counts = new Map<string, number>();
  for (const line of lines) {
    const key = read(line)?.name;
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  if (counts.size === 0) return [...cues];
  const capitals = isMostlyCapitals(lines.map((line) => read(line)?.rest ?? line));
  const isSpeaker = (one: string) =>
    !noNames.has(one.toLowerCase()) &&
    ((!capitals && isInCapitals(one)) ||
      ((counts.get(one) ?? 0) >= OFTEN && (capitals || looksLikeName(one))));
  return cues.flatMap((cue) => (cue.speaker === null ? split(cue, isSpeaker) : [cue]));
}

function split(cue: Cue, isSpeaker: (name: string) => boolean): Cue[] {
  const pieces: { speaker: string | null; lines: string[] }[] = [];
  const lines = cue.text.split('\n');
  lines.forEach((line, i) => {
    const found = read(line);
    // A name without text after it is itself the text.
    const isNamed = found && isSpeaker(found.name) && (found.rest.trim() !== '' || goesOn(lines[i + 1]));
    if (isNamed) pieces.push({ speaker: found.name, lines: [found.rest] });
    else if (pieces.length === 0) pieces.push({ speaker: null, lines: [line] });
    else pieces.at(-1)!.lines.push(line);
  });
  return pieces.map((piece) => ({ ...cue, speaker: piece.speaker, text: piece.lines.join('\n') }));

  function goesOn(next: string | undefined): boolean {
    if (next === undefined || next.trim() === '') return false;
    const other = read(next);
    return !(other && isSpeaker(other.name));
  }
}

function read(line: string): Prefix | null {
  // A quick test before the regular expression: most lines have no colon.
  if (!line.includes(':') && !line.includes('：')) return null;
  const found = prefix.exec(line);
  const said = found && name(found[1] ?? found[2]!);
  if (!said || said.split(' ').length > 4) return null;
  return { name: said, rest: line.slice(found[0].length) };
}

function isInCapitals(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  return letters.length >= 2 && letters.every((letter) => /\p{Lu}/u.test(letter));
}

/** Every word begins with a capital or a digit; scripts without capitals have only short names. */
function looksLikeName(text: string): boolean {
  const words = text.split(' ');
  const capital = words.every((word) => /^[\p{Lu}\p{N}]/u.test(word));
  return capital || (/^\p{Lo}/u.test(text) && [...text].length <= 8 && words.length <= 2);
}

/** Broadcast captions are often all in capitals, which then do not mark names. */
function isMostlyCapitals(lines: readonly string[]): boolean {
  let capitals = 0;
  let cased = 0;
  for (const line of lines) {
    capitals += line.match(/\p{Lu}/gu)?.length ?? 0;
    cased += line.match(/[\p{Lu}\p{Ll}]/gu)?.length ?? 0;
  }
  return cased > 0 && capitals > 0.7 * cased;
}
