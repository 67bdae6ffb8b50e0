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
import { type EncoderCandidate, verdictKey, whyNot } from './candidates.ts';
import { DeviceEncoder, type DeviceEncoderOptions } from './device-encoder.ts';
import { EncoderFailure } from './failure.ts';
import type { TrialRequest, Verdict } from './prove.ts';

/**
 * Kinds of pictures with which an encoder fails its trial, before it is tried no more if it passed with none.
 */
const mostRefusals = 2;
/** Clips of one encoder that fail in the middle before it is left alone. */
const mostFailures = 3;

export interface PictureEncodersParts extends DeviceEncoderOptions {
  /** Best first; `mostCandidates` at most. */
  readonly candidates: readonly EncoderCandidate[];
  /** Rejects only with CANCELLED. */
  prove(request: TrialRequest, signal: AbortSignal): Promise<Verdict>;
  /** Made by `newEncoderFailures`. */
  readonly failures: SharedArrayBuffer;
  readonly log: Log;
  /** Software, when left out. */
  readonly rest?: RestEncoders;
}

/** The encoder of one clip. */
export interface OpenedEncoder {
  readonly encoder: PictureEncoder;
  /** The encoder of a device that could not be opened; null when none failed. */
  readonly failed: string | null;
}

/** `PictureEncoders.open` for one turn. */
export type EncoderOpener = (file: ClipFile, shape: PictureShape, video: Stream) => Promise<OpenedEncoder>;

/** What choosing an encoder needs of the turn it works for. */
export type EncoderTurn = Pick<Turn, 'signal' | 'alive'>;

/** Opens the encoder of a clip, with the side data of `video`. The caller closes it. */
export interface PictureEncoders {
  /** Errors: CLIP_NO_ENCODER, CLIP_UNWRITABLE, CANCELLED. */
  open(file: ClipFile, shape: PictureShape, video: Stream, turn: EncoderTurn): Promise<OpenedEncoder>;
  /** What failed in the middle of a clip. */
  failed(failure: EncoderFailure): void;
  /** What encodes where no device does. */
  readonly rest: RestEncoders;
}

/** No device. */
export interface RestEncoders extends PictureEncoders {
  /** Null where software is not to be used, or there is none. */
  readonly codec: SoftwareCodec | null;
}

export const softwareEncoders: RestEncoders = {
  open: async (file, shape, video) => ({ encoder: openPictureEncoder(file, shape, video), failed: null }),
  failed: () => {},
  get codec() {
    return softwareCodec();
  },
  get rest() {
    return softwareEncoders;
  },
};

/** Where devices alone may encode. */
export const noEncoders: RestEncoders = {
  open: () => Promise.reject(noEncoder(true)),
  failed: () => {},
  codec: null,
  get rest() {
    return noEncoders;
  },
};

export class DeviceEncoders implements PictureEncoders {
  readonly #parts: PictureEncodersParts;
  readonly #failures: Int32Array;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #tried = new Map<EncoderCandidate, Verdict[]>();
  readonly #warned = new Set<string>();

  constructor(parts: PictureEncodersParts) {
    this.#parts = parts;
    this.#failures = new Int32Array(parts.failures);
  }

  async open(file: ClipFile, shape: PictureShape, video: Stream, turn: EncoderTurn): Promise<OpenedEncoder> {
    const candidate = await this.proven(shape, turn);
    if (!candidate) return this.rest.open(file, shape, video, turn);
    try {
      const encoder = await DeviceEncoder.open(file, candidate, shape, this.#parts);
      describeStream(encoder.stream, shape, video);
      return { encoder, failed: null };
    } catch (error) {
      if (!(error instanceof EncoderFailure)) throw error;
      // A device takes so many clips at once and no more: the next one may find it free.
      if (error.isHung) this.#count(error);
      this.#warn(error);
      const { encoder } = await this.rest.open(file, shape, video, turn);
      return { encoder, failed: candidate.name };
    }
  }

  get rest(): RestEncoders {
    return this.#parts.rest ?? softwareEncoders;
  }

  /** The first encoder that is proven for such pictures; null where none is. */
  async proven(shape: PictureShape, turn: EncoderTurn): Promise<EncoderCandidate | null> {
    for (const [i, candidate] of this.#parts.candidates.entries()) {
      if (Atomics.load(this.#failures, i) >= mostFailures || whyNot(candidate, shape)) continue;
      if (this.#isHopeless(candidate, shape)) continue;
      const { reason } = await this.verdict(candidate, shape, turn.signal);
      turn.alive();
      if (reason === null) return candidate;
    }
    return null;
  }

  /** Tried once for each size, format and rate. */
  async verdict(candidate: EncoderCandidate, shape: PictureShape, signal: AbortSignal): Promise<Verdict> {
    const key = verdictKey(candidate, shape);
    const known = this.#verdicts.get(key);
    if (known) return known;
    const { log, clock } = this.#parts;
    const began = clock.now();
    const verdict = await this.#parts.prove({ candidate, shape }, signal);
    this.#verdicts.set(key, verdict);
    this.#tried.set(candidate, [...(this.#tried.get(candidate) ?? []), verdict]);
    const { width, height, format } = shape;
    const about = { encoder: candidate.name, device: candidate.device.facts, width, height, format };
    log.info(
      verdict.reason === null ? 'an encoder of a device is proven' : 'an encoder of a device is not used',
      {
        ...about,
        ...verdict,
        ms: Math.round(clock.now() - began),
      },
    );
    return verdict;
  }

  #isHopeless(candidate: EncoderCandidate, shape: PictureShape): boolean {
    const tried = this.#tried.get(candidate) ?? [];
    if (this.#verdicts.has(verdictKey(candidate, shape)) || tried.length < mostRefusals) return false;
    return tried.every(({ reason }) => reason !== null);
  }

  failed(failure: EncoderFailure) {
    this.#count(failure);
    this.#warn(failure);
  }

  #count({ encoder, isHung }: EncoderFailure) {
    const { candidates, log } = this.#parts;
    for (const [i, { name }] of candidates.entries()) {
      if (name !== encoder) continue;
      const failures =
        Atomics.add(this.#failures, i, isHung ? mostFailures : 1) + (isHung ? mostFailures : 1);
      if (failures >= mostFailures)
        log.warn('an encoder is not used any more until the next start', { encoder });
    }
  }

  /** Once for each encoder; every clip says itself which one made it. */
  #warn(failure: EncoderFailure) {
    const { log } = this.#parts;
    const { encoder, message } = failure;
    const tell = this.#warned.has(encoder) ? log.debug : log.warn;
    this.#warned.add(encoder);
    tell('not encoded in hardware, so encoded in software', { encoder, reason: message });
  }
}
