// Reads small XML documents of unknown origin, in one pass over the text. Document types are refused, so
// entities cannot be declared and nothing expands; depth and number of elements are bounded. The library that
// writes XML would read it too, but takes 27 s for 200,000 levels, and 14 s for an element of 20,000
// attributes.

export interface XmlElement {
  /** The namespace and the local name without anything between them. */
  readonly name: string;
  /** By name, written the same way; one without a prefix has no namespace. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly elements: readonly XmlElement[];
  /** All text directly inside. */
  readonly text: string;
}

/** Why a text is not read: "is not well-formed: …", for a person. */
export class XmlError extends Error {}

const mostDepth = 64;
const mostElements = 50_000;
/** Attributes of one element, declarations of namespaces included. */
const mostAttributes = 2000;

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';
const predefined: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Names are what cannot end them: stricter readers exist, and nothing depends on it here. */
const qualifiedName = /[^\s<>/="'&!?]+/y;
const space = /\s*/y;
const reference = /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|([a-z]{2,4}));/y;

interface Scope {
  readonly own: ReadonlyMap<string, string>;
  readonly above: Scope | null;
}

interface Open {
  readonly qualified: string;
  readonly scope: Scope | null;
  readonly name: string;
  readonly attributes: Map<string, string>;
  readonly elements: XmlElement[];
  text: string;
}

/** The element that contains all others. Throws XmlError. */
export function readXml(text: string): XmlElement {
  return new Reader(text).read();
}

