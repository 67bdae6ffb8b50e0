// The encoders of devices that could encode the pictures of a clip, in the order in which they are tried.
import type { PictureShape } from '../picture-encoder.ts';

/** A device that may have an encoder. */
export interface Device {
  /** `system`: the platform chooses one itself. */
  readonly kind: 'nvidia' | 'render' | 'system';
  /** Device file; null where the driver finds it. */
  readonly path: string | null;
  /** Which device and driver it is, as far as known: what was proven holds for these alone. */
  readonly facts: string;
  /** PCI number of its maker; null where unknown. */
  readonly vendor: number | null;
}

/** One encoder on one device. Plain data. */
export interface EncoderCandidate {
  /** As results tell it. */
  readonly name: string;
  /** FFmpeg's name. */
  readonly codec: string;
  readonly device: Device;
  /**
   * Pixel format in memory that it takes; with `upload` pictures are copied to a device of that kind first.
   */
  readonly input: 'yuv420p' | 'nv12';
  readonly upload: 'vaapi' | null;
  /** Sides in px that its devices have at least. */
  readonly least: { readonly width: number; readonly height: number };
  /** Of the codec: constant quality that nobody tells from the source. */
  readonly options: Readonly<Record<string, string>>;
}

type Kind = Omit<EncoderCandidate, 'name' | 'device'> & {
  readonly platforms: readonly string[];
  takes(device: Device): boolean;
};

const nvidiaVendor = 0x10de;
const intelVendor = 0x8086;
/** FFmpeg counts a quality scale in 118ths. */
const qualityUnit = 118;
/** Longest side in px that encoders of H.264 in devices commonly take. */
const mostSide = 4096;

/**
 * Without B-frames: not every driver gives their packets right times, and at constant quality they only save
 * space.
 */
const plain = { bf: '0' };

const kinds: readonly Kind[] = [
  {
    codec: 'h264_nvenc',
    platforms: ['linux', 'win32'],
    takes: ({ kind }) => kind !== 'render',
    input: 'yuv420p',
    upload: null,
    least: { width: 160, height: 64 },
    options: { ...plain, profile: 'high', preset: 'p5', rc: 'vbr', cq: '17', b: '0', 'spatial-aq': '1' },
  },
  {
    codec: 'h264_vaapi',
    platforms: ['linux'],
    takes: ({ kind, vendor }) => kind === 'render' && vendor !== nvidiaVendor,
    input: 'nv12',
    upload: 'vaapi',
    least: { width: 256, height: 128 },
    options: { ...plain, rc_mode: 'CQP', qp: '18' },
  },
  {
    codec: 'h264_qsv',
    platforms: ['linux', 'win32'],
    takes: ({ kind, vendor }) => kind === 'system' || (kind === 'render' && vendor === intelVendor),
    input: 'nv12',
    upload: null,
    least: { width: 128, height: 128 },
    options: { ...plain, preset: 'medium', flags: '+qscale', global_quality: String(18 * qualityUnit) },
  },
  {
    codec: 'h264_amf',
    platforms: ['win32'],
    takes: ({ kind }) => kind === 'system',
    input: 'nv12',
    upload: null,
    least: { width: 128, height: 128 },
    options: {
      ...plain,
      profile: 'high',
      usage: 'transcoding',
      quality: 'quality',
      rc: 'cqp',
      qp_i: '17',
      qp_p: '18',
    },
  },
  {
    codec: 'h264_mf',
    platforms: ['win32'],
    takes: ({ kind }) => kind === 'system',
    input: 'nv12',
    upload: null,
    least: { width: 128, height: 128 },
    options: { ...plain, hw_encoding: '1', rate_control: 'quality', quality: '90' },
  },
  {
    codec: 'h264_videotoolbox',
    platforms: ['darwin'],
    takes: ({ kind }) => kind === 'system',
    input: 'nv12',
    upload: null,
    least: { width: 128, height: 128 },
    options: { ...plain, flags: '+qscale', global_quality: String(80 * qualityUnit), realtime: '0' },
  },
];

export interface EncoderFacts {
  /** As Node names it. */
  readonly platform: string;
  readonly devices: readonly Device[];
  /** Whether FFmpeg was built with this encoder. */
  isCompiled(codec: string): boolean;
}

/** Best first. */
export function encoderCandidates({ platform, devices, isCompiled }: EncoderFacts): EncoderCandidate[] {
  return kinds
    .filter(({ codec, platforms }) => platforms.includes(platform) && isCompiled(codec))
    .flatMap(({ platforms: _, takes, ...kind }) =>
      devices.filter(takes).map((device) => ({ ...kind, name: kind.codec, device })),
    );
}

/**
 * Why such pictures are left to software; null for those that the encoder may try. It would have to change
 * what is not 8-bit 4:2:0 of whole pictures, and some take their clock from the rate.
 */
export function whyNot(candidate: EncoderCandidate, shape: PictureShape): string | null {
  const { width, height, format, firstField, rate } = shape;
  if (!/^yuvj?420p$/.test(format)) return `pictures are ${format}`;
  if (firstField) return 'pictures are interlaced';
  if (!rate) return 'pictures have no rate';
  const { least } = candidate;
  if (width < least.width || height < least.height) return 'pictures are small';
  if (width > mostSide || height > mostSide) return 'pictures are large';
  return null;
}

/** What a verdict holds for: the same encoder on the same device and driver, and the same pictures. */
export function verdictKey({ name, device }: EncoderCandidate, shape: PictureShape): string {
  const { width, height, format, base, rate } = shape;
  return JSON.stringify([name, device.path, device.facts, width, height, format, base, rate]);
}
