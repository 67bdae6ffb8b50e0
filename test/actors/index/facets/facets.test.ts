import assert from 'node:assert/strict';
import test from 'node:test';
import type { Probe } from '../../../../actors/decoder/contract.ts';
import {
  coordinates,
  extensionOf,
  facets,
  foldersAbove,
  languageOf,
  layoutOf,
} from '../../../../actors/index/facets/list.ts';
import {
  aspectRatio,
  chroma,
  nominalRate,
  resolutionClass,
} from '../../../../actors/index/facets/picture.ts';
import { facts, stream } from './media.ts';

const valuesOf = (id: string, more: Partial<Probe>, paths?: string[]) => {
  const facet = facets.find((one) => one.id === id);
  assert.ok(facet, id);
  const key = facet.key(facts(more, paths));
  return key === null ? [] : (facet.read(key)?.values ?? []);
};

test('every facet has an id of its own in the form group.name, and a label', () => {
  assert.equal(new Set(facets.map(({ id }) => id)).size, facets.length);
  for (const { id, label, group, path } of facets) {
    assert.match(id, /^(technical|source|description|time|file)\.[a-z_]+$/);
    assert.notEqual(label, '');
    assert.equal(path[0], group);
    assert.equal(path.at(-1), label);
  }
});

test('the date of a clock that was never set is no date', () => {
  for (const date of ['1970-01-01T00:00:00Z', '1904-01-01T00:00:00Z', '1969-12-31T19:00:00-05:00'])
    for (const id of ['time.creation_date', 'time.year', 'time.month'])
      assert.deepEqual(valuesOf(id, { creation_date: date }), [], `${id} ${date}`);
  assert.deepEqual(valuesOf('time.year', { creation_date: '1970-06-01' }), ['1970']);
});

test('every facet of a media with no facts beyond its kind has at most plain values', () => {
  const bare = facts({ video: null, kind: 'audio', width: 0, height: 0, container: 'x' }, ['/x']);
  const said = facets.flatMap(({ id, key, read }) => {
    const own = key(bare);
    return own === null ? [] : [[id, ...(read(own)?.values ?? [])]];
  });
  assert.deepEqual(said, [
    ['technical.media_kind', 'audio'],
    ['technical.container', 'x'],
    ['technical.duration_class', '10s_1m'],
    ['technical.has_audio', 'no'],
    ['technical.has_subtitles', 'no'],
    ['source.has_location', 'no'],
    ['file.folder', '/'],
    ['file.size_class', 'under_10mb'],
  ]);
});

test('the resolution class goes by the longer or the shorter side, whichever way the picture is held', () => {
  for (const [width, height, expected] of [
    [7680, 4320, '8k'],
    [6144, 3160, '6k'],
    [4096, 2160, '4k'],
    [3840, 1600, '4k'],
    [2160, 3840, '4k'],
    [2560, 1440, '1440p'],
    [1920, 804, '1080p'],
    [1080, 1920, '1080p'],
    [1080, 1080, '1080p'],
    [1280, 720, '720p'],
    [720, 576, '480p'],
    [320, 240, 'low'],
    [0, 0, null],
  ] as const) {
    assert.equal(resolutionClass(width, height), expected, `${width}x${height}`);
  }
});

test('rates and ratios are called what people call them', () => {
  for (const [num, den, expected] of [
    [24000, 1001, 23.976],
    [24, 1, 24],
    [25, 1, 25],
    [30000, 1001, 29.97],
    [2997, 100, 29.97],
    [60000, 1001, 59.94],
    [179, 6, 29.83],
    [25, 2, 12.5],
    [0, 1, null],
  ] as const) {
    assert.equal(nominalRate({ num, den }), expected, `${num}/${den}`);
  }
  for (const [width, height, expected] of [
    [1920, 1080, '16:9'],
    [1920, 1088, '16:9'],
    [1080, 1920, '9:16'],
    [4096, 1716, '2.39:1'],
    [1998, 1080, '1.85:1'],
    [640, 480, '4:3'],
    [512, 512, '1:1'],
    [5000, 100, 'other'],
    [0, 0, null],
  ] as const) {
    assert.equal(aspectRatio(width, height), expected, `${width}x${height}`);
  }
});

