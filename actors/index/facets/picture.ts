// Facets of the picture: size, shape, rate, length, codec and colour.
import type { Probe } from '../../decoder/contract.ts';
import {
  type ClassStep,
  choices,
  classOf,
  type FacetDefinition,
  flag,
  type MediaFacts,
  numeric,
  single,
  stepChoices,
} from './facet.ts';

const technical = ['Technical'] as const;
const picture = ['Technical', 'Picture'] as const;
const colour = ['Technical', 'Color'] as const;

const kinds = choices([
  { value: 'video', label: 'Video' },
  { value: 'image', label: 'Image' },
  { value: 'audio', label: 'Audio' },
]);

const containers: Readonly<Record<string, string>> = {
  mp4: 'MP4',
  mov: 'QuickTime',
  matroska: 'Matroska',
  webm: 'WebM',
  mpegts: 'MPEG-TS',
  mpeg: 'MPEG-PS',
  avi: 'AVI',
  mxf: 'MXF',
  asf: 'ASF / WMV',
  flv: 'FLV',
  ogg: 'Ogg',
  wav: 'WAV',
  mp3: 'MP3',
  flac: 'FLAC',
  aiff: 'AIFF',
  jpeg: 'JPEG',
  png: 'PNG',
  webp: 'WebP',
  tiff: 'TIFF',
  gif: 'GIF',
  heif: 'HEIF',
  svg: 'SVG',
};

/** FFmpeg names a family of containers; which of them it is, the brand or the name of the file says. */
function containerOf({ probe, paths }: MediaFacts): string {
  const names = probe.container.split(',');
  const ends = (...endings: string[]) =>
    paths.some((path) => endings.some((ending) => path.toLowerCase().endsWith(ending)));
  if (names.includes('mp4')) {
    if (probe.brand !== undefined && probe.brand !== null) return probe.brand === 'qt' ? 'mov' : 'mp4';
    return ends('.mov', '.qt') ? 'mov' : 'mp4';
  }
  if (names.includes('webm')) return ends('.webm') ? 'webm' : 'matroska';
  return names[0] ?? probe.container;
}

const codecs: Readonly<Record<string, string>> = {
  h264: 'H.264 / AVC',
  hevc: 'H.265 / HEVC',
  av1: 'AV1',
  vp8: 'VP8',
  vp9: 'VP9',
  prores: 'Apple ProRes',
  dnxhd: 'Avid DNx',
  mpeg2video: 'MPEG-2',
  mpeg4: 'MPEG-4 Part 2',
  mjpeg: 'Motion JPEG',
  dvvideo: 'DV',
  ffv1: 'FFV1',
  cfhd: 'CineForm',
  rawvideo: 'Uncompressed',
  theora: 'Theora',
  wmv3: 'WMV 9',
  vc1: 'VC-1',
};

/**
 * Longest and shortest side from which a class begins; either is enough, so that wide and square pictures
 * find theirs.
 */
const sizes = [
  { value: '8k', label: '8K', long: 7680, short: 4320 },
  { value: '6k', label: '6K', long: 5760, short: 3240 },
  { value: '4k', label: '4K / UHD', long: 3840, short: 2160 },
  { value: '1440p', label: '1440p', long: 2560, short: 1440 },
  { value: '1080p', label: '1080p / Full HD', long: 1920, short: 1080 },
  { value: '720p', label: '720p / HD', long: 1280, short: 720 },
  { value: '480p', label: '480p / SD', long: 640, short: 480 },
  { value: 'low', label: 'Below SD', long: 1, short: 1 },
] as const;
const sizeChoices = choices(
  sizes.map(({ value, label, long, short }) => ({
    value,
    label,
    meta: { min_long_side: long, min_short_side: short },
  })),
);

export function resolutionClass(width: number, height: number): string | null {
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  if (short <= 0) return null;
  return sizes.find((size) => long >= size.long || short >= size.short)?.value ?? null;
}

const orientations = choices([
  { value: 'landscape', label: 'Landscape' },
  { value: 'portrait', label: 'Portrait' },
  { value: 'square', label: 'Square' },
]);

