// Small clips of each kind that must be decoded correctly: codecs, GOP structures, containers, timestamps,
// rotation, sample aspect ratio, bit depth. The frame number is drawn into each frame, so a test can tell
// which frame it got.
import { sampled, untilRelease } from '../../../shared.ts';
import { type Clip, stamped, tone } from './clip.ts';
import { fps, ntsc, pyramid, x264, x265 } from './codec-options.ts';
import { containerClips } from './container-clips.ts';
import { fieldClip } from './field-film.ts';

// SVT-AV1 writes to stderr on its own.
process.env.SVT_LOG = '0';

const h264Clips: readonly Clip[] = [
  stamped('H.264, 3 B-frames with pyramid, GOP 60', {
    file: 'h264-gop60.mp4',
    options: { ...pyramid, g: '60' },
  }),
  stamped('H.264, GOP 12', { file: 'h264-gop12.mp4', options: { ...pyramid, g: '12' } }),
  stamped('H.264, GOP 250', { file: 'h264-gop250.mp4', frames: 300, options: { ...pyramid, g: '250' } }),
  stamped('H.264, no B-frames, CAVLC', {
    file: 'h264-cavlc.mp4',
    options: { ...x264, bf: '0', g: '60', coder: 'cavlc' },
  }),
  stamped('H.264, open GOP', {
    file: 'h264-open.mp4',
    gop: 'open',
    options: { ...pyramid, g: '30', 'x264-params': 'open-gop=1:b-pyramid=normal:b-adapt=0:scenecut=0' },
  }),
  stamped('H.264, open GOP in a transport stream', {
    file: 'h264-open.ts',
    gop: 'open',
    options: { ...pyramid, g: '30', 'x264-params': 'open-gop=1:b-pyramid=normal:b-adapt=0:scenecut=0' },
  }),
  stamped('H.264, intra only', { file: 'h264-intra.mov', gop: 'intra', options: { ...x264, g: '1' } }),
  stamped('H.264 with periodic intra refresh', {
    file: 'h264-refresh.mp4',
    options: { ...x264, bf: '0', g: '60', 'intra-refresh': '1' },
  }),
  stamped('H.264 in Matroska with sound', {
    file: 'h264-sound.mkv',
    options: { ...pyramid, g: '60' },
    sound: tone(5, 'libopus'),
  }),
];