test('sampling, layouts and languages are called what people call them', () => {
  for (const [format, expected] of [
    ['yuv420p', '4:2:0'],
    ['yuvj422p', '4:2:2'],
    ['yuva444p12le', '4:4:4'],
    ['nv12', '4:2:0'],
    ['p010le', '4:2:0'],
    ['p210le', '4:2:2'],
    ['uyvy422', '4:2:2'],
    ['gray10le', 'gray'],
    ['gbrp', 'rgb'],
    ['rgb24', 'rgb'],
    ['unknown', null],
  ] as const) {
    assert.equal(chroma(format), expected, format);
  }
  assert.deepEqual(
    [
      layoutOf('5.1(side)', 6),
      layoutOf('stereo', 2),
      layoutOf('1 channels', 1),
      layoutOf(null, 2),
      layoutOf('16 channels', 16),
    ],
    ['5.1', 'stereo', 'mono', 'stereo', '16_channels'],
  );
  assert.deepEqual(
    ['eng', 'en', 'EN', 'ger', 'deu', 'fre', 'en-US', 'pt_br', 'und', '', 'x y'].map(languageOf),
    ['en', 'en', 'en', 'de', 'de', 'fr', 'en-US', 'pt-BR', null, null, 'x y'],
  );
});

test('a place is read in every form it is written in, and stands for a cell of the map', () => {
  const near = (text: string) => {
    const at = coordinates(text);
    return at && [at.latitude.toFixed(3), at.longitude.toFixed(3)].join(' ');
  };
  for (const [text, expected] of [
    ['48.208200,16.373800', '48.208 16.374'],
    ['+48.2082+016.3738+171.0/', '48.208 16.374'],
    ['+4812.492+01622.428/', '48.208 16.374'],
    ['-335212.5+1511225.2/', '-33.870 151.207'],
    ['Vienna', null],
    ['91,0', null],
    ['', null],
  ] as const) {
    assert.equal(near(text), expected, text);
  }
  assert.deepEqual(valuesOf('source.location', { location: '48.24,16.36' }), ['48.2,16.4']);
  assert.deepEqual(valuesOf('source.location', { location: '-0.01,-0.04' }), ['0.0,0.0']);
  assert.deepEqual(valuesOf('source.has_location', { location: 'Vienna' }), ['no']);
});

test('a date that a clock never got is no date, and gives no year', () => {
  for (const creation_date of ['1970-01-01T00:00:00Z', '1904-01-01T00:00:00Z', '1970-01-01']) {
    assert.deepEqual(valuesOf('time.year', { creation_date }), [], creation_date);
    assert.deepEqual(valuesOf('time.creation_date', { creation_date }), [], creation_date);
  }
  assert.deepEqual(valuesOf('time.year', { creation_date: '1970-06-01' }), ['1970']);
});

test('a folder stands in all folders above it, on any system', () => {
  assert.deepEqual(foldersAbove('/footage/2024/cam a'), ['/footage/2024/cam a', '/footage/2024', '/footage']);
  assert.deepEqual(foldersAbove('/'), ['/']);
  assert.deepEqual(foldersAbove('C:\\footage\\2024'), ['C:\\footage\\2024', 'C:\\footage']);
  const paths = ['/a/b/one.MP4', '/a/c/two.mp4'];
  assert.deepEqual(valuesOf('file.folder', {}, paths).toSorted(), ['/a', '/a/b', '/a/c']);
  assert.deepEqual(valuesOf('file.extension', {}, paths), ['mp4']);
  assert.deepEqual(['/a/b.tar.gz', '/a/b', '/a/.hidden'].map(extensionOf), ['gz', null, null]);
});

test('one family of containers is told apart by its brand, or by the name of the file in older records', () => {
  assert.deepEqual(valuesOf('technical.container', { brand: 'qt' }), ['mov']);
  assert.deepEqual(valuesOf('technical.container', { brand: 'isom' }, ['/a.mov']), ['mp4']);
  assert.deepEqual(valuesOf('technical.container', {}, ['/a.MOV']), ['mov']);
  assert.deepEqual(valuesOf('technical.container', { container: 'matroska,webm' }, ['/a.webm']), ['webm']);
  assert.deepEqual(valuesOf('technical.container', { container: 'matroska,webm' }), ['matroska']);
});

test('colour, depth and dynamic range come from the stream, of stills from their samples', () => {
  const video = {
    ...stream,
    bit_depth: 10,
    hdr: true,
    color_transfer: 'arib-std-b67',
    color_primaries: 'bt2020',
  };
  assert.deepEqual(valuesOf('technical.hdr', { video }), ['hlg']);
  assert.deepEqual(valuesOf('technical.hdr', { video: { ...video, color_transfer: 'smpte2084' } }), ['pq']);
  assert.deepEqual(valuesOf('technical.hdr', {}), ['sdr']);
  assert.deepEqual(valuesOf('technical.bit_depth', { video }), ['10']);
  assert.deepEqual(valuesOf('technical.color_primaries', { video }), ['bt2020']);
  const still = { bit_depth: 16, color_model: 'srgb', alpha: true, chroma_subsampling: null };
  const image = { kind: 'image', video: null, still } as const;
  assert.deepEqual(valuesOf('technical.bit_depth', image), ['16']);
  assert.deepEqual(valuesOf('technical.has_alpha', image), ['yes']);
  assert.deepEqual(valuesOf('technical.duration_class', image), []);
});
