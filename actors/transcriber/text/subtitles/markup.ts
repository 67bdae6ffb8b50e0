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

export interface Voiced {
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
