// The items of a HEIF file (ISO/IEC 23008-12): which pictures there are, how they are coded, put together and
// turned, and where their bytes lie.
import { ByteSource, OutsideFile } from '../../file.ts';

/** Largest box of facts that is read; those of phones have some kB. */
const mostMetaBytes = 64 * 2 ** 20;
const mostItems = 100_000;

export interface Property extends Box {
  /** A reader that does not know an essential property must not show the item. */
  readonly essential: boolean;
}

export interface HeifItem {
  readonly id: number;
  /** `hvc1`, `av01`, `grid`, `Exif`... */
  readonly type: string;
  readonly properties: readonly Property[];
  /**
   * Pieces of the item's bytes; `inside`: in the box `idat` instead of the file. Null for a way that is not
   * known.
   */
  readonly extents: readonly { readonly offset: number; readonly length: number }[] | null;
  readonly inside: boolean;
}

export interface Reference {
  /** `dimg` made of, `auxl` belongs to, `cdsc` describes. */
  readonly type: string;
  readonly from: number;
  readonly to: readonly number[];
}

export interface HeifItems {
  readonly primary: number;
  readonly items: ReadonlyMap<number, HeifItem>;
  readonly references: readonly Reference[];
  /** Numbers of the items that an item is made of, in their order. */
  readonly parts: ReadonlyMap<number, readonly number[]>;
  readonly data: Buffer;
}

/** The facts of all items; null where the file has none. Throws OutsideFile. */
export async function readItems(source: ByteSource): Promise<HeifItems | null> {
  for await (const { type, start, size } of topBoxes(source)) {
    if (type !== 'meta') continue;
    if (size > mostMetaBytes) throw new OutsideFile();
    return parseMeta(await source.read(start, size));
  }
  return null;
}

/** Boxes of the file itself, without reading what is in them: start and size of the body. */
async function* topBoxes(source: ByteSource) {
  for (let at = 0; at + 8 <= source.size; ) {
    const head = await source.readUpTo(at, 16);
    const short = head.readUInt32BE(0);
    if (short === 1 && head.length < 16) return;
    const headLength = short === 1 ? 16 : 8;
    const claimed = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
    const size = short === 0 ? source.size - at : Math.min(claimed, source.size - at);
    if (size < headLength) return;
    yield { type: head.toString('latin1', 4, 8), start: at + headLength, size: size - headLength };
    at += size;
  }
}

function parseMeta(body: Buffer): HeifItems {
  // `meta` is a full box: version and flags come first.
  const boxes = new Map(boxesIn(body.subarray(4)).map(({ type, body }) => [type, body]));
  const fields = (type: string) => {
    const box = boxes.get(type);
    if (!box) throw new OutsideFile();
    return new BoxFields(box);
  };
  const primary = fields('pitm');
  const { version } = primary.full();
  const properties = boxes.has('iprp') ? readProperties(boxes.get('iprp')!) : new Map<number, Property[]>();
  const places = readPlaces(fields('iloc'));
  const items = new Map<number, HeifItem>();
  for (const { id, type } of readTypes(fields('iinf'))) {
    const place = places.get(id) ?? { extents: [], inside: false };
    items.set(id, { id, type, properties: properties.get(id) ?? [], ...place });
  }
  const references = boxes.has('iref') ? readReferences(boxes.get('iref')!) : [];
  return {
    primary: primary.u(version === 0 ? 2 : 4),
    items,
    references,
    parts: partsIn(references),
    data: boxes.get('idat') ?? Buffer.alloc(0),
  };
}

function readTypes(fields: BoxFields): { readonly id: number; readonly type: string }[] {
  const { version } = fields.full();
  fields.u(version === 0 ? 2 : 4);
  return boxesIn(fields.rest()).flatMap(({ type, body }) => {
    if (type !== 'infe') return [];
    const entry = new BoxFields(body);
    const { version } = entry.full();
    if (version < 2) return [];
    const id = entry.u(version === 2 ? 2 : 4);
    entry.u(2);
    return [{ id, type: entry.code() }];
  });
}

function readPlaces(fields: BoxFields): Map<number, Pick<HeifItem, 'extents' | 'inside'>> {
  const { version } = fields.full();
  const sizes = fields.u(2);
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexSize = version > 0 ? sizes & 15 : 0;
  if ([offsetSize, lengthSize, baseSize, indexSize].some((size) => ![0, 4, 8].includes(size)))
    throw new OutsideFile();
  const idSize = version < 2 ? 2 : 4;
  const count = fields.u(idSize);
  if (count > mostItems) throw new OutsideFile();
  const places = new Map<number, Pick<HeifItem, 'extents' | 'inside'>>();
  for (let i = 0; i < count; i++) {
    const id = fields.u(idSize);
    const method = version > 0 ? fields.u(2) & 15 : 0;
    // Other files are never opened.
    const elsewhere = fields.u(2) !== 0 || method > 1;
    const base = fields.u(baseSize);
    const extents: { offset: number; length: number }[] = [];
    for (let remainingExtents = fields.u(2); remainingExtents > 0; remainingExtents--) {
      fields.u(indexSize);
      const offset = base + fields.u(offsetSize);
      extents.push({ offset, length: fields.u(lengthSize) });
    }
    places.set(id, { extents: elsewhere ? null : extents, inside: method === 1 });
  }
  return places;
}

