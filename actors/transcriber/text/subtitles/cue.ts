// A cue, the text of a subtitle with its times, as the parsers of all formats answer it. Also the parsing of
// times, which most formats write in nearly the same way.

export interface Cue {
  /** Seconds; may be negative or in the wrong order, as the file has it. */
  readonly start: number;
  /** Null where it is missing or cannot be parsed. */
  readonly end: number | null;
  /** Plain text, markup gone; lines as the author broke them. */
  readonly text: string;
  /** Speaker, in formats that name one (`<v Name>`, the Name of ASS, an agent of TTML). */
  readonly speaker: string | null;
}

export interface ParsedCues {
  readonly cues: readonly Cue[];
  /** Cues whose start could not be parsed. */
  readonly skipped: number;
  /** Language in the notation of the file. */
  readonly language: string | null;
}

const clock = /^([-−]?)(?:(\d{1,9})\s*:\s*)?(\d{1,9})\s*:\s*(\d{1,9})(?:\s*[,.:;]\s*(\d{1,9}))?$/;

/**
 * Seconds of `HH:MM:SS,mmm` and what authors make of it: without hours, with a point or a colon before the
 * fraction, with blanks, with more than 59 minutes, negative. Digits after the sign are a fraction: `1,5` is
 * one and a half. Null for text that is no time.
 */
export function clockSeconds(text: string): number | null {
  const match = clock.exec(text.trim());
  if (!match) return null;
  const [, sign = '', hours = '0', minutes = '0', seconds = '0', fraction = '0'] = match;
  const value =
    Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(fraction) / 10 ** fraction.length;
  // Whole microseconds, so that what was written exactly is read exactly.
  const exact = Math.round(value * 1e6) / 1e6;
  return sign === '' || exact === 0 ? exact : -exact;
}

const timing = /^\s*([-−]?\d[\d\s:.,;]*?)\s*(?:-{1,3}\s?>|[–—]>)\s*([-−]?\d[\d\s:.,;]*(?=\s|$))?(.*)$/;

/** Only the start of a line is matched, so that long lines of text cost little. */
const TIMING_LENGTH = 200;

/**
 * The two times of a line `start --> end settings`; null for any other line. The start alone makes a timing
 * line.
 */
export function timingLine(line: string): { start: number; end: number | null } | null {
  // Most lines of a file are text.
  if (!line.includes('>')) return null;
  const match = timing.exec(line.slice(0, TIMING_LENGTH));
  if (!match) return null;
  const start = clockSeconds(match[1]!);
  return start === null ? null : { start, end: match[2] === undefined ? null : clockSeconds(match[2]) };
}

/** True for a timing line whose start cannot be parsed. */
export function isBrokenTiming(line: string): boolean {
  if (!line.includes('-->')) return false;
  const head = line.slice(0, TIMING_LENGTH);
  return /^\s*\S{0,16}\s*-->/.test(head) && /\d/.test(head) && timingLine(line) === null;
}

/** Lines of a text, whichever way they end; a stray `\r\r\n` is one end. */
export function linesOf(text: string): string[] {
  // The lookbehind searches a run of \r for its \n once, not again from every \r of it.
  return text.replaceAll('\0', '').split(/(?<!\r)\r*\n|[\r\u2028\u2029]/);
}

// Removes the markup of cue text: tags, override blocks, entities.

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lrm: '',
  rlm: '',
  shy: '',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
};

/** `&amp;`, `&#233;`, `&#x1F600;`. Other text stays as it is. */
export function withoutEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,6}));/g, (whole, dec, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? named[name]! : whole;
    const code = dec === undefined ? Number.parseInt(hex, 16) : Number(dec);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });
}

const subripTag = /<\/?(?:b|i|u|s|c|em|strong|font|span|div|p|ruby|lang|tt|small|big)(?=[\s.>/=])[^<>]*>/gi;

/**
 * SubRip has no rule for tags, so only those that players know are removed: `<laughs>` is text. Also the
 * blocks `{\an8}` and `{y:i}` of other formats, and `\N` and `\h`.
 */
export function plainSubrip(text: string): string {
  const plain = text
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(/<rt>[^<]*<\/rt>/gi, '')
    .replace(subripTag, '')
    .replace(/\{\\[^{}]*\}|\{[a-zA-Z]:[^{}]*\}/g, '')
    .replaceAll('\\N', '\n')
    .replaceAll('\\h', ' ');
  return withoutEntities(plain);
}

interface Voiced {
  readonly speaker: string | null;
  readonly text: string;
}

/** Text of a WebVTT cue: every tag is markup there. One piece for each `<v Name>`. */
export function voicesOfWebvtt(text: string): Voiced[] {
  const pieces: { speaker: string | null; text: string }[] = [{ speaker: null, text: '' }];
  const plain = text.replace(/<rt[^<>]*>[^<]*(?:<\/rt>)?/g, '');
  for (const part of plain.split(/(<[^<>]*>)/)) {
    // A tag that is never closed is text, which may be long.
    const voice = part.endsWith('>') ? /^<v(?:\.[^\s>]*)?[ \t\n]+([^<>]+)>$/.exec(part) : null;
    if (voice) pieces.push({ speaker: name(voice[1]!), text: '' });
    else if (/^<\/v\s*>$/.test(part)) pieces.push({ speaker: null, text: '' });
    else if (!/^<[^<>]*>$/.test(part)) pieces.at(-1)!.text += part;
  }
  return pieces.map(({ speaker, text: raw }) => ({ speaker, text: withoutEntities(raw) })).filter(isSaid);
}

/** Text of an ASS event: without override blocks and drawings, with its line breaks. */
export function plainAss(text: string): string {
  let drawing = false;
  let plain = '';
  for (const part of text.split(/(\{[^{}]*\})/)) {
    if (/^\{[^{}]*\}$/.test(part)) {
      // The last `\p` of a block counts; `\pos` and `\pbo` are other tags.
      const scales = [...part.matchAll(/\\p\s*(\d+)/g)];
      if (scales.length > 0) drawing = scales.at(-1)![1] !== '0';
    } else if (!drawing) plain += part;
  }
  return plain.replace(/\\[Nn]/g, '\n').replaceAll('\\h', ' ');
}

/** Name of a speaker: one line, without brackets around it. Null when nothing is left. */
export function name(text: string): string | null {
  const plain = withoutEntities(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[([]\s*(.*?)\s*[)\]]$/, '$1');
  return plain === '' ? null : plain.slice(0, 100);
}

function isSaid({ text }: Voiced): boolean {
  return text.trim() !== '';
}