class Reader {
  readonly #text: string;
  readonly #open: Open[] = [];
  #at = 0;
  #elements = 0;
  #root: XmlElement | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  read(): XmlElement {
    while (this.#at < this.#text.length) this.#step();
    const unclosed = this.#open.at(-1);
    if (unclosed) throw broken(`<${unclosed.qualified}> is not closed`);
    if (this.#root === null) throw broken('there is no element');
    return this.#root;
  }

  #step(): void {
    const text = this.#text;
    if (text[this.#at] !== '<') this.#characters();
    else if (text.startsWith('<!--', this.#at)) this.#skip('-->', 4);
    else if (text.startsWith('<![CDATA[', this.#at)) {
      const from = this.#at + 9;
      this.#skip(']]>', 9);
      this.#add(text.slice(from, this.#at - 3));
    } else if (text.startsWith('<?', this.#at)) this.#skip('?>', 2);
    else if (text.startsWith('<!', this.#at))
      throw new XmlError('declares a document type, which is not read');
    else if (text.startsWith('</', this.#at)) this.#end();
    else this.#start();
  }

  /** Behind the next `mark`. */
  #skip(mark: string, from: number): void {
    const end = this.#text.indexOf(mark, this.#at + from);
    if (end < 0) throw broken(`${mark} is missing`);
    this.#at = end + mark.length;
  }

  #characters(): void {
    const next = this.#text.indexOf('<', this.#at);
    const end = next < 0 ? this.#text.length : next;
    const raw = this.#text.slice(this.#at, end);
    this.#at = end;
    if (this.#open.length > 0) this.#add(resolved(raw));
    else if (raw.trim() !== '') throw broken('there is text outside of the elements');
  }

  #add(text: string): void {
    const own = this.#open.at(-1);
    if (!own) throw broken('there is text outside of the elements');
    own.text += text;
  }

  #start(): void {
    if (this.#open.length === 0 && this.#root !== null) throw broken('there is more than one outer element');
    if (this.#open.length >= mostDepth) throw new XmlError(`has more than ${mostDepth} levels`);
    if (++this.#elements > mostElements) throw new XmlError(`has more than ${mostElements} elements`);
    this.#at++;
    const qualified = this.#name();
    const given = this.#attributes();
    const above = this.#open.at(-1)?.scope ?? null;
    const declared = namespacesOf(given);
    const scope = declared.size === 0 ? above : { own: declared, above };
    const attributes = new Map<string, string>();
    for (const [name, value] of given) {
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) attributes.set(expanded(name, scope, false), value);
    }
    const element: Open = {
      qualified,
      scope,
      name: expanded(qualified, scope, true),
      attributes,
      elements: [],
      text: '',
    };
    const isEmpty = this.#text[this.#at] === '/';
    if (isEmpty) this.#at++;
    this.#expect('>');
    if (isEmpty) this.#close(element);
    else this.#open.push(element);
  }

  #end(): void {
    this.#at += 2;
    const name = this.#name();
    this.#past(space);
    this.#expect('>');
    const element = this.#open.pop();
    if (element?.qualified !== name) throw broken(`</${name}> closes nothing`);
    this.#close(element);
  }

  #close({ name, attributes, elements, text }: Open): void {
    const element = { name, attributes, elements, text };
    const above = this.#open.at(-1);
    if (above) above.elements.push(element);
    else this.#root = element;
  }

  #attributes(): Map<string, string> {
    const given = new Map<string, string>();
    for (;;) {
      this.#past(space);
      const next = this.#text[this.#at];
      if (next === '>' || next === '/') return given;
      const name = this.#name();
      this.#past(space);
      this.#expect('=');
      this.#past(space);
      const quote = this.#text[this.#at];
      if (quote !== '"' && quote !== "'") throw broken(`${name} has no value in quotation marks`);
      const from = this.#at + 1;
      this.#skip(quote, 1);
      if (given.has(name)) throw broken(`${name} is given twice`);
      if (given.size >= mostAttributes)
        throw new XmlError(`has more than ${mostAttributes} attributes in one element`);
      given.set(name, resolved(this.#text.slice(from, this.#at - 1)));
    }
  }

  #name(): string {
    const name = this.#past(qualifiedName);
    if (name === '') throw broken('a name is missing');
    return name;
  }

  #past(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #expect(mark: string): void {
    if (this.#text[this.#at] !== mark) throw broken(`${mark} is missing`);
    this.#at++;
  }
}

function broken(what: string): XmlError {
  return new XmlError(`is not well-formed: ${what}`);
}

function namespacesOf(given: ReadonlyMap<string, string>): Map<string, string> {
  const declared = new Map<string, string>();
  for (const [name, value] of given) {
    if (name === 'xmlns') declared.set('', value);
    else if (name.startsWith('xmlns:')) declared.set(name.slice(6), value);
  }
  return declared;
}

function expanded(name: string, scope: Scope | null, isElement: boolean): string {
  const colon = name.indexOf(':');
  const prefix = colon < 0 ? '' : name.slice(0, colon);
  if (prefix === '' && !isElement) return name;
  const local = name.slice(colon + 1);
  if (prefix === 'xml') return xmlNamespace + local;
  for (let at = scope; at !== null; at = at.above) {
    const found = at.own.get(prefix);
    if (found !== undefined) return found + local;
  }
  if (prefix === '') return local;
  throw broken(`the prefix ${prefix} is not declared`);
}

/** With characters in the place of references to them. */
function resolved(raw: string): string {
  if (!raw.includes('&')) return raw;
  let text = '';
  for (let from = 0; ; ) {
    const at = raw.indexOf('&', from);
    if (at < 0) return text + raw.slice(from);
    reference.lastIndex = at;
    const match = reference.exec(raw);
    if (!match) throw broken('an & stands for nothing');
    const [whole, hex, decimal, name = ''] = match;
    text += raw.slice(from, at) + (hex || decimal ? character(hex, decimal) : entity(name));
    from = at + whole.length;
  }
}

function entity(name: string): string {
  if (Object.hasOwn(predefined, name)) return predefined[name]!;
  throw broken(`&${name}; is not declared`);
}

function character(hex: string | undefined, decimal: string | undefined): string {
  const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
  const isAllowed =
    code >= 0x20 ? code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff) : [9, 10, 13].includes(code);
  if (isAllowed) return String.fromCodePoint(code);
  throw broken('a character reference stands for no character');
}
