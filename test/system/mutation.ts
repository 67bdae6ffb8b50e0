// Damages a file's bytes in the ways that files are damaged, the same way for the same seed: bits that
// flipped, an end or a piece that is missing, a piece that is there twice, zeros where data was, lengths that
// lie.
import { randomFrom } from '../../bench/samples/drawings/noise.ts';

export interface Mutation {
  readonly bytes: Uint8Array;
  /** What was done, in order. */
  readonly done: readonly string[];
}

type Random = () => number;
type Damage = (bytes: Uint8Array, random: Random) => Uint8Array;

const damages: Readonly<Record<string, Damage>> = {
  flip,
  truncate: (bytes, random) => bytes.slice(0, place(bytes, random)),
  remove(bytes, random) {
    const [from, to] = range(bytes, random);
    return joined(bytes.subarray(0, from), bytes.subarray(to));
  },
  duplicate(bytes, random) {
    const [from, to] = range(bytes, random);
    return joined(bytes.subarray(0, to), bytes.subarray(from));
  },
  zero(bytes, random) {
    const [from, to] = range(bytes, random);
    return bytes.slice().fill(0, from, to);
  },
  noise(bytes, random) {
    const [from, to] = range(bytes, random);
    return bytes.slice().map((byte, at) => (at >= from && at < to ? Math.floor(random() * 256) : byte));
  },
  length: lieAboutLength,
  name: changeName,
};

/** One to three damages of `bytes`, which stay as they are. */
export function mutate(bytes: Uint8Array, seed: number): Mutation {
  const random = randomFrom(seed);
  const names = Object.keys(damages);
  const done: string[] = [];
  // A Buffer shares its memory with others, and its `slice` copies nothing.
  let damaged: Uint8Array = Uint8Array.from(bytes);
  const count = 1 + Math.floor(random() ** 2 * 3);
  while (done.length < count) {
    const name = names[Math.floor(random() * names.length)]!;
    damaged = damages[name]!(damaged, random);
    done.push(name);
  }
  return { bytes: damaged, done };
}

/** Half of the places lie near the beginning or the end, where containers keep what matters. */
function place(bytes: Uint8Array, random: Random): number {
  const kind = random();
  const near = Math.min(bytes.length, 4096) * random() ** 2;
  if (kind < 0.35) return Math.floor(near);
  if (kind < 0.5) return Math.max(0, Math.floor(bytes.length - 1 - near));
  return Math.floor(bytes.length * random());
}

function range(bytes: Uint8Array, random: Random): [number, number] {
  const from = place(bytes, random);
  const length = 1 + Math.floor(bytes.length * 0.2 * random() ** 4);
  return [from, Math.min(bytes.length, from + length)];
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function flip(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = bytes.slice();
  const count = 1 + Math.floor(40 * random() ** 3);
  for (let n = 0; n < count; n++) {
    const at = place(bytes, random);
    if (at < copy.length) copy[at]! ^= 1 << Math.floor(random() * 8);
  }
  return copy;
}

const lies = [0, 1, 7, 8, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x0100_0000, 0x0000_ffff] as const;

/** Places of four letters or digits in a row, as the names of boxes and chunks are. */
function namePlaces(bytes: Uint8Array): number[] {
  const places: number[] = [];
  const isLetter = (byte: number) =>
    (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90) || (byte >= 48 && byte <= 57);
  for (let at = 0, run = 0; at < bytes.length; at++) {
    run = isLetter(bytes[at]!) ? run + 1 : 0;
    if (run === 4) places.push(at - 3);
  }
  return places;
}

/** Writes a number that cannot be true before or behind a name, or anywhere when there are no names. */
function lieAboutLength(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = bytes.slice();
  if (copy.length < 4) return copy;
  const places = namePlaces(bytes);
  const chosen = places[Math.floor(random() * places.length)];
  const shift = [-4, -4, 4, 8, 12][Math.floor(random() * 5)]!;
  const wanted = chosen === undefined || random() < 0.2 ? place(bytes, random) : chosen + shift;
  const at = Math.max(0, Math.min(copy.length - 4, wanted));
  const lie =
    random() < 0.7 ? lies[Math.floor(random() * lies.length)]! : Math.floor(random() * copy.length * 2);
  new DataView(copy.buffer).setUint32(at, lie, random() < 0.7);
  return copy;
}

function changeName(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = bytes.slice();
  const places = namePlaces(bytes);
  const at = places[Math.floor(random() * places.length)];
  if (at !== undefined) copy[at + Math.floor(random() * 4)] = 97 + Math.floor(random() * 26);
  return copy;
}
