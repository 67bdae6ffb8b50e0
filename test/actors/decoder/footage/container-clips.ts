// Clips with difficult containers and codecs: fragments, packets without PTS, interlaced pictures, and codecs
// of older or rarer cameras and editors.
import { type Clip, stamped } from './clip.ts';
import { fps, pyramid, x265 } from './codec-options.ts';

const short = { frames: 75, options: { ...pyramid, g: '30' } };

export const containerClips: readonly Clip[] = [
  stamped('fragmented mp4', {
    ...short,
    file: 'fragmented.mp4',
    container: { movflags: 'frag_keyframe+empty_moov' },
  }),
  stamped('mp4 with its index in front', {
    ...short,
    file: 'index-first.mp4',
    container: { movflags: 'faststart' },
  }),
  stamped('mp4 with negative composition offsets', {
    ...short,
    file: 'negative-offsets.mp4',
    container: { movflags: 'negative_cts_offsets' },
  }),
  stamped('interlaced H.264 in a transport stream', {
    ...short,
    file: 'interlaced.ts',
    options: { ...pyramid, g: '30', 'x264-params': 'tff=1:b-adapt=0:scenecut=0' },
  }),
  stamped('H.264 with B-frames in AVI, which holds no times', { ...short, file: 'h264.avi' }),
  stamped('H.264 in Flash video', { ...short, file: 'h264.flv' }),
  stamped('HEVC, open GOP in a transport stream', {
    file: 'hevc-open.ts',
    frames: 100,
    gop: 'open',
    encoder: 'libx265',
    options: x265('open-gop=1:keyint=32:min-keyint=32:bframes=4:b-adapt=0'),
  }),
  stamped('AV1 in Matroska', {
    file: 'av1.mkv',
    frames: 75,
    apart: true,
    encoder: 'libsvtav1',
    options: { preset: '10', crf: '20', g: '40', 'svtav1-params': 'lp=1' },
  }),
  stamped('VP8', {
    file: 'vp8.webm',
    frames: 60,
    encoder: 'libvpx',
    options: { g: '30', crf: '10', b: '500000', 'cpu-used': '8', deadline: 'realtime', threads: '1' },
  }),
  stamped('FFV1', { file: 'ffv1.mkv', frames: 45, encoder: 'ffv1' }),
  stamped('DNxHR in MXF', {
    file: 'dnxhr.mxf',
    width: 256,
    height: 144,
    frames: 50,
    frameRate: fps(25),
    gop: 'intra',
    encoder: 'dnxhd',
    pixelFormat: 'yuv422p',
    options: { profile: 'dnxhr_lb' },
  }),
  stamped('CineForm', {
    file: 'cineform.mov',
    width: 256,
    height: 144,
    frames: 45,
    gop: 'intra',
    encoder: 'cfhd',
    pixelFormat: 'yuv422p10le',
  }),
  stamped('Windows Media Video', { file: 'wmv2.wmv', frames: 60, encoder: 'wmv2', options: { qmax: '5' } }),
];
