// Headers of containers that are a row of equal pieces: packets of MPEG-TS, tags of FLV, pages of Ogg, tags
// and frames of MP3, blocks of FLAC, packs of MPEG-PS.
import { crc32, type Element, type Field, type Header, latin, MOST_FIELDS, viewOf, words } from './fields.ts';

const none = () => {};

/** Collects pieces one after another; `read` answers where the next one begins. */
function row(bytes: Uint8Array, from: number, read: (at: number, fields: Field[]) => number) {
  const fields: Field[] = [];
  const elements: Element[] = [];
  for (let at = from; at < bytes.length && fields.length < MOST_FIELDS; ) {
    const next = Math.max(at + 1, read(at, fields));
    elements.push({ from: at, to: Math.min(next, bytes.length), depth: 0 });
    at = next;
  }
  return { fields: fields.filter(({ at, width }) => at + width <= bytes.length), elements };
}

const PACKET = 188;

/** Where the table of a packet begins and ends; null for a packet without the beginning of a table. */
function tableIn(bytes: Uint8Array, at: number): [number, number] | null {
  const payload = at + 4 + (bytes[at + 3]! & 0x20 ? 1 + bytes[at + 4]! : 0);
  if (!(bytes[at + 1]! & 0x40) || payload + 12 > at + PACKET || bytes[payload + 2] === 1) return null;
  const table = payload + 1 + bytes[payload]!;
  const end = table + 3 + (((bytes[table + 1] ?? 0) & 15) << 8) + (bytes[table + 2] ?? 0);
  return end <= at + PACKET && end - table >= 8 ? [table, end] : null;
}

export function transportStream(bytes: Uint8Array): Header {
  const found = row(bytes, 0, (at, fields) => {
    fields.push(...words(at, at + 4, 1), { at: at + 1, width: 2, kind: 'name' });
    const isAdapted = (bytes[at + 3] ?? 0) & 0x20;
    if (isAdapted) fields.push({ at: at + 4, width: 1, kind: 'length' }, ...words(at + 5, at + 12, 1));
    const table = tableIn(bytes, at);
    if (table) fields.push({ at: table[0] + 1, width: 2, kind: 'length' }, ...words(table[0], table[1], 1));
    const payload = at + 4 + (isAdapted ? 1 + bytes[at + 4]! : 0);
    // The head of an elementary packet: stream, length, flags, times.
    if ((bytes[at + 1] ?? 0) & 0x40 && !table) {
      fields.push({ at: payload + 4, width: 2, kind: 'length' }, ...words(payload + 3, payload + 19, 1));
    }
    return at + PACKET;
  });
  const seal = (damaged: Uint8Array) => {
    for (let at = 0; at + PACKET <= damaged.length; at += PACKET) {
      const table = damaged[at] === 0x47 ? tableIn(damaged, at) : null;
      if (!table) continue;
      const end = table[1] - 4;
      viewOf(damaged).setUint32(end, crc32(damaged.subarray(table[0], end), 0xffff_ffff));
    }
  };
  return { ...found, wrap: null, seal };
}

export function programStream(bytes: Uint8Array): Header {
  const found = row(bytes, 0, (at, fields) => {
    fields.push({ at: at + 3, width: 1, kind: 'name' }, { at: at + 4, width: 2, kind: 'length' });
    fields.push(...words(at + 6, at + 20, 1));
    const next = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(
      '\0\0\x01',
      at + 4,
      'latin1',
    );
    return next < 0 ? bytes.length : next;
  });
  return { ...found, wrap: null, seal: none };
}

export function flashVideo(bytes: Uint8Array): Header {
  const view = viewOf(bytes);
  const found = row(bytes, 13, (at, fields) => {
    if (at + 11 > bytes.length) return bytes.length;
    const size = view.getUint32(at) & 0xff_ffff;
    fields.push({ at, width: 1, kind: 'name' }, { at: at + 1, width: 3, kind: 'length' });
    fields.push({ at: at + 4, width: 3, kind: 'number' }, { at: at + 7, width: 1, kind: 'number' });
    fields.push(...words(at + 11, at + 11 + size, 1, 24), { at: at + 11 + size, width: 4, kind: 'length' });
    return at + 15 + size;
  });
  return { ...found, fields: [...words(3, 13, 1), ...found.fields], wrap: null, seal: none };
}

export function ogg(bytes: Uint8Array): Header {
  const found = row(bytes, 0, (at, fields) => {
    const count = bytes[at + 26] ?? 0;
    const laces = bytes.subarray(at + 27, at + 27 + count);
    const body = at + 27 + count;
    const end = laces.reduce((sum, lace) => sum + lace, body);
    fields.push({ at: at + 26, width: 1, kind: 'length' }, ...words(at + 4, at + 6, 1));
    fields.push(
      { at: at + 6, width: 8, little: true, kind: 'number' },
      ...words(at + 14, at + 22, 4, 2, true),
    );
    fields.push(
      ...Array.from(laces.slice(0, 8), (_, n) => ({ at: at + 27 + n, width: 1, kind: 'length' }) as const),
    );
    fields.push({ at: body, width: 8, kind: 'name' }, ...words(body + 8, end, 2, 16, true));
    return end;
  });
  const seal = (damaged: Uint8Array) => {
    for (const { from } of found.elements) {
      const count = damaged[from + 26] ?? 0;
      const end = damaged
        .slice(from + 27, from + 27 + count)
        .reduce((sum, lace) => sum + lace, from + 27 + count);
      if (latin(damaged, from, from + 4) !== 'OggS' || end > damaged.length) continue;
      viewOf(damaged).setUint32(from + 22, 0, true);
      viewOf(damaged).setUint32(from + 22, crc32(damaged.subarray(from, end), 0), true);
    }
  };
  return { ...found, wrap: null, seal };
}

export function flac(bytes: Uint8Array): Header {
  let last = false;
  const found = row(bytes, 4, (at, fields) => {
    if (last || at + 4 > bytes.length) return bytes.length;
    last = (bytes[at]! & 0x80) !== 0;
    const size = viewOf(bytes).getUint32(at) & 0xff_ffff;
    fields.push({ at, width: 1, kind: 'name' }, { at: at + 1, width: 3, kind: 'length' });
    fields.push(...words(at + 4, at + 4 + size, 1, 40), ...words(at + 4, at + 4 + size, 4, 10));
    return at + 4 + size;
  });
  return { ...found, wrap: null, seal: none };
}

export function mp3(bytes: Uint8Array): Header {
  const tagged = latin(bytes, 0, 3) === 'ID3';
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + bytes[at]!, 0);
  const end = tagged ? 10 + size : 0;
  const found = row(bytes, tagged ? 10 : 0, (at, fields) => {
    if (at >= end) {
      // Frame header, and the Xing or LAME tag in the first frame.
      fields.push(...words(at, at + 200, 1, 8), ...words(at, at + 200, 4));
      return bytes.length;
    }
    const length = viewOf(bytes).getUint32(at + 4);
    fields.push({ at, width: 4, kind: 'name' }, { at: at + 4, width: 4, kind: 'length' });
    fields.push(...words(at + 8, at + 24, 1));
    return bytes[at] === 0 ? end : at + 10 + length;
  });
  const head: Field[] = tagged ? [...words(3, 6, 1), { at: 6, width: 4, kind: 'length' }] : [];
  return { ...found, fields: [...head, ...found.fields], wrap: null, seal: none };
}