export function orientation(width: number, height: number): string | null {
  if (width <= 0 || height <= 0) return null;
  return width > height ? 'landscape' : width < height ? 'portrait' : 'square';
}

const ratios = [
  ['2.39:1', 2.39],
  ['21:9', 21 / 9],
  ['2:1', 2],
  ['1.85:1', 1.85],
  ['16:9', 16 / 9],
  ['3:2', 1.5],
  ['4:3', 4 / 3],
  ['5:4', 1.25],
  ['1:1', 1],
  ['4:5', 0.8],
  ['3:4', 0.75],
  ['2:3', 2 / 3],
  ['9:16', 9 / 16],
] as const;
/** Share by which a picture may miss a ratio: a few lines are often cut off or added. */
const ratioTolerance = 0.015;
const ratioChoices = choices([
  ...ratios.map(([value]) => ({ value, label: value })),
  { value: 'other', label: 'Other' },
]);

export function aspectRatio(width: number, height: number): string | null {
  if (width <= 0 || height <= 0) return null;
  const off = (ratio: number) => Math.abs(width / height / ratio - 1);
  const [name, ratio] = ratios.reduce((best, candidate) =>
    off(candidate[1]) < off(best[1]) ? candidate : best,
  );
  return off(ratio) <= ratioTolerance ? name : 'other';
}

const rates = [23.976, 24, 25, 29.97, 30, 47.952, 48, 50, 59.94, 60, 100, 119.88, 120, 240];

/** The rate people call it by: 30000/1001 is 29.97. Null when the file gives none. */
export function nominalRate({ num, den }: { readonly num: number; readonly den: number }): number | null {
  const rate = num / den;
  if (!(rate > 0)) return null;
  // 23.976 and 24 differ by a thousandth.
  return rates.find((candidate) => Math.abs(rate / candidate - 1) < 0.0004) ?? Math.round(rate * 100) / 100;
}

const lengths: readonly ClassStep[] = [
  { value: 'under_10s', label: 'Under 10 seconds', from: 0 },
  { value: '10s_1m', label: '10 seconds to 1 minute', from: 10 },
  { value: '1m_5m', label: '1 to 5 minutes', from: 60 },
  { value: '5m_15m', label: '5 to 15 minutes', from: 300 },
  { value: '15m_30m', label: '15 to 30 minutes', from: 900 },
  { value: '30m_1h', label: '30 minutes to 1 hour', from: 1800 },
  { value: '1h_2h', label: '1 to 2 hours', from: 3600 },
  { value: 'over_2h', label: 'Over 2 hours', from: 7200 },
];

/** How colour is sampled, from FFmpeg's name of the pixel format. */
export function chroma(pixelFormat: string): string | null {
  const planar = /^yuv[aj]?(\d)(\d)(\d)/.exec(pixelFormat);
  if (planar) return planar.slice(1).join(':');
  if (/^(nv12|nv21|p01\d)/.test(pixelFormat)) return '4:2:0';
  if (/^(nv16|nv20|p21\d|y21\d|yuyv422|uyvy422)/.test(pixelFormat)) return '4:2:2';
  if (/^(nv24|nv42|p41\d|ayuv|vuy|xv\d)/.test(pixelFormat)) return '4:4:4';
  if (/^(gray|ya|mono)/.test(pixelFormat)) return 'gray';
  return /(rgb|bgr|gbr|pal8)/.test(pixelFormat) ? 'rgb' : null;
}

const gamuts: Readonly<Record<string, string>> = {
  bt709: 'BT.709 / sRGB',
  bt2020: 'BT.2020',
  smpte432: 'Display P3',
  smpte431: 'DCI-P3',
  smpte170m: 'SMPTE 170M / NTSC',
  bt470bg: 'BT.470 BG / PAL',
};
const transfers: Readonly<Record<string, string>> = {
  bt709: 'BT.709',
  smpte170m: 'SMPTE 170M',
  'iec61966-2-1': 'sRGB',
  smpte2084: 'PQ (SMPTE ST 2084)',
  'arib-std-b67': 'HLG (ARIB STD-B67)',
};
const ranges = choices([
  { value: 'sdr', label: 'SDR' },
  { value: 'hlg', label: 'HDR (HLG)' },
  { value: 'pq', label: 'HDR (PQ)' },
]);

