// The small pure parts: geometry, grid, tags, EXIF, signatures, hashed ranges.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Ending, Grid, gridLength } from '../../../../actors/decoder/grid.ts';
import { copyRotated, placeShape, placeWhole } from '../../../../actors/decoder/pixels/geometry.ts';
import { readExif } from '../../../../actors/decoder/probe/exif.ts';
import { hashedRanges } from '../../../../actors/decoder/probe/hash.ts';
import { isoDate, readTags } from '../../../../actors/decoder/probe/tags.ts';
import { shownSize } from '../../../../actors/decoder/source/coded-size.ts';
import { stillFormat } from '../../../../actors/decoder/source/signature.ts';
import { askProbe } from '../ask-decoder.ts';
import { clips } from '../footage/clips.ts';
import { oddFiles } from '../footage/odd-files.ts';

test('a picture turned four times by a quarter is itself', () => {
  const size = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(size, size, fc.constantFrom(90, 270), (width, height, rotation) => {
      let picture = { data: new Uint8Array(width * height * 3), width, height, stride: width * 3, depth: 3 };
      const first = picture.data.map((_, i) => (i * 7) & 255);
      picture.data.set(first);
      for (let i = 0; i < 4; i++) {
        const turned = {
          data: new Uint8Array(first.length),
          width: picture.height,
          height: picture.width,
          stride: picture.height * 3,
          depth: 3,
        };
        copyRotated(picture, rotation, 0, 0, turned);
        picture = turned;
      }
      assert.deepEqual(picture.data, first);
    }),
  );
});

const coded = { width: 720, height: 576, pixelAspect: { num: 16, den: 15 }, rotation: 90 };

test('the shown size has pixel aspect and rotation applied', () => {
  assert.deepEqual(shownSize(coded), { width: 576, height: 768 });
});

test('cover keeps the centre of the picture as shown, stretch all of it', () => {
  const shape = { width: 224, height: 224, resample: 'area' } as const;
  assert.deepEqual(placeShape(coded, { ...shape, fit: 'cover' }), {
    scaled: { width: 299, height: 224 },
    rotation: 90,
    left: 0,
    top: 37,
    kept: { width: 224, height: 224 },
  });
  assert.deepEqual(placeShape(coded, { ...shape, fit: 'stretch' }).scaled, { width: 224, height: 224 });
});

test('a preview is never enlarged and never empty', () => {
  assert.deepEqual(placeWhole({ ...coded, width: 1, height: 1 }, 640).kept, { width: 1, height: 1 });
  const wide = { width: 16384, height: 2, pixelAspect: { num: 1, den: 1 }, rotation: 0 };
  assert.deepEqual(placeWhole(wide, 640).kept, { width: 640, height: 1 });
});

test('a video of d seconds has ceil(d) grid seconds', () => {
  const rows = [
    [0.03, 1],
    [1, 1],
    [1.0005, 1],
    [1.04, 2],
    [59.99, 60],
    [60.06, 61],
  ] as const;
  for (const [seconds, length] of rows) assert.equal(gridLength(seconds), length, `${seconds} s`);
});

test('a picture shown just after a second is not the one of that second', () => {
  const milliseconds = new Grid({ num: 1, den: 1000 }, 33);
  assert.ok(1033 <= milliseconds.limit(1) && 1034 > milliseconds.limit(1));
  const frames = new Grid({ num: 1001, den: 30000 }, 0);
  assert.ok(29 <= frames.limit(1) && 30 > frames.limit(1));
});

test('the last picture is held to the end, but not for a lost rest of the file', () => {
  const slow = new Ending();
  slow.add(0, 10);
  slow.add(10, 10);
  assert.deepEqual([slow.lastSecond(false), slow.lastSecond(true)], [30, 20]);
  const short = new Ending();
  for (let i = 0; i < 60; i++) short.add(i / 30, 1 / 30);
  assert.deepEqual([short.lastSecond(false), short.lastSecond(true)], [4, 2]);
  const single = new Ending();
  single.add(0, 0);
  assert.equal(single.lastSecond(false), Number.POSITIVE_INFINITY);
  assert.equal(new Ending().lastSecond(false), 0);
});

