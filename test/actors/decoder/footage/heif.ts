// Wraps one HEVC picture in a HEIF still (ISO/IEC 23008-12), the format of phones. FFmpeg can demux it but not mux it.
import { AVMEDIA_TYPE_VIDEO, checked, FormatContext, Packet } from '../../../../actors/decoder/ffmpeg.ts';

/** The bytes of a still of width×height px, made of the first picture of an HEVC film in mp4. */
export function heifOf(film: string, width: number, height: number): Buffer {
  const { config, picture } = firstPicture(film);
  const type = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'));
  // The offset of the picture is stored in the boxes before it; their length does not depend on it.
  const start = type.length + metaBox(config, 0, picture.length, width, height).length + 8;
  return Buffer.concat([type, metaBox(config, start, picture.length, width, height), box('mdat', picture)]);
}

function firstPicture(film: string): { config: Buffer; picture: Buffer } {
  const format = new FormatContext();
  const packet = new Packet();
  packet.alloc();
  try {
    checked(format.openInputSync(`file:${film}`), film, 'opening');
    const stream = format.streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)!;
    do checked(format.readFrameSync(packet), film, 'reading');
    while (packet.streamIndex !== stream.index);
    return { config: Buffer.from(stream.codecpar.extradata!), picture: Buffer.from(packet.data!) };
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

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function box(name: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), Buffer.from(name), body]);
}

function fullBox(name: string, version: number, ...parts: Buffer[]): Buffer {
  return box(name, Buffer.from([version, 0, 0, 0]), ...parts);
}
