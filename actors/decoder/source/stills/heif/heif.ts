// HEIF, the format of phones: pictures coded as HEVC, mostly a grid of tiles. libvips is built without an HEVC decoder, and
// FFmpeg's demuxer does not put tiles together, so the items are read here. AVIF is left to libvips.
import type { Sharp } from 'sharp';
import { mediaErrors } from '../../../contract.ts';
import type { Size } from '../../coded-size.ts';
import { ByteSource, OutsideFile } from '../byte-source.ts';
import { expectFits, sharpOf } from '../pixels.ts';
import { damaged, expectSize, maxStillPixels, type Still, unsupported } from '../still.ts';
import { openVips } from '../vips.ts';
import { alphaOf } from './alpha.ts';
import { codings, profileOf } from './coded.ts';
import { type HeifItems, type Item, itemBytes, readItems } from './items.ts';
import { codedItemSize, deepest, sizeAfter, stepsOf } from './layout.ts';
import { heifBytes, paintedPixels } from './memory.ts';
import { decodePicture } from './picture.ts';

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
    memory: () => memory,
    decode: () => decode(path, format, heif, primary),
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

async function decode(path: string, format: string, heif: HeifItems, primary: Item): Promise<() => Sharp> {
  const pixels = await ByteSource.of(path, (source) => decodePicture(source, heif, primary)).catch(
    (error: unknown) => {
      if (error instanceof OutsideFile)
        throw damaged(path, format, 'picture cannot be decoded: it is damaged or incomplete', error);
      throw error;
    },
  );
  const profile = profileOf(primary.properties);
  return () => sharpOf(pixels, profile);
}
