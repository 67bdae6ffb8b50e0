// Reads TTML (https://www.w3.org/TR/ttml2/), also as DFXP and as the samples of an MP4 track: paragraphs with their times,
// and the agents who speak them. Pure.
import { type Cue, clockSeconds, type Parsed } from './cue.ts';
import { name } from './markup.ts';
import { type Tag, walkXml } from './xml.ts';

interface Rates {
  readonly frames: number;
  readonly ticks: number;
}

/** An element that is open: times of what is inside count from its begin. */
interface Span {
  readonly name: string;
  readonly begin: number;
  readonly end: number | null;
  readonly agent: string | null;
  /** Somewhere in it a time could not be read. */
  readonly broken: boolean;
}

const outside: Span = { name: '', begin: 0, end: null, agent: null, broken: false };

export function parseTtml(xml: string): Parsed {
  const found: { cue: Cue; broken: boolean }[] = [];
  const agents = new Map<string, string>();
  const stack: Span[] = [outside];
  let rates: Rates = { frames: 30, ticks: 1 };
  let language: string | null = null;
  let naming: string | null = null;
  /** Null outside a paragraph. */
  let text: string | null = null;

  const close = (tag: Tag) => {
    const top = stack.findLastIndex((span) => span.name === tag.name);
    if (top <= 0) return;
    const span = stack[top]!;
    stack.length = top;
    if (tag.name === 'agent') naming = null;
    if (tag.name !== 'p' || text === null) return;
    const cue = { start: span.begin, end: span.end, text, speaker: span.agent };
    found.push({ cue, broken: span.broken });
    text = null;
  };

  for (const part of walkXml(xml)) {
    if (typeof part === 'string') {
      const inside = stack.at(-1)!.name;
      if (text !== null && inside !== 'metadata') text += part.replace(/\s+/g, ' ');
      else if (naming !== null && inside === 'name' && part.trim() !== '') agents.set(naming, part.trim());
      continue;
    }
    const { attributes } = part;
    if (part.name === 'tt' && part.kind === 'open') {
      rates = ratesOf(attributes);
      language = attributes['lang'] || null;
    }
    if (part.name === 'br' && part.kind !== 'close' && text !== null) text += '\n';
    if (part.name === 'agent' && part.kind === 'open') naming = attributes['id'] ?? null;
    if (part.kind === 'close') close(part);
    else {
      stack.push(within(stack.at(-1)!, part, rates));
      if (part.name === 'p') text = '';
      if (part.kind === 'empty') close(part);
    }
  }
  const spoken = (agent: string | null) => agent && name(agents.get(agent) ?? agent);
  const cues = found
    .filter(({ broken }) => !broken)
    .map(({ cue }) => ({ ...cue, speaker: spoken(cue.speaker) }));
  return { cues, skipped: found.length - cues.length, language };
}

function ratesOf(attributes: Tag['attributes']): Rates {
  const [num = 1, den = 1] = (attributes['frameRateMultiplier'] ?? '1 1').split(/[\s:]+/).map(Number);
  const frames = (Number(attributes['frameRate']) || 30) * (num > 0 && den > 0 ? num / den : 1);
  // Ticks that are not given count frames, or seconds where frames are not given either.
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
