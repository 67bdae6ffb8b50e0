// HEIF, the format of phones: pictures coded as HEVC, mostly a grid of tiles. libvips is built without an
// HEVC decoder, and FFmpeg's demuxer does not put tiles together, so the items are read here. AVIF is left to
// libvips.
import type { Sharp } from 'sharp';
import { mediaErrors } from '../../../contract.ts';
import { AVCOL_SPC_UNSPECIFIED, AVCOL_TRC_UNSPECIFIED } from '../../../ffmpeg.ts';
import { copyTurned } from '../../../pixels/geometry.ts';
import type { Size } from '../../coded-size.ts';
import { ByteSource, OutsideFile } from '../../file.ts';
import { type CodedColours, CodedPictures } from '../coded-pictures.ts';
import {
  damaged,
  expectFits,
  expectSize,
  maxStillPixels,
  type Pixels,
  type Still,
  sharpOf,
  turnedPixels,
  unsupported,
} from '../still.ts';
import { openVips } from '../vips.ts';
import { codings, coloursOf, profileOf } from './coded.ts';
import { type HeifItems, type Item, itemBytes, readItems } from './items.ts';
import {
  alphaOf,
  type Canvas,
  codedItemSize,
  deepest,
  heifBytes,
  paintedPixels,
  parseGrid,
  parseOverlay,
  sizeAfter,
  stepsOf,
} from './layout.ts';

/** Kinds of items that are made of others. */
const derived = ['grid', 'iovl', 'iden'];
/** Properties that are applied, or that change nothing in a picture which is decoded whole. */
const knownProperties = [
  'ispe',
  'hvcC',
  'avcC',
  'j2kH',
  'av1C',
  'jpgC',
  'colr',
  'irot',
  'imir',
  'clap',
  'pixi',
  'pasp',
  'auxC',
];

/** Errors: FILE_UNREADABLE, DECODE_FAILED, UNSUPPORTED_CODEC, TOO_LARGE. */
export async function openHeif(path: string): Promise<Still> {
  return readHeif(path).catch((error: unknown) => {
    if (error instanceof OutsideFile) throw damaged(path, 'HEIF', 'header cannot be read', error);
    throw error;
  });
}

/** Throws OutsideFile for facts that are missing or cut off. */
async function readHeif(path: string): Promise<Still> {
  const { heif, primary, types, exif } = await ByteSource.of(path, async (source) => {
    const heif = await readItems(source);
    const primary = heif?.items.get(heif.primary);
    if (!heif || !primary) throw new OutsideFile();
    return { heif, primary, types: codedTypes(heif, primary), exif: await readExifBlock(source, heif) };
  });
  if (types.size > 0 && [...types].every((type) => type === 'av01')) {
    const still = await openVips(path, { container: 'heif', format: 'AVIF', failOn: 'truncated' }).catch(
      nullIfUnread,
    );
    // libvips goes by the main brand alone, and knows few.
    if (still) return still;
  }
  const format = formatName(types);
  expectKnown(path, primary, types);
  const coded = codedItemSize(primary);
  if (!coded) throw damaged(path, format, 'picture does not say how large it is');
  expectSize(path, format, coded);
  expectFits(path, coded);
  if (paintedPixels(heif, primary) > maxStillPixels)
    throw damaged(path, format, 'picture is made of too many others');
  const memory = heifBytes(heif, primary);
  const size: Size = sizeAfter(coded, stepsOf(primary, coded));
  return {
    path,
    format,
    container: 'heif',
    ...size,
    samples: {
      bit_depth: bitDepth(primary),
      color_model: 'srgb',
      alpha: alphaOf(heif, primary) !== undefined,
      chroma_subsampling: null,
    },
    exif,
    xmp: new Uint8Array(),
    orientation: 1,
    memory: () => memory,
    decode: () => decode(path, format, heif, primary, false),
    lenient: [{ memory: () => memory, decode: () => decode(path, format, heif, primary, true) }],
  };
}

function nullIfUnread(error: unknown): null {
  if (mediaErrors.DECODE_FAILED.is(error)) return null;
  throw error;
}

function formatName(types: ReadonlySet<string>): string {
  const names = [...types].map((type) => codings[type]?.name ?? type);
  return names.length > 0 ? `HEIF (${names.join(', ')})` : 'HEIF';
}

