// Small films of H.264 whose groups of pictures are closed, made in the ways in which encoders and containers
// differ.
import { type Clip, type StampedFilm, stamped, tone } from '../../footage/clip.ts';
import { ntsc, x264 } from '../../footage/codec-options.ts';

export interface GroupFilm extends Clip {
  /** Pictures from one keyframe to the next. */
  readonly group: number;
}

interface Options extends Omit<StampedFilm, 'options'> {
  readonly group: number;
  readonly options?: Readonly<Record<string, string>>;
  readonly x264?: string;
}

function film(name: string, { group, options, x264: params, ...more }: Options): GroupFilm {
  const own = { ...x264, g: String(group), ...options };
  const rest = ['scenecut=0', ...(params ? [params] : [])].join(':');
  return { ...stamped(name, { ...more, options: { ...own, 'x264-params': rest } }), group };
}

/** Every third picture is missing, and one in twenty is shown for longer. */
const uneven = Array.from({ length: 150 }, (_, n) => 2 * Math.floor((n * 3) / 2) + 12 * Math.floor(n / 20));

export const groupFilms: readonly GroupFilm[] = [
  film('B-frames with pyramid', {
    file: 'smart-pyramid.mp4',
    group: 24,
    options: { bf: '3' },
    x264: 'b-pyramid=normal:b-adapt=0',
    sound: tone(5, 'aac'),
  }),
  film('many B-frames and references', {
    file: 'smart-refs.mp4',
    group: 25,
    options: { bf: '8', refs: '6' },
    x264: 'b-pyramid=strict:b-adapt=0',
  }),
  film('Baseline', { file: 'smart-baseline.mp4', group: 20, options: { profile: 'baseline' } }),
  film('Main, CAVLC', {
    file: 'smart-main.mov',
    group: 31,
    options: { profile: 'main', bf: '2', coder: 'cavlc' },
  }),
  film('slices and headers that repeat', {
    file: 'smart-slices.mp4',
    group: 24,
    options: { bf: '2' },
    x264: 'slices=3:repeat-headers=1:aud=1',
  }),
  film('parameters with the number 1', { file: 'smart-number.mp4', group: 24, x264: 'sps-id=1' }),
  film('29.97 in Matroska', {
    file: 'smart-ntsc.mkv',
    group: 24,
    frameRate: ntsc(30),
    options: { bf: '3' },
    sound: tone(5, 'libopus'),
  }),
  film('a transport stream', { file: 'smart.ts', group: 24, options: { bf: '3' }, sound: tone(5, 'aac') }),
  film('uneven times', {
    file: 'smart-uneven.mp4',
    group: 24,
    options: { bf: '3' },
    times: { base: { num: 1, den: 90 }, ticks: uneven },
  }),
  film('rotated, with wide pixels and a full range', {
    file: 'smart-rotated.mp4',
    group: 24,
    options: { bf: '2', color_range: 'pc', colorspace: 'bt709' },
    rotation: 90,
    pixelAspect: { num: 4, den: 3 },
    pixelFormat: 'yuvj420p',
  }),
  film('only keyframes', { file: 'smart-intra.mov', group: 1 }),
];
