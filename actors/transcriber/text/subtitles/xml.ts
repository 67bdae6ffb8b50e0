// Walks the tags and texts of an XML document in one pass. It is lenient, as players are: malformed markup is text or is
// skipped. Only character entities are expanded.
import { withoutEntities } from './markup.ts';

export interface Tag {
  /** Without its prefix: `p` of `tt:p`. */
  readonly name: string;
  readonly kind: 'open' | 'close' | 'empty';
  /** By name without prefix. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Tags and texts in order. */
export function* walkXml(xml: string): Generator<Tag | string> {
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
