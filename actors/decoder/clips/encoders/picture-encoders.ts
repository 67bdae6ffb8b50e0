// Which encoder a clip gets: that of a device where one is proven for such pictures, else one in software,
// where that may be used. What failed is remembered for the whole process.
import type { Turn } from '../../../../runtime/actor.ts';
import type { Log } from '../../../../runtime/log.ts';
import type { Stream } from '../../ffmpeg.ts';
import type { ClipFile } from '../clip-file.ts';
import {
  describeStream,
  noEncoder,
  openPictureEncoder,
  type PictureEncoder,
  type PictureShape,
  type SoftwareCodec,
  softwareCodec,
} from '../picture-encoder.ts';
import {
  DeviceEncoder,
  type DeviceEncoderOptions,
  type EncoderCandidate,
  EncoderFailure,
} from './device-encoder.ts';
import type { TrialRequest, Verdict } from './trial.ts';

/** Trials that an encoder may fail before it is tried no more, if it passed none. */
const mostRefusals = 2;
/** Clips of one encoder that fail in the middle before it is left alone. */
const mostFailures = 3;
/** Sides in px that encoders of H.264 in devices commonly take. */
const [leastWidth, leastHeight, mostSide] = [160, 96, 4096];

export interface DeviceEncodersParts extends DeviceEncoderOptions {
  /** Best first; `mostCandidates` at most. */
  readonly candidates: readonly EncoderCandidate[];
  /** Rejects only with CANCELLED. */
  prove(request: TrialRequest, signal: AbortSignal): Promise<Verdict>;
  /** Made by `newEncoderFailures`. */
  readonly failures: SharedArrayBuffer;
  readonly log: Log;
}

/** The encoder of one clip. */
export interface OpenedEncoder {
  readonly encoder: PictureEncoder;
  /** The encoder of a device that could not be opened; null when none failed. */
  readonly failed: string | null;
}

/** `PictureEncoders.open` for one turn. */
export type EncoderOpener = (file: ClipFile, shape: PictureShape, video: Stream) => Promise<OpenedEncoder>;

export class PictureEncoders {
  readonly #usesSoftware: boolean;
  readonly #parts: DeviceEncodersParts | null;
  /** By encoder, device and pictures. */
  readonly #verdicts = new Map<string, Verdict & { readonly candidate: EncoderCandidate }>();
  readonly #warned = new Set<string>();

  /** `parts`: of devices; null where none encodes. */
  constructor(usesSoftware: boolean, parts: DeviceEncodersParts | null = null) {
    this.#usesSoftware = usesSoftware;
    this.#parts = parts;
  }

  /** What encodes where no device does. */
  get rest(): PictureEncoders {
    return this.#usesSoftware ? softwareEncoders : noEncoders;
  }

  /** Null where software is not to be used, or there is none. */
  get software(): SoftwareCodec | null {
    return this.#usesSoftware ? softwareCodec() : null;
  }

  /**
   * Opens the encoder of a clip, with the side data of `video`. The caller closes it. Errors:
   * CLIP_NO_ENCODER, CLIP_UNWRITABLE, CANCELLED.
   */
  async open(
    file: ClipFile,
    shape: PictureShape,
    video: Stream,
    turn: Pick<Turn, 'signal' | 'alive'>,
  ): Promise<OpenedEncoder> {
    const parts = this.#parts;
    const candidate = parts && (await this.#proven(parts, shape, turn));
    try {
      if (candidate) {
        const encoder = await DeviceEncoder.open(file, candidate, shape, parts);
        describeStream(encoder.stream, shape, video);
        return { encoder, failed: null };
      }
    } catch (error) {
      if (!(error instanceof EncoderFailure)) throw error;
      // A device takes so many clips at once and no more: the next one may find it free.
      if (error.isHung) this.#count(error);
      this.#warn(error);
    }
    if (!this.#usesSoftware) throw noEncoder(true);
    return { encoder: openPictureEncoder(file, shape, video), failed: candidate?.name ?? null };
  }

  /** The first encoder that is proven for such pictures; null where none is. */
  async #proven(
    { candidates, failures }: DeviceEncodersParts,
    shape: PictureShape,
    turn: Pick<Turn, 'signal' | 'alive'>,
  ): Promise<EncoderCandidate | null> {
    if (!isForDevices(shape)) return null;
    for (const [i, candidate] of candidates.entries()) {
      if (Atomics.load(new Int32Array(failures), i) >= mostFailures) continue;
      const verdict = await this.#verdict(candidate, shape, turn.signal);
      turn.alive();
      if (verdict?.reason === null) return candidate;
    }
    return null;
  }

  /** Tried once for each size, format and rate; null for an encoder that is tried no more. */
  async #verdict(
    candidate: EncoderCandidate,
    shape: PictureShape,
    signal: AbortSignal,
  ): Promise<Verdict | null> {
    const { width, height, format, base, rate } = shape;
    const key = JSON.stringify([candidate.name, candidate.path, width, height, format, base, rate]);
    const known = this.#verdicts.get(key);
    if (known) return known;
    const own = [...this.#verdicts.values()].filter((one) => one.candidate === candidate);
    if (own.length >= mostRefusals && own.every(({ reason }) => reason !== null)) return null;
    const { log, clock, prove } = this.#parts!;
    const began = clock.now();
    const verdict = await prove({ candidate, shape }, signal);
    this.#verdicts.set(key, { ...verdict, candidate });
    const result = verdict.reason === null ? 'is proven' : 'is not used';
    const about = { encoder: candidate.name, device: candidate.path, width, height, format };
    log.info(`an encoder of a device ${result}`, {
      ...about,
      ...verdict,
      ms: Math.round(clock.now() - began),
    });
    return verdict;
  }

  /** What failed in the middle of a clip. */
  failed(failure: EncoderFailure) {
    this.#count(failure);
    this.#warn(failure);
  }

  #count({ encoder, isHung }: EncoderFailure) {
    const { candidates, failures, log } = this.#parts!;
    const more = isHung ? mostFailures : 1;
    for (const [i, { name }] of candidates.entries()) {
      if (name === encoder && Atomics.add(new Int32Array(failures), i, more) + more >= mostFailures)
        log.warn('an encoder is not used any more until the next start', { encoder });
    }
  }

  /** Once for each encoder; every clip says itself which one made it. */
  #warn({ encoder, message }: EncoderFailure) {
    const { log } = this.#parts!;
    const tell = this.#warned.has(encoder) ? log.debug : log.warn;
    this.#warned.add(encoder);
    tell('not encoded in hardware, so encoded in software', { encoder, reason: message });
  }
}

/** No device. */
export const softwareEncoders = new PictureEncoders(true);
/** Where devices alone may encode, and none does. */
export const noEncoders = new PictureEncoders(false);

/**
 * Devices get only what they give back unchanged, 8-bit 4:2:0 of whole pictures. Some take their clock from
 * the rate.
 */
function isForDevices({ width, height, format, firstField, rate }: PictureShape): boolean {
  const isPlain = /^yuvj?420p$/.test(format) && firstField === null && rate !== null;
  return isPlain && width >= leastWidth && height >= leastHeight && Math.max(width, height) <= mostSide;
}
