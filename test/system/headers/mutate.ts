// Makes headers odd in the ways that writers, cards and jokers make them odd: lengths and numbers that lie,
// names that are another's, elements that are missing, repeated, in another order, or nested hundreds deep.
// The same for the same seed.
import { randomFrom } from '../../../bench/samples/drawings/noise.ts';
import type { Mutation } from '../mutation.ts';
import { type Element, type Field, type Header, joined, latin } from './fields.ts';
import { boxes, chunks, ebml } from './nested.ts';
import { flac, flashVideo, mp3, ogg, programStream, transportStream } from './streamed.ts';

type Random = () => number;
type Damage = (bytes: Uint8Array, header: Header, random: Random) => Uint8Array;

/** Fields and elements of the header of `bytes`, by its signature. */
export function headerOf(bytes: Uint8Array): Header {
  const start = latin(bytes, 0, 4);
  if (start === '\x1aE\xdf\xa3') return ebml(bytes);
  if (start === 'RIFF') return chunks(bytes);
  if (start.startsWith('FLV')) return flashVideo(bytes);
  if (start === 'OggS') return ogg(bytes);
  if (start === 'fLaC') return flac(bytes);
  if (start === '\0\0\x01\xba') return programStream(bytes);
  if (bytes[0] === 0x47 && bytes[188] === 0x47) return transportStream(bytes);
  if (start.startsWith('ID3') || (bytes[0] === 0xff && bytes[1]! >= 0xe0)) return mp3(bytes);
  return boxes(bytes);
}

/** One to four oddities of the header of `bytes`, which stay as they are. */
export function mutateHeader(bytes: Uint8Array, seed: number): Mutation {
  const random = randomFrom(seed);
  const header = headerOf(bytes);
  const names = Object.keys(damages);
  const done: string[] = [];
  let damaged: Uint8Array = Uint8Array.from(bytes);
  for (let left = 1 + Math.floor(random() ** 2 * 4); left > 0; left--) {
    // Half of the time a field; those that move bytes come once, since the fields lie elsewhere then.
    const name = random() < 0.6 ? 'field' : names[Math.floor(random() * names.length)]!;
    damaged = damages[name]!(damaged, header, random);
    done.push(name);
    if (damaged.length !== bytes.length) break;
  }
  header.seal(damaged);
  return { bytes: damaged, done };
}

const damages: Readonly<Record<string, Damage>> = {
  field: lie,
  name: rename,
  drop: (bytes, { elements }, random) => {
    const { from, to } = pick(elements, random);
    return joined(bytes.subarray(0, from), bytes.subarray(to));
  },
  repeat: (bytes, { elements }, random) => {
    const { from, to } = pick(elements, random);
    const count = Math.max(1, Math.min(2 ** Math.floor(random() * 9), Math.floor(4e6 / (to - from + 1))));
    const copies = Array.from({ length: count }, () => bytes.subarray(from, to));
    return joined(bytes.subarray(0, from), ...copies, bytes.subarray(from));
  },
  swap: (bytes, { elements }, random) => {
    const [one, other] = [pick(elements, random), pick(elements, random)].sort((a, b) => a.from - b.from);
    if (one!.to > other!.from) return bytes;
    return joined(
      bytes.subarray(0, one!.from),
      bytes.subarray(other!.from, other!.to),
      bytes.subarray(one!.to, other!.from),
      bytes.subarray(one!.from, one!.to),
      bytes.subarray(other!.to),
    );
  },
  nest,
  end: (bytes, { fields }, random) => {
    const { at, width } = pick(fields, random);
    return bytes.slice(0, at + Math.floor(random() * (width + 1)));
  },
};

/** Most of what matters stands first. */
function pick<T>(all: readonly T[], random: Random): T {
  return all[Math.floor(random() ** (random() < 0.5 ? 1 : 3) * all.length)]!;
}

function write(bytes: Uint8Array, { at, width, little = false }: Field, value: bigint): void {
  for (let n = 0; n < width; n++) {
    bytes[little ? at + n : at + width - 1 - n] = Number((value >> BigInt(8 * n)) & 255n);
  }
}

function read(bytes: Uint8Array, { at, width, little = false }: Field): bigint {
  let value = 0n;
  for (let n = 0; n < width; n++) value = value * 256n + BigInt(bytes[little ? at + width - 1 - n : at + n]!);
  return value;
}

function lie(bytes: Uint8Array, { fields }: Header, random: Random): Uint8Array {
  const kind = (['length', 'number', 'number'] as const)[Math.floor(random() * 3)]!;
  const fitting = fields.filter((field) => field.kind === kind);
  const field = pick(fitting.length > 0 ? fitting : fields, random);
  const most = (1n << BigInt(8 * field.width)) - 1n;
  const now = read(bytes, field);
  const values = [0n, 1n, 7n, most, most - 1n, most >> 1n, (most >> 1n) + 1n, now + 1n, now - 1n, now * 2n];
  const value =
    random() < 0.8 ? values[Math.floor(random() * values.length)]! : BigInt(Math.floor(random() * 2 ** 48));
  write(bytes, field, value & most);
  return bytes;
}

/** The name of another element, or one of no element. */
function rename(bytes: Uint8Array, { fields }: Header, random: Random): Uint8Array {
  const names = fields.filter(({ kind }) => kind === 'name');
  const [field, other] = [pick(names, random), pick(names, random)];
  if (random() < 0.7) write(bytes, field, read(bytes, other));
  else bytes[field.at + Math.floor(random() * field.width)]! ^= 1 << Math.floor(random() * 8);
  return bytes;
}

function nest(bytes: Uint8Array, { elements, wrap }: Header, random: Random): Uint8Array {
  if (!wrap) return bytes;
  const { from, to }: Element = pick(elements, random);
  if (to - from < 12) return bytes;
  const element = bytes.subarray(from, to);
  let inner: Uint8Array = element.length < 65_536 ? element : element.slice(0, 64);
  for (let depth = 2 ** Math.floor(random() * 11); depth > 0; depth--) inner = wrap(element, inner);
  return joined(bytes.subarray(0, from), inner, bytes.subarray(to));
}
