// Puts the picture of a HEIF item together: tiles, overlays, cuts and turns, and its opacity.
import { AVCOL_SPC_UNSPECIFIED, AVCOL_TRC_UNSPECIFIED } from '../../../ffmpeg.ts';
import { copyTurned } from '../../../pixels/geometry.ts';
import type { Size } from '../../coded-size.ts';
import { type ByteSource, OutsideFile } from '../byte-source.ts';
import { type Pixels, turnedPixels } from '../pixels.ts';
import { alphaOf } from './alpha.ts';
import { CodedItems, codings, coloursOf, type ItemColours } from './coded.ts';
import { type HeifItems, type Item, itemBytes } from './items.ts';
import { type Canvas, codedItemSize, deepest, parseGrid, parseOverlay, stepsOf } from './layout.ts';

/** The numbers of opacity are taken as they are. */
const opacity: ItemColours = {
  matrix: AVCOL_SPC_UNSPECIFIED,
  transfer: AVCOL_TRC_UNSPECIFIED,
  fullRange: true,
};

/** Throws OutsideFile when any part of it is missing or cannot be decoded. */
export async function decodePicture(source: ByteSource, heif: HeifItems, item: Item): Promise<Pixels> {
  const coded = new CodedItems();
  try {
    const builder = new Builder(source, heif, coded);
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
  readonly #coded: CodedItems;

  constructor(source: ByteSource, heif: HeifItems, coded: CodedItems) {
    this.#source = source;
    this.#heif = heif;
    this.#coded = coded;
  }

  /** The picture of one item after its own cuts and turns. `colours`: those of the item it is a part of. */
  async item(item: Item, colours: ItemColours | null, depth: number): Promise<Pixels> {
    if (depth > deepest) throw new OutsideFile();
    const own = coloursOf(item.properties) ?? colours;
    let pixels = await this.#content(item, own, depth);
    for (const step of stepsOf(item, pixels))
      pixels = 'cut' in step ? cut(pixels, step.cut) : turnedPixels(pixels, step.turn);
    return pixels;
  }

  async #content(item: Item, colours: ItemColours | null, depth: number): Promise<Pixels> {
    const bytes = item.type === 'iden' ? Buffer.alloc(0) : await itemBytes(this.#source, this.#heif, item);
    if (codings[item.type]) {
      const prefix =
        item.type === 'jpeg' ? item.properties.find(({ type }) => type === 'jpgC')?.body : undefined;
      const size = codedItemSize(item);
      // Every picture has to say it (ISO/IEC 23008-12, 6.5.3.1), and what it takes to decode it is known by it.
      if (!size) throw new OutsideFile();
      const coded = prefix ? Buffer.concat([prefix, bytes]) : bytes;
      const pixels = this.#coded.decode(item, size, coded, colours);
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
    colours: ItemColours | null,
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
    for (const [i, part] of parts.entries()) {
      const tile = await this.item(part, colours, depth + 1);
      first ??= tile;
      const place = places?.[i] ?? {
        left: (i % columns) * first.width,
        top: Math.floor(i / columns) * first.height,
      };
      paste(tile, place, { width, height, channels: 3, data });
    }
    if (
      !places &&
      first &&
      (first.width * columns < width || first.height * (parts.length / columns) < height)
    )
      throw new OutsideFile();
    return { width, height, channels: 3, data };
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
