import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { EmptyPromise, promisedByMp4 } from '../../../../../actors/decoder/source/film-index/mp4-index.ts';
import { FileBytes } from '../../../../../actors/decoder/source/film-index/track.ts';
import { box, u32 } from '../../footage/heif.ts';
import {
  fileType,
  fragment,
  type Promising,
  promisingFilm,
  promisingHeader,
  table,
} from '../../footage/promising-film.ts';

/** `size`: of the file, which has zeros behind these bytes. */
function promised(film: Buffer, size = film.length) {
  const bytes = new FileBytes(size, (into, position) => {
    into.fill(0);
    into.set(film.subarray(position, position + into.length));
    return into.length;
  });
  return promisedByMp4(bytes, () => {});
}

const large = 1e9;
const mebibytes = ({ memory }: { readonly memory: number }) => Math.round(memory / 2 ** 20);
const many = 80_000_000;
const u64 = (value: number) => Buffer.concat([u32(Math.floor(value / 2 ** 32)), u32(value % 2 ** 32)]);
const header = promisingHeader({ samples: many });

const impossible: readonly (readonly [string, Buffer, RegExp])[] = [
  ['samples of one size', promisingFilm({ samples: many }), /^80000000 samples of one size \(stsz\)$/],
  ['sizes of samples', promisingFilm({ samples: many, size: 0 }), /^80000000 entries \(stsz\)$/],
  ['compact sizes', promisingFilm({ tables: [table('stz2', 8, many)] }), /^80000000 entries \(stz2\)$/],
  ...['stts', 'ctts', 'stsc', 'stco', 'co64', 'stss'].map(
    (name) =>
      [
        name,
        promisingFilm({ more: [table(name, many)] }),
        new RegExp(`^80000000 entries \\(${name}\\)$`),
      ] as const,
  ),
  ['samples of a fragment', promisingFilm({ behind: [fragment(many)] }), /^80000000 entries \(trun\)$/],
  ['a header at the end', Buffer.concat([fileType, box('mdat', Buffer.alloc(99)), header]), /stsz/],
  [
    'a header of 64-bit length',
    Buffer.concat([fileType, u32(1), Buffer.from('moov'), u64(header.length + 8), header.subarray(8)]),
    /stsz/,
  ],
  ['a header that a program struck out', Buffer.concat([fileType, box('free', header.subarray(8))]), /stsz/],
  ['a compressed header', Buffer.concat([fileType, box('moov', packed(header))]), /stsz/],
  [
    'a compressed header that is longer than any',
    Buffer.concat([fileType, box('moov', packed(header, 2 ** 31))]),
    /^a compressed header of 2147483648 bytes \(cmov\)$/,
  ],
];

function packed(moov: Buffer, length = moov.length): Buffer {
  return box(
    'cmov',
    box('dcom', Buffer.from('zlib')),
    box('cmvd', u32(length), deflateSync(moov.subarray(8))),
  );
}

for (const [name, film, message] of impossible) {
  test(`${name}: more than the bytes of the file can hold is refused`, () => {
    assert.throws(
      () => promised(film),
      (error: Error) => error instanceof EmptyPromise && message.test(error.message),
    );
  });
}

const edits = (count: number, seconds: number) => Array<number>(count).fill(seconds);
const group = (name: string, ...rest: Buffer[]) => box(name, u32(0), Buffer.from('sync'), ...rest);

/** Measured with FFmpeg 8.1, MiB. */
const memories: readonly (readonly [string, Promising, number])[] = [
  ['samples of one size', { samples: 5e6 }, 172],
  ['an edit keeps them twice', { samples: 5e6, edits: [5000] }, 343],
  ['edits that repeat all of them', { samples: 5000, edits: edits(1000, 5) }, 172],
  ['edits that show a few', { samples: 20_000, edits: edits(1000, 0.1) }, 5],
  [
    'edits that reach back to the only keyframe',
    { samples: 5000, edits: edits(1000, 0.01), more: [table('stss', 1, 1)] },
    172,
  ],
  ['plain sound, many samples to an entry', { samples: 5e8, size: 4, handler: 'soun', codec: 'sowt' }, 17],
  ['fragments', { behind: [fragment(25e5), fragment(25e5)] }, 172],
  ['groups of keyframes', { more: [table('ctts', 1, 2e7, 1), group('sbgp', u32(1), u32(2e7), u32(1))] }, 153],
  ['names of metadata', { inHeader: [box('meta', u32(0), table('hdlr', 0), table('keys', 2e7))] }, 153],
  ['items', { inHeader: [box('iinf', u32(1 << 24), u32(5e6))] }, 38],
  ['places of items', { inHeader: [box('iloc', u32(2 << 24), Buffer.of(0x44, 0), u32(5e6))] }, 38],
  ['initialization vectors', { more: [table('senc', 2e7)] }, 153],
];

for (const [name, promising, expected] of memories) {
  test(`${name}: what FFmpeg will take is known`, () => {
    assert.equal(mebibytes(promised(promisingFilm(promising), large)), expected);
  });
}

test('each fragment is counted for each track', () => {
  const items = table('sidx', 1, 1000, 0, 0, 20_000);
  const tracks = Array.from({ length: 998 }, () => box('trak', box('tkhd')));
  assert.equal(mebibytes(promised(promisingFilm({ inHeader: tracks, behind: [items] }), large)), 1372);
});

test('an ordinary film promises no more than it has', () => {
  const { samples, memory } = promised(promisingFilm({ samples: 200, behind: [Buffer.alloc(200)] }));
  assert.deepEqual([samples, memory], [200, 200 * 36]);
});

test('a file of another kind promises nothing', () => {
  const none = { samples: 0, memory: 0 };
  assert.deepEqual(promised(Buffer.from('\x1aE\xdf\xa3 some Matroska', 'latin1')), none);
  assert.deepEqual(promised(Buffer.alloc(40)), none);
  assert.deepEqual(promised(header.subarray(0, 40)), none);
});
