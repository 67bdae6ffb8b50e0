// HEIF, the format of phones: a picture coded as HEVC, or a grid of such tiles. libvips is built without an
// HEVC decoder, and FFmpeg's demuxer does not put tiles together, so the items are read here. AVIF is left to
// libvips.
import type { Sharp } from 'sharp';
import { mediaErrors } from '../../../contract.ts';
import { AVCOL_SPC_UNSPECIFIED, AVCOL_TRC_UNSPECIFIED } from '../../../ffmpeg.ts';
import { copyTurned, type Turned } from '../../../pixels/geometry.ts';
import { rotated, type Size } from '../../coded-size.ts';
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
  streamBytes,
  turnedPixels,
  unsupported,
} from '../still.ts';
import { openVips } from '../vips.ts';
import { BoxFields, type HeifItem, type HeifItems, itemBytes, readItems } from './items.ts';

interface Coding {
  /** FFmpeg's name of the decoder, and the name for people. */
  readonly decoder: string;
  readonly name: string;
  /** The property with the decoder's settings. */
  readonly settings: string;
}

/** Types of coded items. */
const codings: Readonly<Record<string, Coding>> = {
  hvc1: { decoder: 'hevc', name: 'HEVC', settings: 'hvcC' },
  hev1: { decoder: 'hevc', name: 'HEVC', settings: 'hvcC' },
  av01: { decoder: 'libdav1d', name: 'AV1', settings: 'av1C' },
};
/** Properties that are applied, or that change nothing in a picture which is decoded whole. */
const knownProperties = 'ispe hvcC av1C colr irot imir clap pixi pasp auxC'.split(' ');

/** Errors: FILE_UNREADABLE, DECODE_FAILED, UNSUPPORTED_CODEC, TOO_LARGE. */
export async function openHeif(path: string): Promise<Still> {
  return readHeif(path).catch((error: unknown) => {
    if (error instanceof OutsideFile) throw damaged(path, 'HEIF', 'header cannot be read', error);
    throw error;
  });
}

