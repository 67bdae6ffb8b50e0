// The encoders of the devices of this machine, in the order in which they are tried. Devices are found by a
// few files, without opening them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../../runtime/clock.ts';
import type { Log } from '../../../../runtime/log.ts';
import { hasNvidia } from '../../../../runtime/process/nvidia.ts';
import { hasEncoder, type Stream } from '../../ffmpeg.ts';
import type { ClipFile } from '../clip-file.ts';
import { type EncodingChoice, mostCandidates } from '../contract.ts';
import {
  describeStream,
  type EncodedShape,
  noEncoder,
  openPictureEncoder,
  type PictureEncoder,
  type SoftwareCodec,
  softwareCodec,
} from '../picture-encoder.ts';
import {
  DeviceEncoder,
  type DeviceEncoderOptions,
  defaultLimitMs,
  type EncoderCandidate,
  EncoderFailure,
  newContext,
} from './device-encoder.ts';

// Which encoder a clip gets: the first one of a device that can be opened, else one in software, where that
// may be used. What failed is remembered for the whole process.

/** Clips of one encoder that fail before it is left alone. */
const mostFailures = 3;
/** Sides in px that encoders of H.264 in devices commonly take. */
const [leastWidth, leastHeight, mostSide] = [160, 96, 4096];

export interface DeviceEncodersParts extends DeviceEncoderOptions {
  /** Best first; `mostCandidates` at most. */
  readonly candidates: readonly EncoderCandidate[];
  /** Made by `newEncoderFailures`. */
  readonly failures: SharedArrayBuffer;
  readonly log: Log;
}

export interface OpenedEncoder {
  readonly encoder: PictureEncoder;
  /** The encoder of a device that could not be opened; null when none failed. */
  readonly failed: string | null;
}

/** `PictureEncoders.open` for one turn. */
export type EncoderOpener = (file: ClipFile, shape: EncodedShape, video: Stream) => Promise<OpenedEncoder>;

export class PictureEncoders {
  readonly #usesSoftware: boolean;
  readonly #parts: DeviceEncodersParts | null;
  readonly #warned = new Set<string>();

  /** `parts`: of devices; null where none encodes. */
  constructor(usesSoftware: boolean, parts: DeviceEncodersParts | null = null) {
    this.#usesSoftware = usesSoftware;
    this.#parts = parts;
  }

  /** Encoders for pictures that no device encodes. */
  get fallback(): PictureEncoders {
    return this.#usesSoftware ? softwareEncoders : noEncoders;
  }

  /** Null where software is not to be used, or there is none. */
  get software(): SoftwareCodec | null {
    return this.#usesSoftware ? softwareCodec() : null;
  }

