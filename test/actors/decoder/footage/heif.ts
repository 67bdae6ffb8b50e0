// Wraps HEVC pictures in a HEIF still (ISO/IEC 23008-12), the format of phones: one, or a grid of tiles.
// FFmpeg cannot mux it.
import { AVMEDIA_TYPE_VIDEO, checked, FormatContext, Packet } from '../../../../actors/decoder/ffmpeg.ts';

/** The bytes of a still of width×height px, made of the first picture of an HEVC film in mp4. */
export function heifOf(film: string, width: number, height: number): Buffer {
  const { config, picture } = firstPicture(film);
  const type = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'));
  // The offset of the picture is stored in the boxes before it; their length does not depend on it.
  const start = type.length + metaBox(config, 0, picture.length, width, height).length + 8;
  return Buffer.concat([type, metaBox(config, start, picture.length, width, height), box('mdat', picture)]);
}

export interface HeifGrid {
  readonly columns: number;
  readonly rows: number;
  /** Size of a tile, and of what is shown of all of them. */
  readonly tile: number;
  readonly width: number;
  readonly height: number;
  /** Further properties of the grid, in their order: turns, cuts, colours. */
  readonly properties?: readonly Buffer[];
  /** The picture after those of the grid is its opacity. */
  readonly alpha?: boolean;
}

/** A still whose tiles are the pictures of a film of one keyframe after the other. */
export function heifGrid(film: string, kind: HeifGrid): Buffer {
  const { columns, rows, tile, width, height, properties = [], alpha = false } = kind;
  const count = columns * rows;
  const { config, pictures } = readPictures(film, count + (alpha ? 1 : 0));
  const grid = count + 1;
  const opacity = count + 2;
  const ids = [...pictures.keys()].map((i) => (i < count ? i + 1 : opacity));
  const type = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'));
  const auxiliary = fullBox('auxC', 0, Buffer.from('urn:mpeg:hevc:2015:auxid:1\0'));
  const ispe = (...size: number[]) => fullBox('ispe', 0, ...size.map(u32));
  const shared = [box('hvcC', config), ispe(tile, tile), ispe(width, height), auxiliary];
  const first = shared.length + 1;
  const used = [
    ...ids.map((id) => [id, id === opacity ? [0x81, 2, 4] : [0x81, 2]] as const),
    [grid, [3, ...properties.map((_, i) => 0x80 + first + i)]] as const,
  ];
  const body = Buffer.concat([Buffer.of(0, 0, rows - 1, columns - 1), u16(width), u16(height)]);
  const meta = (start: number) => {
    let at = start;
    const places = pictures.map((picture, i) => {
      const place = Buffer.concat([u16(ids[i]!), u16(0), u16(0), u16(1), u32(at), u32(picture.length)]);
      at += picture.length;
      return place;
    });
    const inside = Buffer.concat([u16(grid), u16(1), u16(0), u16(1), u32(0), u32(body.length)]);
    return fullBox(
      'meta',
      0,
      fullBox('hdlr', 0, u32(0), Buffer.from('pict'), Buffer.alloc(13)),
      fullBox('pitm', 0, u16(grid)),
      fullBox('iloc', 1, Buffer.from([0x44, 0]), u16(places.length + 1), ...places, inside),
      fullBox(
        'iinf',
        0,
        u16(ids.length + 1),
        ...ids.map((id) => fullBox('infe', 2, u16(id), u16(0), Buffer.from('hvc1\0'))),
        fullBox('infe', 2, u16(grid), u16(0), Buffer.from('grid\0')),
      ),
      box(
        'iprp',
        box('ipco', ...shared, ...properties),
        fullBox(
          'ipma',
          0,
          u32(used.length),
          ...used.map(([id, list]) => Buffer.concat([u16(id), Buffer.of(list.length, ...list)])),
        ),
      ),
      fullBox(
        'iref',
        0,
        box('dimg', u16(grid), u16(count), ...ids.slice(0, count).map(u16)),
        ...(alpha ? [box('auxl', u16(opacity), u16(1), u16(grid))] : []),
      ),
      box('idat', body),
    );
  };
  const start = type.length + meta(0).length + 8;
  return Buffer.concat([type, meta(start), box('mdat', ...pictures)]);
}

function firstPicture(film: string): { config: Buffer; picture: Buffer } {
  const { config, pictures } = readPictures(film, 1);
  return { config, picture: pictures[0]! };
}

function readPictures(film: string, count: number): { config: Buffer; pictures: Buffer[] } {
  const format = new FormatContext();
  const packet = new Packet();
  packet.alloc();
  try {
    checked(format.openInputSync(`file:${film}`), film, 'opening');
    const stream = format.streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)!;
    const pictures: Buffer[] = [];
    while (pictures.length < count) {
      checked(format.readFrameSync(packet), film, 'reading');
      if (packet.streamIndex === stream.index) pictures.push(Buffer.from(packet.data!));
      packet.unref();
    }
    return { config: Buffer.from(stream.codecpar.extradata!), pictures };
  } finally {
    packet.free();
    format.closeInputSync();
  }
}

function metaBox(config: Buffer, start: number, length: number, width: number, height: number): Buffer {
  const handler = fullBox('hdlr', 0, u32(0), Buffer.from('pict'), Buffer.alloc(13));
  const primary = fullBox('pitm', 0, u16(1));
  const place = fullBox(
    'iloc',
    0,
    Buffer.from([0x44, 0]),
    u16(1),
    u16(1),
    u16(0),
    u16(1),
    u32(start),
    u32(length),
  );
  const entry = fullBox('infe', 2, u16(1), u16(0), Buffer.from('hvc1\0'));
  const properties = box('ipco', box('hvcC', config), fullBox('ispe', 0, u32(width), u32(height)));
  const used = fullBox('ipma', 0, u32(1), u16(1), Buffer.from([2, 0x81, 2]));
  const items = fullBox('iinf', 0, u16(1), entry);
  return fullBox('meta', 0, handler, primary, place, items, box('iprp', properties, used));
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function box(name: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), Buffer.from(name), body]);
}

function fullBox(name: string, version: number, ...parts: Buffer[]): Buffer {
  return box(name, Buffer.from([version, 0, 0, 0]), ...parts);
}