/** Types of the coded items that the picture is made of. */
function codedTypes(heif: HeifItems, item: Item): Set<string> {
  const types = new Set<string>();
  const seen = new Set<number>();
  const visit = (id: number, depth: number) => {
    const found = heif.items.get(id);
    if (!found || seen.has(id) || depth > deepest) return;
    seen.add(id);
    if (!derived.includes(found.type)) types.add(found.type);
    else for (const part of heif.parts.get(id) ?? []) visit(part, depth + 1);
  };
  visit(item.id, 0);
  return types;
}

function expectKnown(path: string, primary: Item, types: ReadonlySet<string>) {
  for (const type of types) {
    if (!codings[type]) throw unsupported(path, 'HEIF', `a picture of type '${type}'`);
  }
  const strange = primary.properties.find(
    ({ type, essential }) => essential && !knownProperties.includes(type),
  );
  if (strange) throw unsupported(path, 'HEIF', `the essential property '${strange.type}'`);
}

function bitDepth({ properties }: Item): number {
  const found = properties.find(({ type }) => type === 'pixi');
  return found && found.body.length > 5 ? found.body[5]! : 8;
}

/** The block begins with the length of what lies before its TIFF header. */
async function readExifBlock(source: ByteSource, heif: HeifItems): Promise<Uint8Array> {
  const item = [...heif.items.values()].find(
    ({ id, type }) =>
      type === 'Exif' &&
      heif.references.some(
        (reference) =>
          reference.type === 'cdsc' && reference.from === id && reference.to.includes(heif.primary),
      ),
  );
  const bytes = item && (await itemBytes(source, heif, item).catch(() => null));
  return bytes && bytes.length > 4 ? bytes.subarray(4 + bytes.readUInt32BE(0)) : new Uint8Array();
}

async function decode(
  path: string,
  format: string,
  heif: HeifItems,
  primary: Item,
  isLenient: boolean,
): Promise<() => Sharp> {
  const decoded = ByteSource.of(path, (source) => decodePicture(source, heif, primary, isLenient));
  const pixels = await decoded.catch((error: unknown) => {
    if (error instanceof OutsideFile)
      throw damaged(path, format, 'picture cannot be decoded: it is damaged or incomplete', error);
    throw error;
  });
  const profile = profileOf(primary.properties);
  return () => sharpOf(pixels, profile);
}

// Puts the picture of a HEIF item together: tiles, overlays, cuts and turns, and its opacity.

/** The numbers of opacity are taken as they are. */
const opacity: CodedColours = {
  matrix: AVCOL_SPC_UNSPECIFIED,
  transfer: AVCOL_TRC_UNSPECIFIED,
  fullRange: true,
};

/**
 * Throws OutsideFile when any part of it is missing or cannot be decoded; with `isLenient`, when all of them
 * are.
 */
async function decodePicture(
  source: ByteSource,
  heif: HeifItems,
  item: Item,
  isLenient: boolean,
): Promise<Pixels> {
  const coded = new CodedPictures(isLenient);
  try {
    const builder = new Builder(source, heif, coded, isLenient);
    const picture = await builder.item(item, coloursOf(item.properties), 0);
    const alpha = alphaOf(heif, item);
    return alpha
      ? withAlpha(
          picture,
          await builder.item(
            { ...alpha, properties: alpha.properties.filter(({ type }) => type !== 'colr') },
            opacity,
            0,
          ),
        )
      : picture;
  } finally {
    coded.close();
  }
}

class Builder {
  readonly #source: ByteSource;
  readonly #heif: HeifItems;
  readonly #coded: CodedPictures;
  readonly #isLenient: boolean;

  constructor(source: ByteSource, heif: HeifItems, coded: CodedPictures, isLenient: boolean) {
    this.#isLenient = isLenient;
    this.#source = source;
    this.#heif = heif;
    this.#coded = coded;
  }

  /** The picture of one item after its own cuts and turns. `colours`: those of the item it is a part of. */
  async item(item: Item, colours: CodedColours | null, depth: number): Promise<Pixels> {
    if (depth > deepest) throw new OutsideFile();
    const own = coloursOf(item.properties) ?? colours;
    let pixels = await this.#content(item, own, depth);
    for (const step of stepsOf(item, pixels))
      pixels = 'cut' in step ? cut(pixels, step.cut) : turnedPixels(pixels, step.turn);
    return pixels;
  }