  /**
   * Opens the encoder of a clip, with the side data of `video`. The caller closes it. Errors:
   * CLIP_NO_ENCODER, CLIP_UNWRITABLE.
   */
  async open(file: ClipFile, shape: EncodedShape, video: Stream): Promise<OpenedEncoder> {
    const parts = isForDevices(shape) ? this.#parts : null;
    let failed: string | null = null;
    for (const [i, candidate] of (parts?.candidates ?? []).entries()) {
      if (Atomics.load(new Int32Array(parts!.failures), i) >= mostFailures) continue;
      try {
        const encoder = await DeviceEncoder.open(file, candidate, shape, parts!);
        describeStream(encoder.stream, shape, video);
        return { encoder, failed };
      } catch (error) {
        if (!(error instanceof EncoderFailure)) throw error;
        this.failed(error);
        failed = candidate.name;
      }
    }
    if (!this.#usesSoftware) throw noEncoder(true);
    return { encoder: openPictureEncoder(file, shape, video), failed };
  }

  /** Counts a failure of the encoder of a device, and logs the first one of each. */
  failed({ encoder, isHung, message }: EncoderFailure) {
    const { candidates, failures, log } = this.#parts!;
    // Every clip says itself which encoder made it.
    const tell = this.#warned.has(encoder) ? log.debug : log.warn;
    this.#warned.add(encoder);
    tell('not encoded in hardware, so encoded in software', { encoder, reason: message });
    const more = isHung ? mostFailures : 1;
    for (const [i, { name }] of candidates.entries()) {
      if (name === encoder && Atomics.add(new Int32Array(failures), i, more) + more >= mostFailures)
        log.warn('an encoder is not used any more until the next start', { encoder });
    }
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
function isForDevices({ width, height, format, firstField, rate }: EncodedShape): boolean {
  const isPlain = /^yuvj?420p$/.test(format) && firstField === null && rate !== null;
  return isPlain && width >= leastWidth && height >= leastHeight && Math.max(width, height) <= mostSide;
}

export interface EncoderDevice {
  /** `system`: the platform chooses one itself. */
  readonly kind: 'nvidia' | 'intel' | 'render' | 'system';
  /** Device file; null where the driver finds it. */
  readonly path: string | null;
}

interface EncoderKind {
  readonly codec: string;
  readonly platforms: readonly string[];
  readonly devices: readonly EncoderDevice['kind'][];
  readonly upload?: 'vaapi';
  readonly options: Readonly<Record<string, string>>;
}

/** FFmpeg counts a quality scale in 118ths. */
const qualityUnit = 118;

/**
 * Best first, each at a constant quality that nobody tells from the source. Without B-frames: not every
 * driver gives their packets right times, and at constant quality they only save space.
 */
const kinds: readonly EncoderKind[] = [
  {
    codec: 'h264_nvenc',
    platforms: ['linux', 'win32'],
    devices: ['nvidia', 'system'],
    options: { profile: 'high', preset: 'p5', rc: 'vbr', cq: '17', b: '0', 'spatial-aq': '1' },
  },
  {
    codec: 'h264_vaapi',
    platforms: ['linux'],
    devices: ['intel', 'render'],
    upload: 'vaapi',
    options: { rc_mode: 'CQP', qp: '18' },
  },
  {
    codec: 'h264_qsv',
    platforms: ['linux', 'win32'],
    devices: ['intel', 'system'],
    options: { preset: 'medium', flags: '+qscale', global_quality: String(18 * qualityUnit) },
  },
  {
    codec: 'h264_amf',
    platforms: ['win32'],
    devices: ['system'],
    options: { profile: 'high', usage: 'transcoding', quality: 'quality', rc: 'cqp', qp_i: '17', qp_p: '18' },
  },
  {
    codec: 'h264_mf',
    platforms: ['win32'],
    devices: ['system'],
    options: { hw_encoding: '1', rate_control: 'quality', quality: '90' },
  },
  {
    codec: 'h264_videotoolbox',
    platforms: ['darwin'],
    devices: ['system'],
    options: { flags: '+qscale', global_quality: String(80 * qualityUnit), realtime: '0' },
  },
];

export interface MachineFacts {
  /** Platform in Node's notation. */
  readonly platform: string;
  readonly devices: readonly EncoderDevice[];
  isCompiled(codec: string): boolean;
}

/** Best first. */
export function encoderCandidates({ platform, devices, isCompiled }: MachineFacts): EncoderCandidate[] {
  return kinds
    .filter(({ codec, platforms }) => platforms.includes(platform) && isCompiled(codec))
    .flatMap(({ codec, devices: deviceKinds, upload = null, options }) =>
      devices
        .filter(({ kind }) => deviceKinds.includes(kind))
        .map(({ path }) => ({ name: codec, codec, path, upload, options: { ...options, bf: '0' } })),
    )
    .slice(0, mostCandidates);
}

/** `root`: folder that the paths of the system lie in, for tests. The paths of devices are without it. */
export function findDevices(platform: string, root = '/'): EncoderDevice[] {
  // Elsewhere only trying tells.
  if (platform !== 'linux') return [{ kind: 'system', path: null }];
  const devices: EncoderDevice[] = hasNvidia(root) ? [{ kind: 'nvidia', path: null }] : [];
  for (const name of namesIn(join(root, 'dev/dri')).sort()) {
    const maker = textOf(join(root, 'sys/class/drm', name, 'device/vendor'));
    // That of NVIDIA has no encoder for VA-API.
    if (!/^renderD\d+$/.test(name) || maker === '0x10de') continue;
    devices.push({ kind: maker === '0x8086' ? 'intel' : 'render', path: `/dev/dri/${name}` });
  }
  return devices;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Nothing is there.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return ''; // Not every system tells it.
  }
}

function candidatesOfMachine(): EncoderCandidate[] {
  const { platform } = process;
  return encoderCandidates({ platform, devices: findDevices(platform), isCompiled: hasEncoder });
}

/** `failures`: made by `newEncoderFailures`, one for all threads. */
export function encodersOfMachine(
  failures: SharedArrayBuffer,
  log: Log,
  usesSoftware: boolean,
): PictureEncoders {
  const candidates = candidatesOfMachine();
  if (candidates.length > 0) {
    const limits = { clock: systemClock, limitMs: defaultLimitMs, newContext };
    return new PictureEncoders(usesSoftware, { candidates, failures, log, ...limits });
  }
  const otherwise = usesSoftware ? 'clips are encoded in software' : 'no clips can be encoded';
  log.info(`no device with an encoder was found; ${otherwise}`);
  return usesSoftware ? softwareEncoders : noEncoders;
}

/** Encoders of precise clips, for a person to read. Throws CLIP_NO_ENCODER if there is none. */
export function describeEncoders(
  choice: EncodingChoice,
  candidates: () => readonly EncoderCandidate[] = candidatesOfMachine,
): string {
  const software = choice === 'only' ? null : softwareCodec();
  const names = choice === 'off' ? [] : candidates().map(({ name }) => name);
  if (names.length > 0)
    return `${names.join(', ')}, checked with each clip; ${software ?? 'nothing'} where none can be used`;
  if (software === null) throw noEncoder(choice === 'only');
  return `${software} (${choice === 'off' ? 'hardware_encoding is off' : 'no device with an encoder was found'})`;
}
