// Parses TTML (https://www.w3.org/TR/ttml2/), also DFXP and the samples of an MP4 track: paragraphs with
// their times and the agents who speak them.
import { type Cue, clockSeconds, type Parsed } from './cue.ts';
import { name, withoutEntities } from './markup.ts';

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
  /** Its begin, or that of an element around it, could not be parsed. */
  readonly broken: boolean;
}

const outside: Span = { name: '', begin: 0, end: null, agent: null, broken: false };

export function parseTtml(xml: string): Parsed {
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
  readonly #found: { cue: Cue; broken: boolean }[] = [];
  /** Names of agents by their id. */
  readonly #agents = new Map<string, string>();
  readonly #stack: Span[] = [outside];
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
    const inside = this.#stack.at(-1)!.name;
    if (this.#said !== null) this.#said += inside === 'metadata' ? '' : part.replace(/\s+/g, ' ');
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
    if (element === 'p') this.#said = '';
    if (element === 'br' && this.#said !== null) this.#said += '\n';
    this.#stack.push(within(this.#stack.at(-1)!, tag, this.#rates));
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
    this.#found.push({ cue: { start, end, text: this.#said, speaker }, broken });
    this.#said = null;
  }

  #pop(): Span {
    const span = this.#stack.pop()!;
    this.#open.set(span.name, this.#open.get(span.name)! - 1);
    return span;
  }

  parsed(): Parsed {
    const spoken = (agent: string | null) => agent && name(this.#agents.get(agent) ?? agent);
    const cues = this.#found.flatMap(({ cue, broken }) =>
      broken ? [] : [{ ...cue, speaker: spoken(cue.speaker) }],
    );
    return { cues, skipped: this.#found.length - cues.length, language: this.#language };
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
  const read = (key: string) => (attributes[key] === undefined ? null : ttmlSeconds(attributes[key], rates));
  const begin = read('begin');
  const end = read('end');
  const duration = read('dur');
  const start = outer.begin + (begin ?? 0);
  const own = duration === null ? (end === null ? null : outer.begin + end) : start + duration;
  return {
    name: tag,
    begin: start,
    end: own ?? outer.end,
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
  const one = { h: 3600, m: 60, s: 1, ms: 0.001, f: 1 / frames, t: 1 / ticks }[offset[2] as 'h'];
  return Number(offset[1]) * one;
}

// Walks the tags and texts of an XML document in one pass. It is lenient, as players are: malformed markup is
// text or is skipped. Only character entities are expanded.

interface Tag {
  /** Without its prefix: `p` of `tt:p`. */
  readonly name: string;
  readonly kind: 'open' | 'close' | 'empty';
  /** By name without prefix. */
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
