import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
  FormatContext,
  OutputFormat,
  Packet,
} from '../../../../actors/decoder/ffmpeg.ts';
import { writeFilm } from '../../../../bench/samples/writer/film.ts';
import { type FilmPicture, PictureTrack } from '../../../../bench/samples/writer/picture.ts';
import { packSamples } from '../../../../bench/samples/writer/sound.ts';
import { stillErrors, writeStill } from '../../../../bench/samples/writer/still.ts';
import { filmErrors } from '../../../../bench/samples/writer/track.ts';
import { engineErrors } from '../../../../runtime/errors.ts';
import { askProbe } from '../../../actors/decoder/ask-decoder.ts';
import { tone } from '../../../actors/decoder/footage/clip.ts';
import { drawStamp } from '../../../actors/decoder/footage/stamp.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const folder = temporaryFolder();

const picture: FilmPicture = {
  width: 96,
  height: 64,
  frames: 60,
  frameRate: { num: 24000, den: 1001 },
  encoder: 'libx264',
  options: { preset: 'ultrafast', bf: '2', threads: '1' },
  draw: (n, rgb) => drawStamp(n, rgb, 96, 64),
};

interface ReadStream {
  type: number;
  rate: string;
  tags: Record<string, string>;
  /** Times in seconds and bytes of the packets. */
  packets: { seconds: number; data: Buffer }[];
}

function readBack(path: string): ReadStream[] {
  const format = new FormatContext();
  const packet = new Packet();
  packet.alloc();
  try {
    assert.equal(format.openInputSync(`file:${path}`), 0);
    format.findStreamInfoSync();
    const streams = format.streams.map((stream) => ({
      type: stream.codecpar.codecType as number,
      rate: `${stream.avgFrameRate.num}/${stream.avgFrameRate.den}`,
      tags: stream.metadata?.getAll() ?? {},
      base: stream.timeBase,
      packets: [] as ReadStream['packets'],
    }));
    while (format.readFrameSync(packet) >= 0) {
      const stream = streams[packet.streamIndex]!;
      const seconds = (Number(packet.pts) * stream.base.num) / stream.base.den;
      stream.packets.push({ seconds, data: Buffer.from(packet.data ?? []) });
      packet.unref();
    }
    return streams;
  } finally {
    packet.free();
    format.closeInputSync();
  }
}

test('a film read back has the promised frames, rate, sound, subtitles and tags', async () => {
  const path = join(folder, 'all.mp4');
  await writeFilm({
    path,
    picture,
    sound: tone(2.5, 'aac'),
    captions: {
      codec: 'mov_text',
      language: 'eng',
      cues: [
        { startSeconds: 0.5, endSeconds: 1, text: 'One' },
        { startSeconds: 1, endSeconds: 2, text: 'Zwölf' },
      ],
    },
    tags: { timecode: '01:02:03:04' },
  });
  const [video, sound, captions] = readBack(path);
  assert.equal(video!.packets.length, 60);
  assert.equal(video!.rate, '24000/1001');
  assert.equal(video!.tags.timecode, '01:02:03:04');
  assert.ok(Math.abs(sound!.packets.length * 1024 - 2.5 * 48000) < 3 * 1024);
  assert.equal(captions!.type, AVMEDIA_TYPE_SUBTITLE);
  assert.equal(captions!.tags.language, 'eng');
  const lines = captions!.packets.filter(({ data }) => data.length > 2);
  assert.deepEqual(
    lines.map(({ seconds, data }) => [seconds, data.subarray(2).toString()]),
    [
      [0.5, 'One'],
      [1, 'Zwölf'],
    ],
  );
});

test('frames keep the uneven times they were given', async () => {
  const path = join(folder, 'uneven.mkv');
  const ticks = [0, 40, 100, 5000, 5040];
  await writeFilm({
    path,
    picture: { ...picture, frames: 5, times: { base: { num: 1, den: 1000 }, ticks } },
  });
  const seconds = readBack(path)[0]!.packets.map((packet) => packet.seconds);
  assert.deepEqual(
    seconds.toSorted((a, b) => a - b),
    ticks.map((tick) => tick / 1000),
  );
});

/**
 * libx265 leaves the decoding times of so short a film uninitialised; other encoders put them before the
 * film.
 */
for (const encoder of ['libx265', 'mpeg2video']) {
  test(`${encoder}: the frames of a film of one or two are decoded when they are shown`, () => {
    for (const frames of [1, 2]) {
      const times: [pts: bigint, dts: bigint][] = [];
      const format = new FormatContext();
      format.allocOutputContext2(OutputFormat.guessFormat('mp4', null, null), null, 'short.mp4');
      const short = { ...picture, frameRate: { num: 25, den: 1 }, frames, encoder, options: { bf: '2' } };
      const track = new PictureTrack(format, 'short.mp4', short);
      for (let n = 0; n <= frames; n++) track.step(({ pts, dts }) => times.push([pts, dts]));
      track.close();
      format.freeContext();
      assert.deepEqual(
        times,
        [
          [0n, 0n],
          [1n, 1n],
        ].slice(0, frames),
      );
    }
  });
}

