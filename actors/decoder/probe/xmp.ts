// Keywords and names of people from XMP (ISO 16684-1), as photo programs write them: in a file beside the
// media, or embedded in a still; and keywords of IPTC.
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { codeOf } from '../../../runtime/errors.ts';
import { isFromFramehound, type MetadataSidecar, sidecarsOf, type Xmp } from './contract.ts';
import { keywordsOfIptc } from './iptc.ts';
import { isoDate } from './tags.ts';
import { readXml, type XmlElement, XmlError } from './xml.ts';

/** Bytes of XMP that are read; editing programs that keep masks in it reach a few MB. */
const mostBytes = 4 * 2 ** 20;
/** Keywords, and people, of one file; characters of one of them. */
const mostWords = 1000;
const mostCharacters = 256;

const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const regions = 'http://www.metadataworkinggroup.com/schemas/regions/';
const subject = 'http://purl.org/dc/elements/1.1/subject';
const dates = [
  'http://ns.adobe.com/photoshop/1.0/DateCreated',
  'http://ns.adobe.com/exif/1.0/DateTimeOriginal',
  'http://ns.adobe.com/xap/1.0/CreateDate',
];
const sidecarFor = 'http://ns.adobe.com/photoshop/1.0/SidecarForExtension';
const personInImage = 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/PersonInImage';
const toolkit = 'adobe:ns:meta/xmptk';

/** A property of RDF: a text, an array, or a structure of properties by name. */
type Value = string | readonly Value[] | Properties;
type Properties = ReadonlyMap<string, Value>;

interface Words {
  readonly keywords: readonly string[];
  readonly people: readonly string[];
  /** When the picture was taken, as ISO 8601. */
  readonly taken?: string;
  /** Extension of the one file that a sidecar belongs to, where several share its name. */
  readonly extension?: string;
}

const nothing: Words = { keywords: [], people: [] };

/** Throws XmlError. What this program wrote has no words: it would find again what it said itself. */
export function readXmp(bytes: Uint8Array): Words {
  const root = readXml(decoded(bytes));
  if (isFromFramehound(root.attributes.get(toolkit) ?? '')) return nothing;
  const data = root.name === `${rdf}RDF` ? root : root.elements.find(({ name }) => name === `${rdf}RDF`);
  if (!data) throw new XmlError('holds no XMP');
  const keywords: string[] = [];
  const people: string[] = [];
  const said = new Map<string, string>();
  for (const description of data.elements) {
    const properties = structure(description);
    keywords.push(...textsOf(properties.get(subject)));
    people.push(...textsOf(properties.get(personInImage)), ...facesIn(properties.get(`${regions}Regions`)));
    for (const name of [...dates, sidecarFor]) {
      const [text] = textsOf(properties.get(name));
      if (text !== undefined && !said.has(name)) said.set(name, text);
    }
  }
  const taken = dates.map((name) => isoDate(said.get(name) ?? '')).find((date) => date !== null);
  const extension = said.get(sidecarFor)?.toLowerCase();
  return {
    keywords: words(keywords),
    people: words(people),
    ...(taken !== undefined && { taken }),
    ...(extension !== undefined && { extension }),
  };
}

/** Without the marks and zero bytes that writers add. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes).replace(/\0+$/, '');
  } catch {
    throw new XmlError(`is not valid ${encoding.toUpperCase()}`);
  }
}

/** Properties of a description: its attributes and its elements. */
function structure({ attributes, elements }: XmlElement): Properties {
  const properties = new Map<string, Value>();
  for (const [name, value] of attributes) if (isProperty(name)) properties.set(name, value);
  for (const element of elements) properties.set(element.name, valueIn(element));
  return properties;
}

function isProperty(name: string): boolean {
  return name.includes('/') && !name.startsWith(rdf) && !name.startsWith('http://www.w3.org/XML/');
}

function valueIn(element: XmlElement): Value {
  const { attributes, elements, text } = element;
  if (attributes.get(`${rdf}parseType`) === 'Resource') return qualified(structure(element));
  const [only] = elements;
  if (!only) return [...attributes.keys()].some(isProperty) ? qualified(structure(element)) : text;
  if ([`${rdf}Bag`, `${rdf}Seq`, `${rdf}Alt`].includes(only.name)) return only.elements.map(valueIn);
  return qualified(structure(only));
}

/** A value with remarks about it is the value. */
function qualified(properties: Properties): Value {
  return properties.get(`${rdf}value`) ?? properties;
}

