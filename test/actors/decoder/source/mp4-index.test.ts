import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EmptyPromise, FileBytes, promisedByMp4 } from '../../../../actors/decoder/source/film-memory.ts';
import { box, u32 } from '../footage/heif.ts';
import {
  fileType,
  fragment,
  type Promising,
  promisingFilm,
  promisingHeader,
  table,
} from '../footage/promising-film.ts';

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
  ['samples of a fragment', promisingFilm({ behind: [fragment(many)] }), /^80000000 entries \(trun\)$/],
  ['a header at the end', Buffer.concat([fileType, box('mdat', Buffer.alloc(99)), header]), /stsz/],
  [
    'a header of 64-bit length',
    Buffer.concat([fileType, u32(1), Buffer.from('moov'), u64(header.length + 8), header.subarray(8)]),
    /stsz/,
  ],
];

for (const [name, film, message] of impossible) {
  test(`${name}: more than the bytes of the file can hold is refused`, () => {
    assert.throws(
      () => promised(film),
      (error: Error) => error instanceof EmptyPromise && message.test(error.message),
    );
  });
}

/** Measured with FFmpeg 8.1, MiB. */
const memories: readonly (readonly [string, Promising, number])[] = [
  ['samples of one size', { samples: 5e6 }, 172],
  ['an edit keeps them twice', { samples: 5e6, edits: [5000] }, 343],
  ['plain sound, many samples to an entry', { samples: 5e8, size: 4, handler: 'soun', codec: 'sowt' }, 0],
  ['fragments', { behind: [fragment(25e5), fragment(25e5)] }, 172],
];

for (const [name, promising, expected] of memories) {
  test(`${name}: what FFmpeg will take is known`, () => {
    assert.equal(mebibytes(promised(promisingFilm(promising), large)), expected);
  });
}

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