test('the same film has the same bytes', async () => {
  const [first, second] = [join(folder, 'first.mp4'), join(folder, 'second.mp4')];
  for (const path of [first, second]) await writeFilm({ path, picture, sound: tone(1, 'aac') });
  assert.deepEqual(readFileSync(first), readFileSync(second));
});

for (const [file, encoder] of [
  ['sound.m4a', 'aac'],
  ['sound.flac', 'flac'],
  ['sound.wav', 'pcm_s16le'],
  ['sound.mp3', 'libmp3lame'],
  ['sound.webm', 'libopus'],
] as const) {
  test(`${file}: sound alone has its length`, async () => {
    const path = join(folder, file);
    await writeFilm({ path, sound: tone(1, encoder) });
    const [sound] = readBack(path);
    assert.ok(Math.abs(sound!.packets.at(-1)!.seconds - 1) < 0.1);
  });
}

test('a film without frames is written and has a picture track', async () => {
  const path = join(folder, 'none.avi');
  await writeFilm({ path, picture: { ...picture, frames: 0 } });
  const [video] = readBack(path);
  assert.equal(video!.type, AVMEDIA_TYPE_VIDEO);
  assert.equal(video!.packets.length, 0);
});

test('an abort stops the writing and leaves nothing behind', async () => {
  const stop = new AbortController();
  const path = join(folder, 'stopped.mp4');
  const before = readdirSync(folder);
  const draw = (n: number, rgb: Uint8Array) => {
    if (n === 20) stop.abort();
    picture.draw(n, rgb);
  };
  await assert.rejects(
    writeFilm({ path, picture: { ...picture, draw } }, stop.signal),
    engineErrors.CANCELLED.is,
  );
  assert.deepEqual(readdirSync(folder), before);
});

test('a drawing that throws passes its error on and leaves nothing behind', async () => {
  const path = join(folder, 'thrown.mp4');
  const draw = () => {
    throw new Error('no more paint');
  };
  await assert.rejects(writeFilm({ path, picture: { ...picture, draw } }), /no more paint/);
  assert.equal(existsSync(path), false);
});

test('what cannot be written is named', async () => {
  const path = join(folder, 'no.mp4');
  const missing = writeFilm({ path, picture: { ...picture, encoder: 'paint' } });
  await assert.rejects(missing, filmErrors.FILM_ENCODER_MISSING.is);
  const option = writeFilm({ path, picture: { ...picture, options: { colour: 'no' } } });
  await assert.rejects(option, { message: /no\.mp4.*colour=no/ });
  await assert.rejects(writeFilm({ path: join(folder, 'no.text'), picture }), {
    message: /no\.text.*ending/,
  });
  await assert.rejects(
    writeFilm({ path: join(folder, 'nowhere', 'a.mp4'), picture }),
    filmErrors.FILM_NOT_WRITTEN.is,
  );
});

test('samples are packed in the format of the encoder and clamped to full scale', () => {
  const left = Buffer.alloc(4);
  const right = Buffer.alloc(4);
  packSamples(Float32Array.of(0, 2, 0.5, -1), 2, 's16p', [left, right]);
  assert.deepEqual([left.readInt16LE(0), left.readInt16LE(2)], [0, 16384]);
  assert.deepEqual([right.readInt16LE(0), right.readInt16LE(2)], [32767, -32767]);
  const both = Buffer.alloc(8);
  packSamples(Float32Array.of(0.25, -0.25), 1, 'flt', [both]);
  assert.deepEqual([both.readFloatLE(0), both.readFloatLE(4)], [0.25, -0.25]);
});

const stillPicture = { width: 40, height: 30, rgb: new Uint8Array(40 * 30 * 3).fill(90) };

test('a still keeps its size, orientation and camera tags', async () => {
  const path = join(folder, 'turned.jpg');
  const camera = { make: 'Framehound', model: 'Pinhole' };
  await writeStill({ ...stillPicture, path, orientation: 6, camera });
  const probe = await askProbe(path);
  assert.deepEqual([probe.kind, probe.width, probe.height], ['image', 30, 40]);
  assert.deepEqual([probe.camera_make, probe.camera_model], ['Framehound', 'Pinhole']);
});

test('a still that cannot be written is named and leaves nothing behind', async () => {
  const before = readdirSync(folder);
  const writing = (name: string) => writeStill({ ...stillPicture, path: join(folder, name) });
  await assert.rejects(writing('picture.text'), { message: /picture\.text.*ending/ });
  await assert.rejects(writing(join('nowhere', 'a.png')), stillErrors.STILL_NOT_WRITTEN.is);
  const short = writeStill({ ...stillPicture, width: 41, path: join(folder, 'short.png') });
  await assert.rejects(short, { message: /short\.png/ });
  assert.deepEqual(readdirSync(folder), before);
});