/** Throws OutsideFile for facts that are missing or cut off. */
async function readHeif(path: string): Promise<Still> {
  const { heif, primary, exif } = await ByteSource.of(path, async (source) => {
    const heif = await readItems(source);
    const primary = heif?.items.get(heif.primary);
    if (!heif || !primary) throw new OutsideFile();
    return { heif, primary, exif: await readExifBlock(source, heif) };
  });
  const types = new Set(codedItems(heif, primary).map(({ type }) => type));
  if (types.size === 1 && types.has('av01')) {
    const still = await openVips(path, { container: 'heif', format: 'AVIF', failOn: 'truncated' }).catch(
      nullIfUnread,
    );
    // libvips goes by the main brand alone, and knows few.
    if (still) return still;
  }
  expectKnown(path, primary, types);
  const format = `HEIF (${[...types].map((type) => codings[type]!.name).join(', ')})`;
  const coded = codedItemSize(primary);
  if (!coded) throw damaged(path, format, 'picture does not say how large it is');
  expectSize(path, format, coded);
  expectFits(path, coded);
  if (decodedPixels(heif, primary) > maxStillPixels)
    throw damaged(path, format, 'picture is made of too many others');
  const memory = heifBytes(heif, primary);
  return {
    path,
    format,
    container: 'heif',
    ...sizeAfter(coded, stepsOf(primary, coded)),
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

/** The tiles of a grid in their order, or the item itself. Throws OutsideFile for tiles that are missing. */
function codedItems({ items, parts }: HeifItems, item: HeifItem): readonly HeifItem[] {
  if (item.type !== 'grid') return [item];
  const tiles = (parts.get(item.id) ?? []).map((id) => items.get(id));
  if (tiles.length === 0 || tiles.includes(undefined)) throw new OutsideFile();
  return tiles as HeifItem[];
}

function expectKnown(path: string, primary: HeifItem, types: ReadonlySet<string>) {
  for (const type of types) {
    if (!codings[type]) throw unsupported(path, 'HEIF', `a picture of type '${type}'`);
  }
  const strange = primary.properties.find(
    ({ type, essential }) => essential && !knownProperties.includes(type),
  );
  if (strange) throw unsupported(path, 'HEIF', `the essential property '${strange.type}'`);
}

function bitDepth({ properties }: HeifItem): number {
  const property = properties.find(({ type }) => type === 'pixi');
  return property && property.body.length > 5 ? property.body[5]! : 8;
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
  primary: HeifItem,
  isLenient: boolean,
): Promise<() => Sharp> {
  const decoded = ByteSource.of(path, (source) => decodePicture(source, heif, primary, isLenient));
  const pixels = await decoded.catch((error: unknown) => {
    if (error instanceof OutsideFile)
      throw damaged(path, format, 'picture cannot be decoded: it is damaged or incomplete', error);
    throw error;
  });
  const profile = profileOf(primary);
  return () => sharpOf(pixels, profile);
}

// Decodes the picture of an item: its tiles, cuts and turns, and its opacity.

/** The numbers of opacity are taken as they are. */
const opacity: CodedColours = {
  matrix: AVCOL_SPC_UNSPECIFIED,
  transfer: AVCOL_TRC_UNSPECIFIED,
  fullRange: true,
};

/** Throws OutsideFile when any tile is missing or cannot be decoded; with `isLenient`, when all are. */
async function decodePicture(
  source: ByteSource,
  heif: HeifItems,
  item: HeifItem,
  isLenient: boolean,
): Promise<Pixels> {
  const coded = new CodedPictures(isLenient);
  try {
    const builder = new Builder(source, heif, coded, isLenient);
    const picture = await builder.item(item, null);
    const alpha = alphaOf(heif, item);
    if (!alpha) return picture;
    const properties = alpha.properties.filter(({ type }) => type !== 'colr');
    return withAlpha(picture, await builder.item({ ...alpha, properties }, opacity));
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

  /** The picture of one item after its own cuts and turns. `colours`: those of the grid it is a tile of. */
  async item(item: HeifItem, colours: CodedColours | null): Promise<Pixels> {
    const itemColours = coloursOf(item) ?? colours;
    const bytes = await itemBytes(this.#source, this.#heif, item, this.#isLenient);
    let pixels =
      item.type === 'grid'
        ? await this.#grid(item, bytes, itemColours)
        : this.#decoded(item, bytes, itemColours);
    for (const step of stepsOf(item, pixels))
      pixels = 'cut' in step ? cut(pixels, step.cut) : turnedPixels(pixels, step.turn);
    return pixels;
  }

  #decoded(item: HeifItem, bytes: Buffer, colours: CodedColours | null): Pixels {
    const coding = codings[item.type];
    const size = codedItemSize(item);
    // Every picture has to say it (ISO/IEC 23008-12, 6.5.3.1), and it says what decoding takes.
    if (!coding || !size) throw new OutsideFile();
    const extradata = item.properties.find(({ type }) => type === coding.settings)?.body;
    const pixels = this.#coded.decode({ decoder: coding.decoder, extradata }, size, bytes, colours);
    if (!pixels) throw new OutsideFile();
    // A coded picture may be larger than what is shown of it, by what its blocks need.
    return size.width <= pixels.width && size.height <= pixels.height
      ? cut(pixels, { ...size, left: 0, top: 0 })
      : pixels;
  }

  async #grid(item: HeifItem, bytes: Buffer, colours: CodedColours | null): Promise<Pixels> {
    const tiles = codedItems(this.#heif, item);
    const { width, height, columns } = parseGrid(bytes, tiles.length);
    const stated = codedItemSize(item);
    // The stated size was checked when the file was opened; a canvas of another size was not.
    if (stated?.width !== width || stated.height !== height) throw new OutsideFile();
    const canvas: Pixels = { width, height, channels: 3, data: new Uint8Array(width * height * 3) };
    let first: Size | null = null;
    for (const [i, tile] of tiles.entries()) {
      const pixels = await this.#tile(tile, colours);
      if (!pixels) continue;
      first ??= pixels;
      paste(pixels, (i % columns) * first.width, Math.floor(i / columns) * first.height, canvas);
    }
    const isFilled =
      first && first.width * columns >= width && first.height * (tiles.length / columns) >= height;
    if (!isFilled) throw new OutsideFile();
    return canvas;
  }

  /** Null for a tile that is missing or cannot be decoded, where that is allowed. */
  async #tile(tile: HeifItem, colours: CodedColours | null): Promise<Pixels | null> {
    // A grid of grids is refused when the file is opened, but the opacity may be one.
    if (tile.type === 'grid') throw new OutsideFile();
    if (!this.#isLenient) return this.item(tile, colours);
    return this.item(tile, colours).catch((error: unknown) => {
      if (error instanceof OutsideFile) return null;
      throw error;
    });
  }
}

/** Copies what of the tile lies within the canvas. */
function paste(tile: Pixels, left: number, top: number, canvas: Pixels) {
  const columns = Math.min(tile.width, canvas.width - left);
  if (columns <= 0) return;
  for (let y = 0; y < tile.height && top + y < canvas.height; y++) {
    const start = y * tile.width * 3;
    canvas.data.set(tile.data.subarray(start, start + columns * 3), ((top + y) * canvas.width + left) * 3);
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

// Size, cuts, turns and colours of an item.

/** Operations on a picture after decoding, in order. */
type Step =
  | { readonly cut: Size & { readonly left: number; readonly top: number } }
  | { readonly turn: Turned };

/** The size the item says it has before its steps; null where it does not say. */
function codedItemSize({ properties }: HeifItem): Size | null {
  const property = properties.find(({ type }) => type === 'ispe');
  if (!property) return null;
  const fields = new BoxFields(property.body);
  fields.full();
  return { width: fields.u(4), height: fields.u(4) };
}

/** The cuts and turns of an item of that size, in the order in which the file lists them. */
function stepsOf({ properties }: HeifItem, size: Size): readonly Step[] {
  const steps: Step[] = [];
  let now = size;
  for (const { type, body } of properties) {
    const fields = new BoxFields(body);
    if (type === 'clap') {
      const cut = cleanAperture(fields, now);
      steps.push({ cut });
      now = { width: cut.width, height: cut.height };
    } else if (type === 'irot') {
      // Anticlockwise in the file.
      const rotation = ((4 - (fields.u(1) & 3)) % 4) * 90;
      steps.push({ turn: { rotation, mirrored: false } });
      now = rotated(now, rotation);
    } else if (type === 'imir') {
      // 0 swaps top and bottom, 1 left and right.
      const sideways = (fields.u(1) & 1) === 1;
      steps.push({ turn: { rotation: sideways ? 0 : 180, mirrored: true } });
    }
  }
  return steps;
}

function sizeAfter(size: Size, steps: readonly Step[]): Size {
  return steps.reduce(
    (now, step) =>
      'cut' in step ? { width: step.cut.width, height: step.cut.height } : rotated(now, step.turn.rotation),
    size,
  );
}

/**
 * Width, height, and the offset of the middle from that of the picture, each as a fraction. Cuts nothing when
 * impossible.
 */
function cleanAperture(fields: BoxFields, { width, height }: Size) {
  const fraction = (numerator: number) => numerator / fields.u(4);
  const wide = fraction(fields.u(4));
  const high = fraction(fields.u(4));
  const across = fraction(fields.i32());
  const down = fraction(fields.i32());
  const left = Math.round(across + (width - wide) / 2);
  const top = Math.round(down + (height - high) / 2);
  const cut = { width: Math.round(wide), height: Math.round(high), left, top };
  const possible =
    cut.width > 0 &&
    cut.height > 0 &&
    left >= 0 &&
    top >= 0 &&
    left + cut.width <= width &&
    top + cut.height <= height;
  return possible ? cut : { width, height, left: 0, top: 0 };
}

/** The body of a `grid` item. Throws OutsideFile when the number of tiles is another one. */
function parseGrid(bytes: Buffer, tiles: number): Size & { readonly columns: number } {
  const fields = new BoxFields(bytes);
  fields.u(1);
  const wide = (fields.u(1) & 1) === 1 ? 4 : 2;
  const rows = fields.u(1) + 1;
  const columns = fields.u(1) + 1;
  if (rows * columns !== tiles) throw new OutsideFile();
  return { width: fields.u(wide), height: fields.u(wide), columns };
}

function coloursOf({ properties }: HeifItem): CodedColours | null {
  for (const { type, body } of properties) {
    const fields = new BoxFields(body);
    if (type !== 'colr' || fields.code() !== 'nclx') continue;
    fields.u(2);
    return { transfer: fields.u(2), matrix: fields.u(2), fullRange: fields.u(1) >= 128 };
  }
  return null;
}

/** The ICC profile; null where there is none. */
function profileOf({ properties }: HeifItem): Buffer | null {
  for (const { type, body } of properties) {
    const fields = new BoxFields(body);
    if (type !== 'colr' || !['prof', 'rICC'].includes(fields.code())) continue;
    const profile = fields.rest();
    if (profile.length > 128) return profile;
  }
  return null;
}

// How much memory and work it takes to put the picture together, by the sizes that the items state.

/**
 * Bytes a pixel: a coded picture as the decoder has it, the same in RGB from the scaler, and a copy of that.
 */
const codedPixel = 8.5;
const rgb = 3;
/** An item takes as much work as one of so many px, at least. */
const leastPixels = 64 * 64;

const pixelsOf = (size: Size | null) => (size ? size.width * size.height : 0);

/** Memory for decoding all of it and handing it to a pipeline, bytes. */
function heifBytes(heif: HeifItems, primary: HeifItem): number {
  const size = codedItemSize(primary)!;
  const pixels = pixelsOf(size);
  const alpha = alphaOf(heif, primary);
  const channels = alpha ? 4 : 3;
  const joined = alpha ? 4 * pixels + pictureBytes(heif, alpha) : 0;
  // sharp takes the profile in a file, with a copy of the picture.
  const profiled = profileOf(primary) ? channels * pixels : 0;
  return pictureBytes(heif, primary) + joined + profiled + streamBytes(size, channels);
}

/** The canvas of an item, the largest of its tiles, and a copy for each cut and turn. */
function pictureBytes(heif: HeifItems, item: HeifItem): number {
  const size = codedItemSize(item);
  if (!size) return 0;
  const largest = codedItems(heif, item).reduce(
    (most, part) => Math.max(most, pixelsOf(codedItemSize(part))),
    0,
  );
  const canvas = item.type === 'grid' ? rgb : 0;
  return codedPixel * largest + (canvas + rgb * stepsOf(item, size).length) * pixelsOf(size);
}

/** Pixels of all items that are decoded, the opacity among them. */
function decodedPixels(heif: HeifItems, primary: HeifItem): number {
  const alpha = alphaOf(heif, primary);
  const coded = [primary, ...(alpha ? [alpha] : [])].flatMap((item) => codedItems(heif, item));
  return coded.reduce((sum, item) => sum + Math.max(leastPixels, pixelsOf(codedItemSize(item))), 0);
}

/** The item that is the opacity of `item`. */
function alphaOf({ items, references }: HeifItems, item: HeifItem): HeifItem | undefined {
  return references
    .filter(({ type, to }) => type === 'auxl' && to.includes(item.id))
    .map(({ from }) => items.get(from))
    .find(isAlpha);
}

function isAlpha(item: HeifItem | undefined): boolean {
  const property = item?.properties.find(({ type }) => type === 'auxC');
  if (!property) return false;
  const fields = new BoxFields(property.body);
  fields.full();
  return ['urn:mpeg:hevc:2015:auxid:1', 'urn:mpeg:mpegB:cicp:systems:auxiliary:alpha'].includes(
    fields.text(),
  );
}
