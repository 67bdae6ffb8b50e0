// Parses subtitles of any format, detected from the text: names of files are often wrong.
import {
  type Cue,
  clockSeconds,
  isBrokenTiming,
  linesOf,
  name,
  type ParsedCues,
  plainAss,
  plainSubrip,
  timingLine,
  voicesOfWebvtt,
  withoutEntities,
} from './cue.ts';

// Parses Advanced SubStation Alpha: scripts, and the events of an embedded track.

const defaultFormat = 'layer,start,end,style,name,marginl,marginr,marginv,effect,text'.split(',');
/** Fields of an event in Matroska and FFmpeg: the times are those of the packet. */
const packed = 'readorder,layer,style,name,marginl,marginr,marginv,effect,text'.split(',');

type Fields = Readonly<Record<string, string>>;

function parseAss(text: string): ParsedCues {
  const cues: Cue[] = [];
  let skipped = 0;
  let format: readonly string[] = defaultFormat;
  let events = false;
  for (const line of linesOf(text)) {
    const section = /^\s*\[([^\]]*)\]/.exec(line);
    if (section) events = /^events$/i.test(section[1]!.trim());
    const match = /^\s*(Format|Dialogue)\s*:\s*(.*)$/i.exec(line);
    if (!match) continue;
    const [, kind, content] = match as unknown as [string, string, string];
    if (/^format$/i.test(kind)) {
      const names = content.split(',').map((column) => column.trim().toLowerCase());
      if (events && names.includes('text')) format = names;
      continue;
    }
    const fields = split(content, format);
    const start = fields && clockSeconds(fields['start'] ?? '');
    if (!fields || start === null) skipped++;
    else cues.push({ start, end: clockSeconds(fields['end'] ?? ''), ...said(fields) });
  }
  return { cues, skipped, language: null };
}

/** An event of an embedded track; null when it is none. */
export function assEvent(text: string): Pick<Cue, 'text' | 'speaker'> | null {
  const whole = /^\s*Dialogue\s*:\s*(.*)$/is.exec(text);
  const fields = whole ? split(whole[1]!, defaultFormat) : split(text, packed);
  return fields && said(fields);
}

/** The text is the last field and may hold commas. Null when there are too few fields. */
function split(text: string, format: readonly string[]): Fields | null {
  const parts = text.split(',');
  if (parts.length < format.length) return null;
  const last = format.length - 1;
  const values = [...parts.slice(0, last), parts.slice(last).join(',')];
  return Object.fromEntries(format.map((key, i) => [key, values[i]!]));
}

function said(fields: Fields): Pick<Cue, 'text' | 'speaker'> {
  const speaker = name(fields['name'] ?? fields['actor'] ?? '');
  const style = (fields['style'] ?? '').replace(/^\*/, '').trim();
  // Without a speaker, tools fill the field with the style or a number.
  const isName =
    speaker !== null && /\p{L}/u.test(speaker) && speaker !== style && !/^default$/i.test(speaker);
  return { text: plainAss(fields['text'] ?? ''), speaker: isName ? speaker : null };
}

// Parses TTML (https://www.w3.org/TR/ttml2/), also DFXP and the samples of an MP4 track: paragraphs with
// their times and the agents who speak them.

interface Rates {
  readonly frames: number;
  readonly ticks: number;
}

/** An open element; times of elements inside it are relative to its begin. */
interface Span {
  readonly name: string;
  readonly begin: number;
  readonly end: number | null;
  readonly agent: string | null;
  /** True if the content is not displayed: a description, or hidden by its style. */
  readonly hidden: boolean;
  /** Nothing inside it is shown, whatever it says of itself. */
  readonly absent: boolean;
  /** Elements inside it follow each other. */
  readonly isSequence: boolean;
  /** End of the elements inside it so far; its begin before the first. */
  cursor: number;
  /** Its begin, or that of an element around it, could not be parsed. */
  readonly broken: boolean;
}

const outside = (): Span => ({
  name: '',
  begin: 0,
  end: null,
  agent: null,
  hidden: false,
  absent: false,
  isSequence: false,
  cursor: 0,
  broken: false,
});

/** Elements that say something of what is around them. */
const aside = ['metadata', 'desc', 'title'];

export function parseTtml(xml: string): ParsedCues {
  const reader = new Reader();
  for (const part of walkXml(xml)) {
    if (typeof part === 'string') reader.text(part);
    else {
      if (part.kind !== 'close') reader.open(part);
      if (part.kind !== 'open') reader.close(part);
    }
  }
  return reader.parsed();
}

