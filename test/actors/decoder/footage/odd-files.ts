// Files that are not ordinary films: sound alone, stills, truncated or damaged films, and files with a wrong
// extension; each with the result a decoder must give.
import { readFile, writeFile } from 'node:fs/promises';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { type Still, writeStill } from '../../../../bench/samples/writer/still.ts';
import { bmp, type Rgb } from './bmp.ts';
import { type Clip, kept, stamped, tone } from './clip.ts';
import { clips } from './clips.ts';
import { x265 } from './codec-options.ts';
import { box, heifGrid, heifOf } from './heif.ts';
import { remux } from './remux.ts';
import { drawStamp } from './stamp.ts';
import { tiff } from './tiff.ts';

export type Expected =
  /** A film of which at least `frames` can be shown. */
  | { readonly kind: 'video'; readonly frames: number }
  | { readonly kind: 'audio'; readonly seconds: number }
  /** Size as shown, in px. */
  | { readonly kind: 'image'; readonly width: number; readonly height: number }
  /** One of these errors. */
  | { readonly kind: 'error'; readonly codes: readonly (keyof typeof mediaErrors)[] };

export interface OddFile {
  readonly name: string;
  /** More than one where the file can rightly be taken either way. */
  readonly expected: readonly Expected[];
  /** Path of the file, made if need be; safe when several processes ask at once. */
  make(): Promise<string>;
}

const anyError: Expected = { kind: 'error', codes: Object.keys(mediaErrors) as (keyof typeof mediaErrors)[] };
const errors = (...codes: (keyof typeof mediaErrors)[]): Expected => ({ kind: 'error', codes });

function clipNamed(name: string): Clip {
  const clip = clips.find((clip) => clip.name === name);
  if (!clip) throw new Error(`No clip is named ${name}`);
  return clip;
}

const mp4 = clipNamed('H.264, 3 B-frames with pyramid, GOP 60');
const mkv = clipNamed('H.264 in Matroska with sound');
const ts = clipNamed('H.264, open GOP in a transport stream');
const avi = clipNamed('MPEG-4 with B-frames in AVI, which holds no times');
const hevc = clipNamed('HEVC, closed GOP');

function bytes(name: string, file: string, expected: Expected[], make: () => Promise<Uint8Array>): OddFile {
  return { name, expected, make: () => kept(file, async (path) => writeFile(path, await make())) };
}

/** The first part of a clip's bytes. */
function cut(clip: Clip, part: number): () => Promise<Uint8Array> {
  return async () => {
    const whole = await readFile(await clip.make());
    return whole.subarray(0, Math.floor(whole.length * part));
  };
}

const sounds: readonly OddFile[] = (
  [
    ['sound.m4a', 'aac'],
    ['sound.flac', 'flac'],
    ['sound.wav', 'pcm_s16le'],
    ['sound.mp3', 'libmp3lame'],
    ['sound.webm', 'libopus'],
    ['sound.ogg', 'libopus'],
  ] as const
).map(([file, encoder]) => ({
  name: `sound alone, ${file}`,
  expected: [{ kind: 'audio', seconds: 2 }],
  make: () => kept(file, (path) => writeFilm({ path, sound: tone(2, encoder) })),
}));

function still(file: string, width: number, height: number, more: Partial<Still> = {}): OddFile {
  const turned = (more.orientation ?? 1) > 4;
  return {
    name: `a still of ${width}x${height}, ${file}`,
    expected: [{ kind: 'image', width: turned ? height : width, height: turned ? width : height }],
    make: () =>
      kept(file, (path) => {
        const rgb = new Uint8Array(width * height * 3);
        drawStamp(7, rgb, width, height);
        return writeStill({ path, width, height, rgb, ...more });
      }),
  };
}

/** An ID3v2 tag with a picture as the front cover. */
function coverTag(jpeg: Buffer): Buffer {
  const picture = Buffer.concat([Buffer.from('\0image/jpeg\0\x03\0', 'latin1'), jpeg]);
  const frame = Buffer.alloc(10);
  frame.write('APIC');
  frame.writeUInt32BE(picture.length, 4);
  const size = frame.length + picture.length;
  const sevenBits = [21, 14, 7, 0].map((shift) => (size >> shift) & 127);
  return Buffer.concat([Buffer.from('ID3\x03\0\0', 'latin1'), Buffer.from(sevenBits), frame, picture]);
}

