// Vectors like those of footage, a frame a second: shots of near-duplicate frames, cuts between them. Seeded.
import type { MediaRecord } from '../../../actors/index/store/contract.ts';

/** A small seeded generator of numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export function normalise(vector: Float32Array): Float32Array<ArrayBuffer> {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return Float32Array.from(vector, (value) => value / length);
}

export function randomVector(dimensions: number, random: () => number): Float32Array<ArrayBuffer> {
  return normalise(Float32Array.from({ length: dimensions }, () => normal(random)));
}

/** The vector moved by about `distance` in a random direction. */
export function near(
  vector: Float32Array,
  distance: number,
  random: () => number,
): Float32Array<ArrayBuffer> {
  const step = distance / Math.sqrt(vector.length);
  return normalise(vector.map((value) => value + step * normal(random)));
}

/** n×d: shots of `shot` frames, each frame `jitter` away from the middle of its shot. */
export function footage(
  frames: number,
  dimensions: number,
  shot: number,
  jitter: number,
  seed: number,
): Float32Array<ArrayBuffer> {
  const random = seeded(seed);
  const vectors = new Float32Array(frames * dimensions);
  let middle = randomVector(dimensions, random);
  for (let frame = 0; frame < frames; frame++) {
    if (frame % shot === 0) middle = randomVector(dimensions, random);
    vectors.set(near(middle, jitter, random), frame * dimensions);
  }
  return vectors;
}

export function framesUpTo(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

/** A JPEG-like preview that names its frame. */
export function preview(frame: number, bytes = 64): Uint8Array<ArrayBuffer> {
  const jpeg = new Uint8Array(bytes).fill(frame % 251);
  jpeg.set([0xff, 0xd8, frame & 255, (frame >> 8) & 255]);
  return jpeg;
}

export function mediaRecord(hash: string, path = `/footage/${hash}.mp4`): MediaRecord {
  return {
    path,
    identity: { hash_str: hash, size_bytes: 1000, mtime_ms: 1.5, inode: '42' },
    probe: {
      kind: 'video',
      container: 'mov',
      size_bytes: 1000,
      duration_seconds: 10,
      grid_frames: 10,
      width: 320,
      height: 180,
      video: null,
      audio: [],
      subtitles: [],
      timecode: { text: '00:00:00:00', drop_frame: false, rate: { num: 25, den: 1 } },
      creation_date: null,
      camera_make: null,
      camera_model: null,
      location: null,
    },
  };
}