/** A picture whose transfer is not given is shown as SDR. */
function dynamicRange({ video }: Probe): string | null {
  if (!video) return null;
  return video.hdr ? (video.color_transfer === 'arib-std-b67' ? 'hlg' : 'pq') : 'sdr';
}

const named = (names: Readonly<Record<string, string>>) => ({
  labelOf: (value: string) => names[value] ?? value,
});

/** `h264/High`: profiles of different codecs share names. */
const profile = ({ video }: Probe) => (video?.profile ? `${video.codec}/${video.profile}` : null);
const profileLabel = (value: string) => {
  const [codec = '', name = ''] = value.split('/');
  return `${codecs[codec] ?? codec} ${name}`;
};

export const pictureFacets: readonly FacetDefinition[] = [
  single({ id: 'technical.media_kind', label: 'Kind', path: technical }, ({ probe }) => probe.kind, kinds),
  single({ id: 'technical.container', label: 'Container', path: technical }, containerOf, named(containers)),
  single(
    { id: 'technical.duration_class', label: 'Duration', path: technical },
    ({ probe }) => (probe.kind === 'image' ? null : classOf(lengths, probe.duration_seconds)),
    stepChoices(lengths, 'seconds'),
  ),
  single(
    { id: 'technical.video_codec', label: 'Video codec', path: picture },
    ({ probe }) => probe.video?.codec ?? null,
    named(codecs),
  ),
  single(
    { id: 'technical.video_profile', label: 'Video profile', path: picture },
    ({ probe }) => profile(probe),
    { labelOf: profileLabel },
  ),
  single(
    { id: 'technical.resolution_class', label: 'Resolution', path: picture },
    ({ probe }) => resolutionClass(probe.width, probe.height),
    sizeChoices,
  ),
  single(
    { id: 'technical.orientation', label: 'Orientation', path: picture },
    ({ probe }) => orientation(probe.width, probe.height),
    orientations,
  ),
  single(
    { id: 'technical.aspect_ratio', label: 'Aspect ratio', path: picture },
    ({ probe }) => aspectRatio(probe.width, probe.height),
    ratioChoices,
  ),
  numeric(
    { id: 'technical.frame_rate', label: 'Frame rate', path: picture },
    ({ probe }) => (probe.kind === 'video' && probe.video ? nominalRate(probe.video.frame_rate) : null),
    {
      labelOf: (value) => `${value} fps`,
      meta: (value) => ({ standard: rates.includes(Number(value)) }),
    },
  ),
  flag({ id: 'technical.has_alpha', label: 'Transparency', path: picture }, ({ probe }) =>
    probe.video
      ? /^(yuva|ya|rgba|bgra|argb|abgr|gbrap|ayuv|vuya)/.test(probe.video.pixel_format)
      : (probe.still?.alpha ?? null),
  ),
  numeric(
    { id: 'technical.bit_depth', label: 'Bit depth', path: colour },
    ({ probe }) => probe.video?.bit_depth ?? probe.still?.bit_depth ?? null,
    { labelOf: (value) => `${value} bit` },
  ),
  single({ id: 'technical.chroma_subsampling', label: 'Chroma subsampling', path: colour }, ({ probe }) =>
    probe.video ? chroma(probe.video.pixel_format) : (probe.still?.chroma_subsampling ?? null),
  ),
  single(
    { id: 'technical.color_primaries', label: 'Color primaries', path: colour },
    ({ probe }) => probe.video?.color_primaries ?? null,
    named(gamuts),
  ),
  single(
    { id: 'technical.color_transfer', label: 'Color transfer', path: colour },
    ({ probe }) => probe.video?.color_transfer ?? null,
    named(transfers),
  ),
  single(
    { id: 'technical.hdr', label: 'Dynamic range', path: colour },
    ({ probe }) => dynamicRange(probe),
    ranges,
  ),
];