const withCover = bytes(
  'sound with a cover picture',
  'cover.mp3',
  [{ kind: 'audio', seconds: 2 }],
  async () => {
    const sound = await readFile(await sounds.find(({ name }) => name.endsWith('sound.mp3'))!.make());
    const cover = await readFile(await stills.find(({ name }) => name.endsWith('still.jpg'))!.make());
    return Buffer.concat([coverTag(cover), sound]);
  },
);

const stills: readonly OddFile[] = [
  still('still.jpg', 320, 180, { camera: { make: 'Framehound', model: 'Test 1' } }),
  still('still.png', 320, 180),
  still('still.webp', 320, 180),
  still('still.tif', 320, 180),
  still('still.gif', 320, 180),
  still('still.avif', 320, 180),
  still('turned.jpg', 320, 180, { orientation: 6 }),
  still('dot.png', 1, 1),
  still('dot.jpg', 1, 1),
  still('wide.png', 16384, 24),
  still('wide.jpg', 16384, 24),
  still('high.png', 16, 8192),
];

/** The format of phones. */
const photograph = bytes(
  'a photograph kept as HEVC',
  'photograph.heic',
  [{ kind: 'image', width: 320, height: 184 }],
  async () => {
    const one = { width: 320, height: 184, frames: 1, encoder: 'libx265', options: x265('crf=20') };
    return heifOf(await stamped('one HEVC picture', { file: 'one-hevc.mp4', ...one }).make(), 320, 184);
  },
);

const image = (width: number, height: number): Expected => ({ kind: 'image', width, height });
const gradient = (x: number, y: number, i: number) => [x * 5, y * 9, (x * y) % 251][i]! & 255;

/** Kinds that few programs write. */
const rareStills: readonly OddFile[] = [
  bytes('a photograph of HEVC tiles', 'tiles.heic', [image(128, 170)], async () => {
    const one = { width: 64, height: 64, frames: 6, encoder: 'libx265', options: x265('keyint=1:crf=20') };
    const film = await stamped('HEVC tiles', { file: 'tiles.mp4', ...one }).make();
    const turn = box('irot', Buffer.of(1));
    return heifGrid(film, { columns: 3, rows: 2, tile: 64, width: 170, height: 128, properties: [turn] });
  }),
  bytes('a bitmap', 'colours.bmp', [image(51, 27)], async () =>
    bmp(51, 27, (x, y) => [0, 1, 2].map((i) => gradient(x, y, i)) as unknown as Rgb, 24),
  ),
  bytes('a TIFF of planes', 'planes.tif', [image(51, 27)], async () =>
    tiff(51, 27, 3, gradient, { bits: 8, photometric: 2, planar: true, compression: 5, predictor: true }),
  ),
];

const shortened: readonly OddFile[] = [
  bytes('mp4 whose index is cut off', 'cut.mp4', [errors('NOT_MEDIA')], cut(mp4, 0.7)),
  bytes('Matroska cut off in the middle', 'cut.mkv', [{ kind: 'video', frames: 60 }], cut(mkv, 0.5)),
  bytes('a transport stream cut off in the middle', 'cut.ts', [{ kind: 'video', frames: 60 }], cut(ts, 0.5)),
  bytes('AVI cut off in the middle', 'cut.avi', [{ kind: 'video', frames: 60 }], cut(avi, 0.5)),
  bytes(
    'a JPEG cut off in the middle',
    'cut.jpg',
    [{ kind: 'image', width: 320, height: 180 }, anyError],
    async () => {
      const whole = await readFile(await stills[0]!.make());
      return whole.subarray(0, whole.length / 2);
    },
  ),
  bytes(
    'a PNG cut off in the middle',
    'cut.png',
    [{ kind: 'image', width: 320, height: 180 }, anyError],
    async () => {
      const whole = await readFile(await stills[1]!.make());
      return whole.subarray(0, whole.length / 2);
    },
  ),
  bytes('nothing', 'nothing.mp4', [errors('FILE_EMPTY')], async () => Buffer.alloc(0)),
  bytes('text named as a film', 'text.mp4', [errors('NOT_MEDIA')], async () =>
    Buffer.from('This is a shopping list: bread, butter, apples.\n'.repeat(200)),
  ),
  bytes('text named as a still', 'text.jpg', [errors('NOT_MEDIA')], async () =>
    Buffer.from('not a picture\n'),
  ),
  bytes('zeros named as a film', 'zeros.mkv', [errors('NOT_MEDIA')], async () => Buffer.alloc(100_000)),
];