const codecClips: readonly Clip[] = [
  stamped('HEVC, open GOP', {
    file: 'hevc-open.mp4',
    gop: 'open',
    encoder: 'libx265',
    options: x265('open-gop=1:keyint=48:min-keyint=48:bframes=4:b-adapt=0'),
  }),
  stamped('HEVC, closed GOP', {
    file: 'hevc-closed.mkv',
    encoder: 'libx265',
    options: x265('open-gop=0:keyint=30:min-keyint=30:bframes=3:b-adapt=0'),
  }),
  stamped('HEVC, 10 bit with PQ', {
    file: 'hevc-hdr10.mp4',
    encoder: 'libx265',
    pixelFormat: 'yuv420p10le',
    frames: 90,
    options: {
      ...x265('open-gop=0:keyint=30:bframes=3'),
      color_primaries: 'bt2020',
      color_trc: 'smpte2084',
      colorspace: 'bt2020nc',
    },
  }),
  stamped('VP9 with hidden alternate reference frames', {
    file: 'vp9.webm',
    encoder: 'libvpx-vp9',
    frames: 120,
    options: { g: '40', crf: '30', b: '0', 'auto-alt-ref': '1', 'lag-in-frames': '16', 'cpu-used': '5' },
    sound: tone(4, 'libopus'),
  }),
  stamped('AV1', {
    file: 'av1.mp4',
    apart: true,
    encoder: 'libsvtav1',
    frames: 120,
    options: { preset: '10', crf: '20', g: '40', 'svtav1-params': 'lp=1' },
  }),
  stamped('ProRes', {
    file: 'prores.mov',
    gop: 'intra',
    encoder: 'prores_ks',
    pixelFormat: 'yuv422p10le',
    frames: 90,
    options: { profile: 'proxy' },
    sound: tone(3, 'pcm_s16le'),
  }),
  stamped('MPEG-2 in a transport stream', {
    file: 'mpeg2.ts',
    encoder: 'mpeg2video',
    frameRate: fps(25),
    gop: 'open',
    options: { g: '12', bf: '2', qmin: '2' },
    sound: tone(6, 'mp2'),
  }),
  stamped('MPEG-2, closed GOP, in a program stream', {
    file: 'mpeg2.mpg',
    encoder: 'mpeg2video',
    frameRate: fps(25),
    options: { g: '15', bf: '2', qmin: '2', flags: '+cgop', sc_threshold: '1000000000' },
    sound: tone(6, 'mp2'),
  }),
  stamped('Motion JPEG in AVI', {
    file: 'mjpeg.avi',
    gop: 'intra',
    encoder: 'mjpeg',
    pixelFormat: 'yuvj420p',
    options: { qmin: '3', qmax: '5' },
  }),
  stamped('MPEG-4 with B-frames in AVI, which holds no times', {
    file: 'mpeg4.avi',
    encoder: 'mpeg4',
    frameRate: fps(25),
    gop: 'open',
    options: { g: '25', bf: '2', qmax: '6' },
  }),
  stamped('MPEG-2 in MXF with a timecode', {
    file: 'mpeg2.mxf',
    encoder: 'mpeg2video',
    frameRate: fps(25),
    gop: 'open',
    options: { g: '12', bf: '2', qmin: '2' },
    sound: tone(6, 'pcm_s16le'),
    tags: { timecode: '10:20:30:12' },
  }),
  stamped('MPEG-4 in mp4', { file: 'mpeg4.mp4', encoder: 'mpeg4', options: { g: '30', qmax: '6' } }),
];

/** Ticks of 1/1000 s with uneven steps and gaps of several seconds. */
function unevenTicks(frames: number): number[] {
  const ticks: number[] = [];
  for (let n = 0, at = 0; n < frames; n++) {
    ticks.push(at);
    at += n === 30 ? 4321 : n === 70 ? 2750 : n % 3 === 0 ? 17 : n % 7 === 0 ? 90 : 33;
  }
  return ticks;
}

const evenTicks = (frames: number, first: number) => Array.from({ length: frames }, (_, n) => first + n);

const clockClips: readonly Clip[] = [
  stamped('a transport stream that starts late', {
    file: 'offset.ts',
    options: { ...pyramid, g: '60' },
    container: { output_ts_offset: '3600.25' },
    sound: tone(5, 'aac'),
  }),
  stamped('a transport stream whose clock wraps around', {
    file: 'wrap.ts',
    options: { ...pyramid, g: '30' },
    container: { output_ts_offset: '95440' },
  }),
  stamped('an edit list that hides the first 40 frames', {
    file: 'edit-list.mp4',
    options: { ...pyramid, g: '60' },
    times: { base: fps(1, 30), ticks: evenTicks(150, -40) },
  }),
  stamped('an edit list that starts with nothing', {
    file: 'empty-edit.mp4',
    options: { ...pyramid, g: '60' },
    times: { base: fps(1, 30), ticks: evenTicks(150, 66) },
    sound: tone(7, 'aac'),
  }),
  stamped('Matroska that starts late', {
    file: 'late.mkv',
    options: { ...pyramid, g: '60' },
    times: { base: fps(1, 30), ticks: evenTicks(150, 300) },
  }),
  stamped('uneven times with gaps, mp4', {
    file: 'uneven.mp4',
    frames: 120,
    options: { ...pyramid, g: '50' },
    times: { base: fps(1, 1000), ticks: unevenTicks(120) },
  }),
  stamped('uneven times with gaps, Matroska', {
    file: 'uneven.mkv',
    frames: 120,
    options: { ...pyramid, g: '50' },
    times: { base: fps(1, 1000), ticks: unevenTicks(120) },
  }),
  stamped('half a frame a second', { file: 'slow.mp4', frames: 8, frameRate: fps(1, 2), options: x264 }),
  stamped('23.976 frames a second', {
    file: 'film-rate.mp4',
    frames: 120,
    frameRate: ntsc(24),
    options: { ...pyramid, g: '48' },
  }),
  stamped('29.97 frames a second, drop-frame timecode', {
    file: 'drop-frame.mov',
    frameRate: ntsc(30),
    options: { ...pyramid, g: '60' },
    tags: { timecode: '00:59:58;12' },
  }),
  stamped('59.94 frames a second, drop-frame timecode', {
    file: 'drop-frame-60.mov',
    frames: 240,
    frameRate: ntsc(60),
    options: { ...pyramid, g: '60' },
    tags: { timecode: '01:00:59;58' },
  }),
  stamped('179/6 frames a second', {
    file: 'odd-rate.mp4',
    frameRate: fps(179, 6),
    options: { ...pyramid, g: '60' },
  }),
  stamped('24 frames a second, timecode without drop', {
    file: 'timecode.mov',
    frames: 96,
    frameRate: fps(24),
    options: { ...pyramid, g: '24' },
    tags: { timecode: '23:59:58:00', creation_time: '2021-05-06T07:08:09Z' },
  }),
];

