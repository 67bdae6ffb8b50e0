// Headers of containers whose elements hold others: boxes of MP4 and MOV, elements of Matroska and WebM,
// chunks of AVI and WAV.
import {
  type Element,
  type Field,
  type Header,
  joined,
  latin,
  MOST_FIELDS,
  viewOf,
  words,
} from './fields.ts';

interface Part {
  readonly fields: readonly Field[];
  /** Where its content begins and ends. */
  readonly body: number;
  readonly end: number;
  readonly holdsOthers: boolean;
  /** Bytes of the content that come before the elements in it. */
  readonly skip: number;
}

type ReadPart = (bytes: Uint8Array, at: number) => Part | null;

function walk(bytes: Uint8Array, read: ReadPart): Pick<Header, 'fields' | 'elements'> {
  const fields: Field[] = [];
  const elements: Element[] = [];
  const level = (from: number, to: number, depth: number) => {
    for (let at = from; at < to && fields.length < MOST_FIELDS; ) {
      const part = read(bytes, at);
      if (!part || part.end <= at) return;
      const end = Math.min(part.end, to);
      fields.push(...part.fields);
      elements.push({ from: at, to: end, depth });
      fields.push(...words(part.body, part.holdsOthers ? part.body + part.skip : end));
      if (part.holdsOthers) level(part.body + part.skip, end, depth + 1);
      at = end;
    }
  };
  level(0, bytes.length, 0);
  return { fields: fields.filter(({ at, width }) => at + width <= bytes.length), elements };
}

const none = () => {};

const boxesWithOthers: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'moov trak mdia minf stbl edts udta moof traf mvex dinf ilst tref mfra iprp ipco'
      .split(' ')
      .map((name) => [name, 0]),
  ),
  meta: 4,
  stsd: 8,
  dref: 8,
  mp4a: 28,
  ...Object.fromEntries(['avc1', 'hvc1', 'hev1', 'av01', 'vp09', 'mp4v', 'apch'].map((name) => [name, 78])),
};

export function boxes(bytes: Uint8Array): Header {
  const read: ReadPart = (all, at) => {
    if (at + 8 > all.length) return null;
    const size = viewOf(all).getUint32(at);
    const skip = boxesWithOthers[latin(all, at + 4, at + 8)];
    const fields: Field[] = [
      { at, width: 4, kind: 'length' },
      { at: at + 4, width: 4, kind: 'name' },
    ];
    const end = size === 0 ? all.length : at + size;
    return { fields, body: at + 8, end, holdsOthers: skip !== undefined, skip: skip ?? 0 };
  };
  const wrap = (element: Uint8Array, inner: Uint8Array) => {
    const head = element.slice(0, 8);
    viewOf(head).setUint32(0, inner.length + 8);
    return joined(head, inner);
  };
  return { ...walk(bytes, read), wrap, seal: none };
}

const masters = new Set(
  (
    '1a45dfa3 18538067 1549a966 1654ae6b ae e0 e1 1c53bb6b bb b7 1f43b675 a0 114d9b74 4dbb 6d80 6240 5034 1254c367 ' +
    '7373 67c8 55b0'
  ).split(' '),
);

/** Length of a number of EBML, by the first bit that is set. */
const vintWidth = (first: number) => Math.clz32(first) - 23;

export function ebml(bytes: Uint8Array): Header {
  const read: ReadPart = (all, at) => {
    const idWidth = vintWidth(all[at]!);
    const sizeWidth = vintWidth(all[at + idWidth] ?? 0);
    if (idWidth > 4 || sizeWidth > 8) return null;
    const body = at + idWidth + sizeWidth;
    let size = all[at + idWidth]! & (0xff >> sizeWidth);
    let unknown = size === 0xff >> sizeWidth;
    for (let n = at + idWidth + 1; n < body; n++) {
      size = size * 256 + (all[n] ?? 0);
      unknown &&= all[n] === 0xff;
    }
    const id = Buffer.from(all.slice(at, at + idWidth)).toString('hex');
    const fields: Field[] = [
      { at, width: idWidth, kind: 'name' },
      { at: at + idWidth, width: sizeWidth, kind: 'length' },
    ];
    // A number or a text is its whole content.
    if (size > 0 && size <= 8) fields.push({ at: body, width: size, kind: 'number' });
    const end = unknown ? all.length : body + size;
    return { fields, body, end, holdsOthers: masters.has(id), skip: 0 };
  };
  const wrap = (element: Uint8Array, inner: Uint8Array) => {
    const head = new Uint8Array(vintWidth(element[0]!) + 8);
    head.set(element.subarray(0, head.length - 8));
    viewOf(head).setBigUint64(head.length - 8, (1n << 56n) | BigInt(inner.length));
    return joined(head, inner);
  };
  return { ...walk(bytes, read), wrap, seal: none };
}

export function chunks(bytes: Uint8Array): Header {
  const read: ReadPart = (all, at) => {
    if (at + 8 > all.length) return null;
    const size = viewOf(all).getUint32(at + 4, true);
    const holdsOthers = /^(RIFF|LIST|RF64)$/.test(latin(all, at, at + 4));
    const fields: Field[] = [
      { at, width: 4, kind: 'name' },
      { at: at + 4, width: 4, little: true, kind: 'length' },
      ...words(at + 8, holdsOthers ? at + 8 : at + 8 + size, 2, 20, true),
    ];
    if (holdsOthers) fields.push({ at: at + 8, width: 4, kind: 'name' });
    return { fields, body: at + 8, end: at + 8 + size + (size & 1), holdsOthers, skip: 4 };
  };
  const wrap = (element: Uint8Array, inner: Uint8Array) => {
    const head = element.slice(0, 12);
    viewOf(head).setUint32(4, inner.length + 4, true);
    return joined(head, inner);
  };
  return { ...walk(bytes, read), wrap, seal: none };
}
