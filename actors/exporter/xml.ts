// Writes XML. The only importer of xmlbuilder2, which escapes and indents.
import { create } from 'xmlbuilder2';

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** A text alone, or elements. */
  readonly content: string | readonly Element[];
}

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element of others; attributes that are undefined are left out. */
export function element(name: string, attributes: Attributes, ...content: readonly Element[]): Element {
  const given = Object.entries(attributes).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  return { name, attributes: Object.fromEntries(given), content };
}

export function leaf(name: string, content: string | number): Element {
  return { name, attributes: {}, content: String(content) };
}

/** Texts must hold characters that XML allows, and attributes no line breaks. */
export function xmlDocument(root: Element, hasDocumentType = true): string {
  const declared = create({ version: '1.0', encoding: 'UTF-8' });
  const document = hasDocumentType ? declared.dtd({ name: root.name }) : declared;
  add(document, root);
  return `${document.end({ prettyPrint: true, indent: '  ' })}\n`;
}

type Builder = Pick<ReturnType<typeof create>, 'ele' | 'txt'>;

function add(parent: Builder, { name, attributes, content }: Element): void {
  const builder = parent.ele(name, mapped(attributes));
  if (typeof content === 'string') builder.txt(literal(content));
  else for (const child of content) add(builder, child);
}

function mapped(attributes: Element['attributes']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, literal(String(value))]),
  );
}

/**
 * xmlbuilder2 takes `&…;` for a reference that was meant and leaves it: of a name it would be another one, or
 * an error.
 */
function literal(text: string): string {
  return text.replaceAll('&', '&amp;');
}