const shapeClips: readonly Clip[] = [
  ...[90, 180, 270].map((rotation) =>
    stamped(`rotated by ${rotation} degrees`, {
      file: `rotated-${rotation}.mp4`,
      frames: 90,
      rotation,
      options: { ...pyramid, g: '30' },
    }),
  ),
  stamped('pixels wider than high', {
    file: 'anamorphic.mp4',
    frames: 90,
    pixelAspect: fps(4, 3),
    options: { ...pyramid, g: '30' },
  }),
  stamped('an odd size', {
    file: 'odd-size.mkv',
    width: 191,
    height: 107,
    frames: 60,
    pixelFormat: 'yuv444p',
    options: x264,
  }),
  stamped('one frame', { file: 'one-frame.mp4', frames: 1, options: x264 }),
  stamped('subtitles in mp4', {
    file: 'subtitles.mp4',
    options: { ...pyramid, g: '60' },
    sound: tone(5, 'aac'),
    captions: {
      codec: 'mov_text',
      language: 'eng',
      cues: [
        { startSeconds: 0.5, endSeconds: 2, text: 'First line' },
        { startSeconds: 2.5, endSeconds: 4, text: 'Zweite Zeile: Grüße' },
      ],
    },
  }),
  stamped('subtitles in Matroska', {
    file: 'subtitles.mkv',
    options: { ...pyramid, g: '60' },
    captions: {
      codec: 'subrip',
      language: 'ger',
      cues: [{ startSeconds: 1, endSeconds: 3, text: 'Eine Zeile' }],
    },
  }),
  stamped("a name with spaces, quotes, a newline and ü 漢 '", {
    file: 'a "name"\n of \'many\' signs: ü 漢 %20 #1?.mp4',
    frames: 60,
    options: x264,
  }),
];

export const clips: readonly Clip[] = [
  ...h264Clips,
  ...codecClips,
  ...containerClips,
  ...['ts', 'mp4', 'mov', 'mkv'].map((type) => fieldClip(`H.264 coded as fields, ${type}`, `fields.${type}`)),
  ...clockClips,
  ...shapeClips,
];

/**
 * Those that a test takes which codes each of them anew, or decodes it several times: every fifth, and for a
 * release all (test/release/clips.test.ts).
 */
export const someClips = sampled(clips, 5);

/** With those whose frames come at uneven times. */
export const someClipsAndUneven = clips.filter(
  (clip) => someClips.includes(clip) || clip.facts.frameRate === null,
);

/** One frame a second for ten hours, which take some seconds to encode, or for three outside a release. */
export const longFilm: Clip = stamped('hours of one frame a second', {
  file: 'long-film.mp4',
  width: 64,
  height: 36,
  frames: untilRelease ? 10_800 : 36_000,
  frameRate: fps(1),
  options: { ...x264, preset: 'ultrafast', g: '60' },
});
