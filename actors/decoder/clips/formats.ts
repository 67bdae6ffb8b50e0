// What clips are written as: the pixel format of H.264, the rate of AAC, and the container of copied packets.

/** Sample rates of AAC, Hz. */
const aacRates = [7350, 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000];
const otherRate = 48_000;

/** The rate itself where AAC has it. */
export function soundRateOf(rate: number): number {
  return aacRates.includes(rate) ? rate : otherRate;
}

/** Pixel formats that the encoder takes as they are. */
const direct = /^(yuvj?4(20|22|44)p|yuv4(20|22|44)p10le|gray|gray10le)$/;

/**
 * FFmpeg's name of the pixel format for H.264 that keeps the most of `name`: the chroma resolution, and 10
 * bits of more than
 * 8. A picture whose sides are odd cannot have its chroma halved.
 */
export function pictureFormatOf(name: string, { width, height }: { width: number; height: number }): string {
  const format = direct.test(name) ? name : nearest(name);
  const isOdd =
    (/420/.test(format) && (width % 2 === 1 || height % 2 === 1)) || (/422/.test(format) && width % 2 === 1);
  return isOdd ? format.replace(/420|422/, '444') : format;
}

/** True for FFmpeg's names of pixel formats of red, green and blue, packed, in planes, or as a palette. */
export const isRgbFormat = (name: string) =>
  /^(rgb|bgr|gbr|argb|abgr|0rgb|0bgr|x2rgb|x2bgr|pal8|bayer)/.test(name);

function nearest(name: string): string {
  const deep =
    /(9|10|12|14|16)(le|be)?$|^p[024]1|48|64|f32|f16/.test(name) && !/^(rgb|bgr)(555|565|444)/.test(name);
  const chroma =
    isRgbFormat(name) || /^(ya|xyz)|444|vuy|xv30|nv24|nv42|p41/.test(name)
      ? '444'
      : /422|411|440|nv16|nv20|p21|yuyv|uyvy|yvyu/.test(name)
        ? '422'
        : '420';
  if (/^(gray|mono)/.test(name)) return deep ? 'gray10le' : 'gray';
  // Half the chroma lines and all columns: no format of the encoder is like it but full chroma.
  const kept = /440/.test(name) ? '444' : chroma;
  return `yuv${kept}p${deep ? '10le' : ''}`;
}

export interface Container {
  /** FFmpeg's name of the muxer. */
  readonly muxer: string;
  readonly extension: string;
  /** Whether its edit lists hide what lies before time 0. */
  readonly hides?: boolean;
}

export const mp4: Container = { muxer: 'mp4', extension: 'mp4', hides: true };
export const m4a: Container = { muxer: 'ipod', extension: 'm4a', hides: true };
const matroska: Container = { muxer: 'matroska', extension: 'mkv' };
const quicktime: Container = { muxer: 'mov', extension: 'mov', hides: true };

/** Muxers of the same kind as the demuxer, by the start of its name. */
const kindred: readonly (readonly [demuxer: RegExp, container: Container])[] = [
  [/^mpegts/, { muxer: 'mpegts', extension: 'ts' }],
  [/^ogg/, { muxer: 'ogg', extension: 'ogg' }],
  [/^wav/, { muxer: 'wav', extension: 'wav' }],
  [/^flac/, { muxer: 'flac', extension: 'flac' }],
  [/^mp3/, { muxer: 'mp3', extension: 'mp3' }],
];

/** Containers to try for copied packets, in this order. `demuxer`: FFmpeg's name of that of the source. */
export function containersFor(demuxer: string, path: string): readonly Container[] {
  if (/^mov/.test(demuxer)) {
    if (/\.m4a$/i.test(path)) return [m4a, quicktime, matroska];
    return /\.(mov|qt)$/i.test(path) ? [quicktime, mp4, matroska] : [mp4, quicktime, matroska];
  }
  if (/^matroska/.test(demuxer)) {
    const webm = { muxer: 'webm', extension: 'webm' };
    return /\.webm$/i.test(path) ? [webm, matroska] : [matroska, quicktime];
  }
  const own = kindred.find(([pattern]) => pattern.test(demuxer))?.[1];
  return own ? [own, matroska, quicktime] : [matroska, quicktime];
}