class Reader {
  readonly #cues: { cue: Cue; broken: boolean }[] = [];
  /** Names of agents by their id. */
  readonly #agents = new Map<string, string>();
  readonly #stack: Span[] = [outside()];
  /** Attributes of styles by their id. */
  readonly #styles = new Map<string, Tag['attributes']>();
  /**
   * How many elements of each name are open: a closing tag without an opening one is dropped without a
   * search.
   */
  readonly #open = new Map<string, number>();
  #rates: Rates = { frames: 30, ticks: 1 };
  #language: string | null = null;
  /** The agent whose name is being read. */
  #naming: string | null = null;
  /** Null outside a paragraph. */
  #said: string | null = null;

  text(part: string): void {
    const { name: inside, hidden, absent } = this.#stack.at(-1)!;
    if (this.#said !== null) this.#said += hidden || absent ? '' : part.replace(/\s+/g, ' ');
    else if (this.#naming !== null && inside === 'name' && part.trim() !== '') {
      this.#agents.set(this.#naming, part.trim());
    }
  }

  open(tag: Tag): void {
    const { name: element, attributes } = tag;
    if (element === 'tt') {
      this.#rates = ratesOf(attributes);
      this.#language = attributes['lang'] || null;
    }
    if (element === 'agent') this.#naming = attributes['id'] ?? null;
    if (element === 'style' && attributes['id']) this.#styles.set(attributes['id'], attributes);
    if (element === 'p') this.#said = '';
    if (element === 'br' && this.#said !== null) this.#said += '\n';
    const styles = (attributes['style'] ?? '').split(/\s+/).map((id) => this.#styles.get(id) ?? {});
    const styled = { ...tag, attributes: Object.assign({}, ...styles, attributes) };
    this.#stack.push(within(this.#stack.at(-1)!, styled, this.#rates));
    this.#open.set(element, (this.#open.get(element) ?? 0) + 1);
  }

  close({ name: element }: Tag): void {
    if (!this.#open.get(element)) return;
    // Elements inside it that were never closed end with it.
    let closed = this.#pop();
    while (closed.name !== element) closed = this.#pop();
    const { begin: start, end, agent: speaker, broken } = closed;
    if (element === 'agent') this.#naming = null;
    if (element !== 'p' || this.#said === null) return;
    this.#cues.push({ cue: { start, end, text: this.#said, speaker }, broken });
    this.#said = null;
  }

  #pop(): Span {
    const span = this.#stack.pop()!;
    this.#open.set(span.name, this.#open.get(span.name)! - 1);
    const outer = this.#stack.at(-1)!;
    outer.cursor = Math.max(outer.cursor, span.end ?? span.cursor);
    return span;
  }

  parsed(): ParsedCues {
    const spoken = (agent: string | null) => agent && name(this.#agents.get(agent) ?? agent);
    const cues = this.#cues.flatMap(({ cue, broken }) =>
      broken ? [] : [{ ...cue, speaker: spoken(cue.speaker) }],
    );
    return { cues, skipped: this.#cues.length - cues.length, language: this.#language };
  }
}

function ratesOf(attributes: Tag['attributes']): Rates {
  const [num = 1, den = 1] = (attributes['frameRateMultiplier'] ?? '1 1').split(/[\s:]+/).map(Number);
  const frames = (Number(attributes['frameRate']) || 30) * (num > 0 && den > 0 ? num / den : 1);
  // The default tick rate is the frame rate, or 1 where that is not given either.
  const ticks = Number(attributes['tickRate']) || (attributes['frameRate'] === undefined ? 1 : frames);
  return { frames, ticks };
}

function within(outer: Span, { name: tag, attributes }: Tag, rates: Rates): Span {
  const base = outer.isSequence ? outer.cursor : outer.begin;
  const read = (key: string) => (attributes[key] === undefined ? null : ttmlSeconds(attributes[key], rates));
  const begin = read('begin');
  const end = read('end');
  const duration = read('dur');
  const start = base + (begin ?? 0);
  const ownEnd = duration === null ? (end === null ? null : base + end) : start + duration;
  const { visibility } = attributes;
  return {
    name: tag,
    begin: start,
    end: ownEnd ?? outer.end,
    hidden: visibility === undefined ? outer.hidden : visibility === 'hidden',
    absent: outer.absent || attributes['display'] === 'none' || aside.includes(tag),
    isSequence: attributes['timeContainer'] === 'seq',
    cursor: start,
    agent: attributes['agent']?.trim().split(/\s+/)[0] || outer.agent,
    broken: outer.broken || (begin === null && attributes['begin'] !== undefined),
  };
}

/** `00:00:01.5`, `00:00:01:12` (frames), `1.5s`, `1500ms`, `2m`, `1h`, `36f`, `90000t`. */
export function ttmlSeconds(text: string, { frames, ticks }: Rates): number | null {
  const counted = /^(\d+):(\d\d):(\d\d):(\d+)(?:\.\d+)?$/.exec(text.trim());
  if (counted) {
    const [hours, minutes, seconds, frame] = counted.slice(1).map(Number) as [number, number, number, number];
    return hours * 3600 + minutes * 60 + seconds + frame / frames;
  }
  const offset = /^(\d+(?:\.\d+)?)(h|m|s|ms|f|t)$/.exec(text.trim());
  if (!offset) return clockSeconds(text);
  const unitSeconds = { h: 3600, m: 60, s: 1, ms: 0.001, f: 1 / frames, t: 1 / ticks }[offset[2] as 'h'];
  return Number(offset[1]) * unitSeconds;
}

// Walks the tags and texts of an XML document in one pass. It is lenient, as players are: malformed markup is
// text or is skipped. Only character entities are expanded.

interface Tag {
  /** Without its prefix: `p` of `tt:p`. */
  readonly name: string;
  readonly kind: 'open' | 'close' | 'empty';
  /** Attributes by name without prefix. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Tags and texts in order. */
function* walkXml(xml: string): Generator<Tag | string> {
  let at = 0;
  while (at < xml.length) {
    const open = xml.indexOf('<', at);
    if (open < 0 || open > at) yield withoutEntities(xml.slice(at, open < 0 ? undefined : open));
    if (open < 0) return;
    if (xml.startsWith('<!--', open)) at = after(xml, '-->', open + 4);
    else if (xml.startsWith('<![CDATA[', open)) {
      at = after(xml, ']]>', open + 9);
      yield xml.slice(open + 9, xml.endsWith(']]>') || at < xml.length ? at - 3 : at);
    } else if (xml[open + 1] === '?' || xml[open + 1] === '!') at = after(xml, '>', open + 2);
    else {
      at = endOfTag(xml, open + 1);
      const tag = tagOf(xml.slice(open + 1, at - 1));
      if (tag) yield tag;
    }
  }
}

function after(xml: string, mark: string, from: number): number {
  const at = xml.indexOf(mark, from);
  return at < 0 ? xml.length : at + mark.length;
}

/** Position after the closing `>`, which is not inside quotes. */
function endOfTag(xml: string, from: number): number {
  let quote = '';
  for (let at = from; at < xml.length; at++) {
    const sign = xml[at]!;
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '>') return at + 1;
  }
  return xml.length + 1;
}

function tagOf(text: string): Tag | null {
  const name = /^(\/?)\s*([^\s/]+)/.exec(text);
  if (!name) return null;
  const attributes: Record<string, string> = {};
  for (const [, key, double, single] of text.matchAll(/(?<=\s)([^\s=/"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    attributes[local(key!)] = withoutEntities(double ?? single ?? '');
  }
  const kind = name[1] === '/' ? 'close' : text.endsWith('/') ? 'empty' : 'open';
  return { name: local(name[2]!), kind, attributes };
}

function local(qualified: string): string {
  return qualified.slice(qualified.indexOf(':') + 1);
}

export type SubtitleFormat = 'subrip' | 'webvtt' | 'ass' | 'ttml';

/** Detected from the start of the text; SubRip has no signature and is the default. */
export function formatOf(text: string): SubtitleFormat {
  const head = text.slice(0, 65_536);
  if (/^[\s\ufeff]*WEBVTT(?=\s|$)/.test(head)) return 'webvtt';
  if (/^[\s\ufeff]*<(?:\?xml|!--|(?:[\w-]+:)?tt[\s>])/i.test(head)) return 'ttml';
  if (/^[ \t]*\[(?:Script Info|Events|V4\+? Styles)\]/im.test(head) || /^[ \t]*Dialogue:\s/m.test(head))
    return 'ass';
  return 'subrip';
}

export function parseSubtitles(text: string): ParsedCues {
  const parse = { subrip: parseSubrip, webvtt: parseWebvtt, ass: parseAss, ttml: parseTtml }[formatOf(text)];
  return parse(text);
}

// Parses SubRip. There is no standard, and files are edited by hand: a cue begins at a timing line and lasts
// to the next one, blank lines included. Counters are removed and otherwise ignored.

interface Open {
  readonly at: { start: number; end: number | null } | null;
  readonly lines: string[];
}

function parseSubrip(text: string): ParsedCues {
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

function parseWebvtt(text: string): ParsedCues {
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