const empty: readonly OddFile[] = (['no-frames.mp4', 'no-frames.mkv', 'no-frames.avi'] as const).map(
  (file) => ({
    name: `a film with no frames, ${file}`,
    expected: [errors('NO_PICTURE', 'NOT_MEDIA', 'DECODE_FAILED'), { kind: 'video', frames: 0 }],
    make: () => stamped(file, { file, frames: 0, options: {} }).make(),
  }),
);

/** In a program stream only some packets have a PTS; the other times are known only after decoding. */
const untimed: OddFile = {
  name: 'MPEG-1, where only some packets have a time',
  expected: [{ kind: 'video', frames: 75 }],
  make: stamped('MPEG-1', {
    file: 'mpeg1.mpg',
    frames: 75,
    frameRate: { num: 25, den: 1 },
    encoder: 'mpeg1video',
    options: { g: '15', bf: '2', qmin: '2' },
  }).make,
};

/** Changes some bytes in the middle of a packet, never the same in two packets. */
function scratched(data: Buffer, index: number): Buffer {
  const copy = Buffer.from(data);
  for (let at = Math.floor(copy.length / 4); at < copy.length; at += 37) {
    copy[at] = (copy[at]! + 89 * (index + 1)) & 255;
  }
  return copy;
}

function damaged(
  name: string,
  clip: Clip,
  file: string,
  frames: number,
  keep: Parameters<typeof remux>[2],
): OddFile {
  const make = () => kept(file, async (path) => remux(await clip.make(), path, keep));
  return { name, expected: [{ kind: 'video', frames }], make };
}

const scratchedFilms: readonly OddFile[] = [
  damaged('packets missing in the middle', mp4, 'missing.mp4', 90, ({ index }) => index < 70 || index > 75),
  damaged('a keyframe missing', mp4, 'no-key.mp4', 90, ({ index }) => index !== 60),
  damaged(
    'an open GOP that begins with pictures whose references are gone',
    ts,
    'open-start.ts',
    60,
    ({ index }) => index >= 29,
  ),
  damaged('the first keyframe missing', mp4, 'no-first-key.mp4', 60, ({ index }) => index !== 0),
  damaged(
    'a second missing in a transport stream',
    ts,
    'missing.ts',
    90,
    ({ index }) => index < 50 || index > 80,
  ),
  damaged('bytes changed in one GOP', mp4, 'scratched.mp4', 90, ({ index, data }) =>
    index > 60 && index < 120 ? scratched(data, index) : true,
  ),
  damaged('bytes changed in each keyframe', mp4, 'scratched-keys.mp4', 0, ({ key, index, data }) =>
    key ? scratched(data, index) : true,
  ),
  damaged('bytes changed in one GOP, HEVC', hevc, 'scratched-hevc.mkv', 60, ({ index, data }) =>
    index > 60 && index < 90 ? scratched(data, index) : true,
  ),
  damaged('empty packets', mp4, 'empty-packets.mkv', 60, ({ index }) =>
    index % 20 === 13 ? Buffer.from([0]) : true,
  ),
];

export const oddFiles: readonly OddFile[] = [
  ...sounds,
  withCover,
  ...stills,
  photograph,
  ...rareStills,
  ...shortened,
  ...empty,
  untimed,
  ...scratchedFilms,
];
