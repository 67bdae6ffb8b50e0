// The encoders of the devices of this machine, in the order in which they are tried. Devices are found by a
// few files, without opening them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../../runtime/clock.ts';
import type { Log } from '../../../../runtime/log.ts';
import { hasNvidia } from '../../../../runtime/process/nvidia.mjs';
import { hasEncoder } from '../../ffmpeg.ts';
import { type EncodingChoice, mostCandidates } from '../contract.ts';
import { noEncoder, type PictureShape, softwareCodec } from '../picture-encoder.ts';
import { defaultLimitMs, type EncoderCandidate, newContext } from './device-encoder.ts';
import { noEncoders, PictureEncoders, softwareEncoders } from './picture-encoders.ts';
import { prove, type TrialRequest } from './trial.ts';

/** A device that may have an encoder. */
export interface Device {
  /** `system`: the platform chooses one itself. */
  readonly kind: 'nvidia' | 'intel' | 'render' | 'system';
  /** Device file; null where the driver finds it. */
  readonly path: string | null;
}

interface EncoderKind {
  readonly codec: string;
  readonly platforms: readonly string[];
  readonly devices: readonly Device['kind'][];
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
  /** As Node names it. */
  readonly platform: string;
  readonly devices: readonly Device[];
  /** Whether FFmpeg was built with this encoder. */
  isCompiled(codec: string): boolean;
}

/** Best first. */
export function encoderCandidates({ platform, devices, isCompiled }: MachineFacts): EncoderCandidate[] {
  return kinds
    .filter(({ codec, platforms }) => platforms.includes(platform) && isCompiled(codec))
    .flatMap(({ codec, devices: own, upload = null, options }) =>
      devices
        .filter(({ kind }) => own.includes(kind))
        .map(({ path }) => ({ name: codec, codec, path, upload, options: { ...options, bf: '0' } })),
    )
    .slice(0, mostCandidates);
}

/** `root`: folder that the paths of the system lie in, for tests. The paths of devices are without it. */
export function findDevices(platform: string, root = '/'): Device[] {
  // Elsewhere only trying tells.
  if (platform !== 'linux') return [{ kind: 'system', path: null }];
  const devices: Device[] = hasNvidia(root) ? [{ kind: 'nvidia', path: null }] : [];
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
    return new PictureEncoders(usesSoftware, { candidates, prove, failures, log, ...limits });
  }
  const otherwise = usesSoftware ? 'clips are encoded in software' : 'no clips can be encoded';
  log.info(`no device with an encoder was found; ${otherwise}`);
  return usesSoftware ? softwareEncoders : noEncoders;
}

/** The pictures that `describeEncoders` tries: those of most films. */
const usual: PictureShape = {
  width: 1920,
  height: 1080,
  format: 'yuv420p',
  base: { num: 1, den: 25 },
  rate: { num: 25, den: 1 },
  pixelAspect: { num: 1, den: 1 },
  firstField: null,
  // A trial has its own.
  colours: {} as PictureShape['colours'],
};

/**
 * What precise clips of 1920x1080 are encoded by, for a person to read. `candidates`: best first. Throws
 * CLIP_NO_ENCODER where nothing can encode them.
 */
export async function describeEncoders(
  choice: EncodingChoice,
  signal: AbortSignal,
  candidates: () => readonly EncoderCandidate[] = candidatesOfMachine,
): Promise<string> {
  const software = choice === 'only' ? null : softwareCodec();
  const refused: string[] = [];
  for (const candidate of choice === 'off' ? [] : candidates()) {
    const request: TrialRequest = { candidate, shape: usual };
    const { reason, psnr } = await prove(request, signal);
    if (reason === null)
      return `${candidate.name}, tested (${psnr?.toFixed(1)} dB); ${software ?? 'nothing'} where it cannot be used`;
    refused.push(reason);
  }
  if (software === null) throw noEncoder(choice === 'only');
  if (choice === 'off') return `${software} (hardware_encoding is off)`;
  return `${software}; ${refused.length > 0 ? refused.join('; ') : 'no device with an encoder was found'}`;
}