  async #content(item: Item, colours: CodedColours | null, depth: number): Promise<Pixels> {
    const bytes =
      item.type === 'iden'
        ? Buffer.alloc(0)
        : await itemBytes(this.#source, this.#heif, item, this.#isLenient);
    if (codings[item.type]) {
      const prefix =
        item.type === 'jpeg' ? item.properties.find(({ type }) => type === 'jpgC')?.body : undefined;
      const size = codedItemSize(item);
      // Every picture has to say it (ISO/IEC 23008-12, 6.5.3.1), and what it takes to decode it is known by
      // it.
      if (!size) throw new OutsideFile();
      const coded = prefix ? Buffer.concat([prefix, bytes]) : bytes;
      const { decoder, settings } = codings[item.type]!;
      const extradata = item.properties.find(({ type }) => type === settings)?.body;
      const pixels = this.#coded.decode({ decoder, extradata }, size, coded, colours);
      if (!pixels) throw new OutsideFile();
      // A coded picture may be larger than what is shown of it, by what its blocks need.
      return size.width <= pixels.width && size.height <= pixels.height
        ? cut(pixels, { ...size, left: 0, top: 0 })
        : pixels;
    }
    const parts = (this.#heif.parts.get(item.id) ?? []).map((id) => this.#heif.items.get(id));
    if (parts.length === 0 || parts.includes(undefined)) throw new OutsideFile();
    const known = parts as Item[];
    if (item.type === 'iden') return this.item(known[0]!, colours, depth + 1);
    const canvas = item.type === 'grid' ? parseGrid(bytes, known.length) : parseOverlay(bytes, known.length);
    return this.#paint(canvas, codedItemSize(item), known, colours, depth);
  }

  async #paint(
    canvas: Canvas,
    said: Size | null,
    parts: readonly Item[],
    colours: CodedColours | null,
    depth: number,
  ): Promise<Pixels> {
    const { width, height, background, places, columns } = canvas;
    // The size was checked when the file was opened; a canvas of another size was not.
    if (said?.width !== width || said.height !== height) throw new OutsideFile();
    const data = new Uint8Array(width * height * 3);
    if (background.some((level) => level > 0)) {
      for (let at = 0; at < data.length; at += 3) data.set(background, at);
    }
    let first: Size | null = null;
    let missing = 0;
    for (const [i, part] of parts.entries()) {
      const tile = await this.#part(part, colours, depth + 1);
      if (!tile) {
        missing++;
        continue;
      }
      first ??= tile;
      const place = places?.[i] ?? {
        left: (i % columns) * first.width,
        top: Math.floor(i / columns) * first.height,
      };
      paste(tile, place, { width, height, channels: 3, data });
    }
    if (missing === parts.length) throw new OutsideFile();
    if (
      !places &&
      first &&
      (first.width * columns < width || first.height * (parts.length / columns) < height)
    )
      throw new OutsideFile();
    return { width, height, channels: 3, data };
  }

  /** Null for a part that is missing or cannot be decoded, where that is allowed. */
  async #part(part: Item, colours: CodedColours | null, depth: number): Promise<Pixels | null> {
    if (!this.#isLenient) return this.item(part, colours, depth);
    return this.item(part, colours, depth).catch((error: unknown) => {
      if (error instanceof OutsideFile) return null;
      throw error;
    });
  }
}

/** Copies what of the picture lies within the canvas. */
function paste(
  picture: Pixels,
  { left, top }: { readonly left: number; readonly top: number },
  canvas: Pixels,
) {
  const from = Math.max(0, -left);
  const columns = Math.min(picture.width - from, canvas.width - Math.max(0, left));
  if (columns <= 0) return;
  for (let y = Math.max(0, -top); y < picture.height && top + y < canvas.height; y++) {
    const start = (y * picture.width + from) * 3;
    canvas.data.set(
      picture.data.subarray(start, start + columns * 3),
      ((top + y) * canvas.width + left + from) * 3,
    );
  }
}

function cut(
  pixels: Pixels,
  { width, height, left, top }: Size & { readonly left: number; readonly top: number },
): Pixels {
  if (width === pixels.width && height === pixels.height) return pixels;
  const data = new Uint8Array(width * height * 3);
  const from = { ...pixels, stride: pixels.width * 3, depth: 3 };
  copyTurned(from, { rotation: 0, mirrored: false }, left, top, {
    width,
    height,
    stride: width * 3,
    depth: 3,
    data,
  });
  return { width, height, channels: 3, data };
}

/** Opacity may be coded smaller than the picture. */
function withAlpha(picture: Pixels, alpha: Pixels): Pixels {
  const { width, height } = picture;
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const row = Math.floor((y * alpha.height) / height) * alpha.width;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      for (let i = 0; i < 3; i++) data[at * 4 + i] = picture.data[at * 3 + i]!;
      data[at * 4 + 3] = alpha.data[(row + Math.floor((x * alpha.width) / width)) * 3]!;
    }
  }
  return { width, height, channels: 4, data };
}