function readProperties(body: Buffer): Map<number, Property[]> {
  const boxes = boxesIn(body);
  const all = boxesIn(boxes.find(({ type }) => type === 'ipco')?.body ?? Buffer.alloc(0));
  const properties = new Map<number, Property[]>();
  for (const { type, body } of boxes) {
    if (type !== 'ipma') continue;
    const fields = new BoxFields(body);
    const { version, flags } = fields.full();
    const count = fields.u(4);
    if (count > mostItems) throw new OutsideFile();
    for (let i = 0; i < count; i++) {
      const id = fields.u(version < 1 ? 2 : 4);
      const itemProperties = properties.get(id) ?? [];
      for (let remainingProperties = fields.u(1); remainingProperties > 0; remainingProperties--) {
        const wide = (flags & 1) === 1;
        const value = fields.u(wide ? 2 : 1);
        const index = value & (wide ? 0x7fff : 0x7f);
        const property = all[index - 1];
        if (property) itemProperties.push({ ...property, essential: value !== index });
      }
      properties.set(id, itemProperties);
    }
  }
  return properties;
}

function readReferences(body: Buffer): Reference[] {
  const fields = new BoxFields(body);
  const { version } = fields.full();
  const idSize = version === 0 ? 2 : 4;
  return boxesIn(fields.rest()).map(({ type, body }) => {
    const reference = new BoxFields(body);
    const from = reference.u(idSize);
    const count = reference.u(2);
    return { type, from, to: Array.from({ length: count }, () => reference.u(idSize)) };
  });
}

function partsIn(references: readonly Reference[]): Map<number, readonly number[]> {
  const parts = new Map<number, number[]>();
  for (const { type, from, to } of references) {
    if (type !== 'dimg') continue;
    const itemParts = parts.get(from) ?? [];
    for (const part of to) itemParts.push(part);
    parts.set(from, itemParts);
  }
  return parts;
}

/** All bytes of an item; `padded`: with zeros for those that are missing at the end. Throws OutsideFile. */
export async function itemBytes(
  source: ByteSource,
  { data }: HeifItems,
  item: HeifItem,
  padded = false,
): Promise<Buffer> {
  if (!item.extents) throw new OutsideFile();
  let total = 0;
  const parts: Buffer[] = [];
  const isPadded = padded && !item.inside;
  const most = isPadded ? 2 * source.size : source.size;
  for (const { offset, length } of item.extents) {
    const whole = item.inside ? data.length : source.size;
    // A length of 0 means up to the end.
    const count = length === 0 ? whole - offset : length;
    total += count;
    if (count < 0 || total > most || (!isPadded && offset + count > whole)) throw new OutsideFile();
    parts.push(item.inside ? data.subarray(offset, offset + count) : await source.readPadded(offset, count));
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

// Tells a sequence of HEIF or AVIF pictures, which is a film with tracks, from a still: both can be in one
// file.

/** Main brands of files that are meant to be shown as one still, whatever else they hold. */
const stillBrands = ['avif', 'heic', 'heix', 'heim', 'heis', 'mif1', 'mif2', 'miaf', 'MiHB', 'MiHE'];

/** `start`: the first bytes of the file. Errors: FILE_UNREADABLE. */
export async function isSequence(path: string, start: Uint8Array): Promise<boolean> {
  if (stillBrands.includes(Buffer.from(start.subarray(8, 12)).toString('latin1'))) return false;
  return ByteSource.of(path, async (source) => {
    for await (const { type } of topBoxes(source)) if (type === 'moov') return true;
    return false;
  });
}

// Boxes of ISO base media files (ISO/IEC 14496-12) in memory, and numbers in them.

interface Box {
  readonly type: string;
  readonly body: Buffer;
}

/**
 * The boxes that follow each other in `bytes`. Throws OutsideFile for one that is longer than what is there.
 */
function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    const short = bytes.readUInt32BE(at);
    const wide = short === 1;
    if (wide && at + 16 > bytes.length) throw new OutsideFile();
    const size = wide ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? bytes.length - at : short;
    const head = wide ? 16 : 8;
    if (size < head || at + size > bytes.length) throw new OutsideFile();
    boxes.push({ type, body: bytes.subarray(at + head, at + size) });
    at += size;
  }
  return boxes;
}

/** Reads the fields of a box in order. Throws OutsideFile at the end of the box. */
export class BoxFields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get remainingBytes(): number {
    return this.#bytes.length - this.#at;
  }

  /** An unsigned number of 0 to 8 bytes. */
  u(length: number): number {
    if (length === 0) return 0;
    const at = this.#take(length);
    if (length === 8) return Number(this.#bytes.readBigUInt64BE(at));
    return this.#bytes.readUIntBE(at, length);
  }

  i32(): number {
    return this.#bytes.readInt32BE(this.#take(4));
  }

  /** Four characters. */
  code(): string {
    const at = this.#take(4);
    return this.#bytes.toString('latin1', at, at + 4);
  }

  /** Up to the next zero, which is read too. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) throw new OutsideFile();
    const text = this.#bytes.toString('latin1', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  rest(): Buffer {
    const tail = this.#bytes.subarray(this.#at);
    this.#at = this.#bytes.length;
    return tail;
  }

  /** Version and flags of a full box. */
  full(): { readonly version: number; readonly flags: number } {
    return { version: this.u(1), flags: this.u(3) };
  }

  #take(length: number): number {
    if (length > this.remainingBytes) throw new OutsideFile();
    const at = this.#at;
    this.#at += length;
    return at;
  }
}