function textsOf(value: Value | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return [value];
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Names of regions that show a face, or do not state their content. */
function facesIn(value: Value | undefined): string[] {
  const list = isStructure(value) ? value.get(`${regions}RegionList`) : undefined;
  return (isArray(list) ? list : []).flatMap((region) => {
    if (!isStructure(region)) return [];
    const type = region.get(`${regions}Type`) ?? 'Face';
    return type === 'Face' ? textsOf(region.get(`${regions}Name`)) : [];
  });
}

function isArray(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

function isStructure(value: Value | undefined): value is Properties {
  return value instanceof Map;
}

/** In one line, each once. */
function words(texts: readonly string[]): string[] {
  const plain = texts.map((text) =>
    text
      .toWellFormed()
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim(),
  );
  const unique = [...new Set(plain)].filter((word) => word !== '');
  const long = unique.find(({ length }) => length > mostCharacters);
  if (long !== undefined)
    throw new XmlError(`has a keyword or name of more than ${mostCharacters} characters`);
  if (unique.length > mostWords) throw new XmlError(`has more than ${mostWords} keywords or names`);
  return unique;
}

// Where XMP is: in the file itself, and beside it.

/** Blocks of the file itself; empty without any. */
export interface Embedded {
  readonly xmp: Uint8Array;
  readonly iptc: Uint8Array | undefined;
}

/**
 * XMP and IPTC of a media file; undefined if there are none. Unreadable metadata is a warning: the media is
 * analysed all the same.
 */
export async function xmpOf(path: string, { xmp, iptc }: Partial<Embedded>): Promise<FoundXmp | undefined> {
  const beside = await readSidecars(path);
  const inside = [
    ...(xmp && xmp.length > 0
      ? [wordsOf(`the XMP in ${basename(path)}`, () => readXmp(expectShort(xmp)))]
      : []),
    ...(iptc && iptc.length > 0 ? [wordsOf(`the IPTC in ${basename(path)}`, () => readIptc(iptc))] : []),
  ];
  const read = [...inside, ...beside.map((sidecar) => sidecar.read)];
  if (read.length === 0) return undefined;
  const all = (of: 'keywords' | 'people') => [...new Set(read.flatMap((record) => record[of]))];
  const warnings = read.flatMap(({ warning }) => warning ?? []);
  const takenIn = (some: readonly Read[]) => some.find(({ taken }) => taken !== undefined)?.taken ?? null;
  return {
    xmp: {
      keywords: all('keywords'),
      people: all('people'),
      sidecars: beside.map(({ mark }) => mark),
      ...(warnings.length > 0 && { warning: warnings.join('; ') }),
    },
    corrected: takenIn(beside.map((sidecar) => sidecar.read)),
    taken: takenIn(inside),
  };
}

interface FoundXmp {
  readonly xmp: Xmp;
  /** When the picture was taken, in a file beside it: somebody wrote that after the camera. */
  readonly corrected: string | null;
  /** The same in the file itself. */
  readonly taken: string | null;
}

interface Read extends Words {
  readonly warning?: string;
}

/** A sidecar for another file of the same name counts as read, and its content is ignored. */
async function readSidecars(
  path: string,
): Promise<(Pick<MetadataSidecar, 'mark'> & { readonly read: Read })[]> {
  const ownExtension = extname(path).slice(1).toLowerCase();
  const read = async ({ path: beside, mark }: MetadataSidecar) => {
    const { extension = ownExtension, ...said } = await readSidecar(beside, mark);
    return { mark, read: extension === ownExtension ? said : nothing };
  };
  return Promise.all((await sidecarsOf(path)).map(read));
}

async function readSidecar(path: string, { name, size_bytes }: MetadataSidecar['mark']): Promise<Read> {
  if (size_bytes > mostBytes) return refused(name, tooLarge);
  return readFile(path).then(
    (bytes) => wordsOf(name, () => readXmp(expectShort(bytes))),
    (error) => refused(name, `cannot be read (${codeOf(error)})`),
  );
}

const tooLarge = `is larger than ${mostBytes / 2 ** 20} MiB and was not read`;

function expectShort(bytes: Uint8Array): Uint8Array {
  if (bytes.length > mostBytes) throw new XmlError(tooLarge);
  return bytes;
}

function readIptc(block: Uint8Array): Words {
  return { keywords: words(keywordsOfIptc(block)), people: [] };
}

/** `read`: throws XmlError. */
function wordsOf(what: string, read: () => Words): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof XmlError) return refused(what, error.message);
    throw error;
  }
}

function refused(what: string, why: string): Read {
  return { ...nothing, warning: `${what} ${why}` };
}