test('dates are read however they are written', () => {
  const rows = [
    ['2018-04-19T22:46:00.000000Z', '2018-04-19T22:46:00Z'],
    ['2021-05-06T09:08:09+0200', '2021-05-06T09:08:09+02:00'],
    ['2021:05:06 09:08:09', '2021-05-06T09:08:09'],
    ['2021-05-06', '2021-05-06'],
    ['2021', null],
    ['yesterday', null],
  ] as const;
  for (const [text, expected] of rows) assert.equal(isoDate(text), expected, text);
});

test('camera, place and date are found under the names writers use', () => {
  const phone = {
    'com.apple.quicktime.make': 'Maker',
    'com.apple.quicktime.model': 'Phone 9',
    'com.apple.quicktime.location.ISO6709': '+47.3769+008.5417+408/',
    'com.apple.quicktime.creationdate': '2021-05-06T09:08:09+0200',
    creation_time: '2021-05-06T07:08:09.000000Z',
  };
  assert.deepEqual(readTags([phone]), {
    creation_date: '2021-05-06T09:08:09+02:00',
    camera_make: 'Maker',
    camera_model: 'Phone 9',
    location: '+47.3769+008.5417+408/',
  });
  assert.equal(readTags([{}, { 'location-eng': '+1+2/' }]).location, '+1+2/');
});

test('a photograph says which camera took it', async () => {
  const file = oddFiles.find(({ name }) => name.endsWith('still.jpg'))!;
  const { camera_make, camera_model, container } = await askProbe(await file.make());
  assert.deepEqual([camera_make, camera_model, container], ['Framehound', 'Test 1', 'jpeg']);
});

test('EXIF of any bytes is read without harm', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) =>
      assert.equal(readExif(bytes).make ?? '', readExif(bytes).make ?? ''),
    ),
  );
  const little = (bytes: Uint8Array) => Uint8Array.from([0x49, 0x49, 42, 0, 8, 0, 0, 0, ...bytes]);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void readExif(little(bytes))));
});

test('timecodes of films are those written into them', async () => {
  const expected = [
    ['drop-frame.mov', '00:59:58:12', true],
    ['drop-frame-60.mov', '01:00:59:58', true],
    ['timecode.mov', '23:59:58:00', false],
    ['mpeg2.mxf', '10:20:30:12', false],
    ['one-frame.mp4', '00:00:00:00', false],
  ] as const;
  for (const clip of clips) {
    const path = await clip.make();
    const row = expected.find(([file]) => path.endsWith(`/${file}`));
    if (!row) continue;
    const { timecode } = await askProbe(path);
    assert.deepEqual([timecode.text, timecode.drop_frame], row.slice(1), clip.name);
  }
});

test('stills are told by their first bytes', () => {
  const text = (value: string) => Uint8Array.from(value, (letter) => letter.charCodeAt(0));
  const rows = [
    ['\xff\xd8\xff\xe0', 'jpeg'],
    ['\x89PNG\r\n\x1a\n', 'png'],
    ['GIF89a', 'gif'],
    ['RIFF....WEBPVP8 ', 'webp'],
    ['RIFF....AVI LIST', null],
    ['II*\0', 'tiff'],
    ['....ftypavif', 'heif'],
    ['....ftypisom', null],
    ['', null],
  ] as const;
  for (const [bytes, format] of rows) assert.equal(stillFormat(text(bytes)), format);
});

test('the hashed ranges lie inside the file and begin and end with it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (size) => {
      const ranges = hashedRanges(size);
      assert.equal(ranges[0]!.start, 0);
      assert.equal(ranges.at(-1)!.start + ranges.at(-1)!.length, size);
      for (const { start, length } of ranges) assert.ok(start >= 0 && start + length <= size);
      assert.equal(ranges.length, size < 3 * 2 ** 20 ? 1 : 3);
    }),
  );
});
