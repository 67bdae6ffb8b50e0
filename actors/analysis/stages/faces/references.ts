// Sample pictures of people become vectors: each is decoded now, and must show exactly one face.
import type { SlotPool } from '../../../../runtime/slots.ts';
import { isMediaError } from '../../../decoder/contract.ts';
import { facesErrors } from '../../../faces/contract.ts';
import type { Decoder } from '../parts.ts';
import type { UnassignedReason } from './facts.ts';
import type { FaceFinder } from './finder.ts';
import type { Sample } from './jobs.ts';
import { limits } from './limits.ts';
import { faceShape, sampleSide } from './shape.ts';

/** A person with the vectors of the pictures that show one face. */
export interface Reference {
  readonly name: string;
  readonly vectors: readonly Float32Array[];
  /** Why there is no vector; null when there are some. */
  readonly reason: UnassignedReason | null;
  /** What was wrong with pictures, for people. */
  readonly complaints: readonly string[];
}

export interface ReferenceParts {
  readonly finder: FaceFinder;
  readonly prober: Decoder;
  readonly pool: SlotPool;
  /** Where a picture lies that came with the request. */
  readonly attachment: (number: number) => string;
  readonly signal: AbortSignal;
}

export async function readReference({ name, pictures }: Sample, parts: ReferenceParts): Promise<Reference> {
  const vectors: Float32Array[] = [];
  const complaints: string[] = [];
  let reason: UnassignedReason | null = null;
  for (const [at, picture] of pictures.entries()) {
    const path = 'path' in picture ? picture.path : parts.attachment(picture.attachment);
    const read = await faceIn(path, parts);
    if (!('reason' in read)) vectors.push(read);
    else {
      reason ??= read.reason;
      complaints.push(`${'path' in picture ? picture.path : `image ${at + 1} of ${name}`}: ${read.what}`);
    }
  }
  return { name, vectors, reason: vectors.length > 0 ? null : reason, complaints };
}

interface Refused {
  readonly reason: UnassignedReason;
  /** For people. */
  readonly what: string;
}

const noFace: Refused = { reason: 'no_face', what: 'shows no face' };
const severalFaces: Refused = { reason: 'multiple_faces', what: 'shows several faces' };
const unreadable: Refused = { reason: 'unreadable_image', what: 'is not a readable picture' };
const tooLarge: Refused = {
  reason: 'unreadable_image',
  what: `has more than ${limits.imagePixels / 1e6} megapixels`,
};

/** The vector of the only face in a picture; or what is wrong with it. */
async function faceIn(path: string, parts: ReferenceParts): Promise<Float32Array | Refused> {
  const { finder, prober, pool, signal } = parts;
  const holder = pool.holder();
  try {
    const probe = await prober.ask('probe', { path }, { signal });
    const { kind, width, height } = probe;
    if (kind !== 'image') return unreadable;
    if (width * height > limits.imagePixels) return tooLarge;
    const shape = faceShape(probe, sampleSide, pool.memory.slotBytes);
    const picture = await pool.acquire(holder, signal);
    const slots = [picture];
    await prober.ask('picture', { path, seconds: 0, shape, preview: null, picture }, { signal, slots });
    const { faces, vectors } = await finder.find(picture, shape, signal);
    if (faces.length === 1) return vectors;
    return faces.length === 0 ? noFace : severalFaces;
  } catch (error) {
    if (isMediaError(error) || facesErrors.BAD_PICTURE.is(error)) return unreadable;
    throw error;
  } finally {
    pool.releaseAll(holder);
  }
}
