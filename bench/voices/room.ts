// Rooms: the response from a mouth to a microphone in a box, by image sources for the early reflections
// (Allen and Berkley, 1979) and decaying noise after them. Made of samples, so it has nothing in common with
// what training does in bands.
import { rate } from '../diarization/compose.ts';
import type { Random } from '../diarization/random.ts';

/** Metres, and seconds until the sound has fallen by 60 dB. */
export interface Room {
  readonly sides: readonly [number, number, number];
  readonly rt60: number;
}

export function drawRoom(random: Random): Room {
  const sides = [random.between(2.5, 8), random.between(2.5, 6), random.between(2.2, 3.5)] as const;
  return { sides, rt60: random.between(0.15, 0.7) };
}

const soundSpeed = 343;
/** Seconds of single reflections after the direct sound; later there are too many to hear apart. */
const early = 0.06;
/** Samples to each side of a reflection that falls between two. */
const reach = 8;

/**
 * Mouth and microphone are placed by chance, 0.3 to `farthest` metres apart where the room is wide enough.
 * The first sample is the direct sound, of height about 1.
 */
export function roomResponse(room: Room, random: Random, farthest = 2): Float32Array {
  const [mouth, microphone] = places(room, random, farthest);
  const direct = distance(mouth, microphone);
  const response = new Float32Array(Math.ceil(room.rt60 * rate) + 2 * reach);
  const reflection = Math.sqrt(1 - absorption(room));
  for (const image of images(room, mouth)) {
    const away = distance(image.at, microphone);
    const delay = ((away - direct) / soundSpeed) * rate;
    if (delay < early * rate) addImpulse(response, delay, (direct / away) * reflection ** image.bounces);
  }
  addTail(response, room, random);
  return response;
}

type Point = readonly [number, number, number];
const distance = (a: Point, b: Point) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

function places({ sides }: Room, random: Random, farthest: number): [Point, Point] {
  const inside = () => sides.map((side) => random.between(0.3, side - 0.3)) as unknown as Point;
  const mouth = inside();
  const targetDistance = random.between(0.3, farthest);
  let best = inside();
  for (let tries = 0; tries < 60; tries++) {
    const next = inside();
    if (Math.abs(distance(mouth, next) - targetDistance) < Math.abs(distance(mouth, best) - targetDistance))
      best = next;
  }
  return [mouth, best];
}

/** Sabine: the part of the energy that a wall keeps. */
function absorption({ sides: [x, y, z], rt60 }: Room): number {
  const surface = 2 * (x * y + y * z + x * z);
  return Math.min(0.95, (0.161 * x * y * z) / (surface * rt60));
}

function* images({ sides }: Room, mouth: Point): Generator<{ at: Point; bounces: number }> {
  const along = (axis: 0 | 1 | 2) => {
    const side = sides[axis];
    const count = Math.ceil((early * soundSpeed + 4) / (2 * side)) + 1;
    return Array.from({ length: 2 * count + 1 }, (_, at) => at - count).flatMap((turn) => [
      { at: 2 * turn * side + mouth[axis], bounces: 2 * Math.abs(turn) },
      { at: 2 * turn * side - mouth[axis], bounces: Math.abs(2 * turn - 1) },
    ]);
  };
  for (const x of along(0)) {
    for (const y of along(1)) {
      for (const z of along(2)) yield { at: [x.at, y.at, z.at], bounces: x.bounces + y.bounces + z.bounces };
    }
  }
}

/** An impulse between samples: a windowed sine cardinal. */
function addImpulse(response: Float32Array, delay: number, height: number): void {
  const middle = Math.round(delay);
  for (let at = Math.max(0, middle - reach); at <= middle + reach && at < response.length; at++) {
    const off = at - delay;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * off) / (reach + 1));
    const sinc = Math.abs(off) < 1e-9 ? 1 : Math.sin(Math.PI * off) / (Math.PI * off);
    response[at]! += height * sinc * window;
  }
}

/**
 * Noise that decays as the room says, high notes faster, as loud as the reflections are where it takes over.
 */
function addTail(response: Float32Array, { rt60 }: Room, random: Random): void {
  const start = Math.round(0.6 * early * rate);
  const end = Math.round(early * rate);
  const last = response.subarray(start, Math.min(end, response.length));
  const energy = last.reduce((sum, x) => sum + x * x, 0) / Math.max(1, last.length);
  const decay = Math.log(1000) / (rt60 * rate);
  let dull = 0;
  for (let at = start; at < response.length; at++) {
    const age = at - start;
    const white = random.between(-1, 1) * Math.sqrt(3);
    dull += 0.35 * (white - dull);
    const bright = Math.exp(-2 * decay * age);
    const level = Math.sqrt(energy) * Math.exp(-decay * age) * Math.min(1, age / (end - start));
    response[at]! += level * (bright * white + (1 - bright) * 2.2 * dull);
  }
}
