// Parses subtitles of any format, detected from the text: names of files are often wrong.
import { parseAss } from './ass.ts';
import type { Parsed } from './cue.ts';
import { parseSubrip } from './subrip.ts';
import { parseTtml } from './ttml.ts';
import { parseWebvtt } from './webvtt.ts';

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
