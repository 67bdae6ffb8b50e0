import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { columnsOf, packTranscript } from '../../../../actors/index/store/transcripts.ts';
import { ShardBuilder } from '../../../../actors/index/text/build.ts';
import { fold, foldedByte, foldRows } from '../../../../actors/index/text/fold.ts';
import type { Shard } from '../../../../actors/index/text/shard.ts';
import {
  type LoadedTranscript,
  loadedTranscript,
  overlaps,
  pickOf,
  type RangeBounds,
  type TranscriptScope,
} from '../../../../actors/index/transcripts/loaded.ts';
import { draws } from '../../../shared.ts';
import { mark, segments } from '../transcripts/speech.ts';

const everything: TranscriptScope = { hashes: null, ranges: new Map(), speaker: null };
const builder = new ShardBuilder<LoadedTranscript>();

function shardOf(media: readonly (readonly string[])[], who: readonly (string | null)[] = []) {
  for (const [i, texts] of media.entries()) {
    const columns = columnsOf(packTranscript(`${i}`, mark, segments(texts, who)));
    const names = { A: 'Ann', '': 'Nobody' };
    const folded = foldRows(columns.text, columns.text_ends);
    builder.add({ ...loadedTranscript(columns, { path: `/m/${i}`, version: 0, names }), folded });
  }
  return builder.finish();
}

type Transcripts = Shard<LoadedTranscript>;

function found(
  shard: Transcripts,
  query: string | readonly string[],
  scope = everything,
  most = Number.POSITIVE_INFINITY,
) {
  const rows: string[] = [];
  const needles = [query].flat().map((one) => Buffer.from(fold(one)));
  const pick = (transcript: LoadedTranscript) => pickOf(transcript, scope);
  const total = shard.find(needles, pick, Number.POSITIVE_INFINITY, ({ hash }, row) => {
    if (rows.length < most) rows.push(`${hash}:${row}`);
  });
  return { total, rows };
}

function naive(media: readonly (readonly string[])[], query: string): string[] {
  const wanted = fold(query);
  return media.flatMap((texts, i) =>
    texts.flatMap((text, row) => (fold(text).includes(wanted) ? [`${i}:${row}`] : [])),
  );
}

/** Few letters, of many scripts and many lengths in UTF-8, so that most queries are found somewhere. */
const letters = [
  ...'abAB ı İiIßſſẞsS',
  ...'ςσΣαΆά',
  ...'тТоО',
  ...'東京都ｶカ',
  ...'😀Ａ１éÉe\u0301',
  '\0',
  '\n',
  'K',
  'ﬁ',
  'ŉ',
];
const mixed = fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 });
const anything = fc.oneof(
  mixed,
  mixed,
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const library = fc.array(fc.array(anything, { maxLength: 12 }), { maxLength: 5 });

test('a search finds what looking into every folded text finds, in any script', () => {
  fc.assert(
    fc.property(
      library,
      anything.filter((query) => query !== ''),
      (media, query) => {
        const rows = naive(media, query);
        assert.deepEqual(found(shardOf(media), query), { total: rows.length, rows });
      },
    ),
    { numRuns: draws(300) },
  );
});

test('a part of a text is found by each of its letters and all pieces', () => {
  fc.assert(
    fc.property(library, fc.nat(), fc.nat(), fc.nat(), (media, a, b, c) => {
      const texts = media.flat();
      const letters = [...fold(texts[a % texts.length] ?? '')];
      const from = b % (letters.length || 1);
      const query = letters.slice(from, from + 1 + (c % 6)).join('');
      if (query === '') return;
      const rows = naive(media, query);
      assert.ok(rows.length > 0 || fold(query) !== query);
      assert.deepEqual(found(shardOf(media), query).rows, rows);
    }),
    { numRuns: draws(200) },
  );
});

test('a limit keeps the first and counts all, and a scope leaves out what is outside of it', () => {
  const range = fc
    .tuple(fc.nat(20), fc.nat(20))
    .map(([from, length]): RangeBounds => [from, from + 1 + length]);
  const scopes = fc.record({
    hashes: fc.option(fc.subarray(['0', '1', '2', '3']).map((list) => new Set(list))),
    ranges: fc
      .array(fc.tuple(fc.constantFrom('0', '1', '2'), fc.array(range, { minLength: 1 })))
      .map((list) => new Map<string, RangeBounds[]>(list)),
    speaker: fc.option(fc.constantFrom('ann', 'ANN ', 'A', 'b', 'nobody')),
  });
  const who = ['A', null, 'B', 'A', '', 'B'];
  const isBy = (row: number, speaker: string | null) => {
    const id = who[row] ?? 'none';
    const name = { A: 'ann', B: 'b', '': 'nobody' }[id];
    return speaker === null || [name, id.toLowerCase()].includes(speaker.trim().toLowerCase());
  };
  fc.assert(
    fc.property(
      library,
      mixed.filter((query) => query !== ''),
      scopes,
      fc.nat(5),
      (media, query, scope, most) => {
        const rows = naive(media, query).filter((at) => {
          const [hash, row] = at.split(':') as [string, string];
          const [start, end] = [Number(row) * 2, Number(row) * 2 + 1.5];
          const ranges = scope.ranges.get(hash);
          return (
            (scope.hashes?.has(hash) ?? true) &&
            (ranges?.some((one) => overlaps(start, end, one)) ?? true) &&
            isBy(Number(row), scope.speaker)
          );
        });
        const shard = shardOf(media, who);
        assert.deepEqual(found(shard, query, scope, most), { total: rows.length, rows: rows.slice(0, most) });
      },
    ),
    { numRuns: draws(200) },
  );
});

test('case, width, ligatures, the final sigma and each Turkish i make no difference', () => {
  for (const [text, query] of [
    [' Die Straße ist LANG', 'STRASSE'],
    [' DIE STRASSE', 'straße'],
    [' ΟΔΟΣ και οδός', 'οδος'],
    [' ο Οδυσσέας', 'ΟΔΥΣΣΈΑΣ'],
    [' İSTANBUL', 'istanbul'],
    [' Isparta', 'ısparta'],
    [' ПРИВЕТ, мир', 'привет'],
    [' ＡＢＣ　１２３', 'abc 123'],
    [' ﬁnal oﬃce', 'FINAL OFFICE'],
    [' cafe\u0301', 'CAFÉ'],
    [' 5 \u212a', '5 k'],
    [' ﾃﾚﾋﾞ', 'テレビ'],
    [' two\nlines', 'two lines'],
  ] as const) {
    assert.equal(found(shardOf([[text]]), query).total, 1, `${query} in ${text}`);
  }
  assert.equal(found(shardOf([[' café']]), 'cafe').total, 0);
});

test('folding what is folded changes nothing, and the case of what is folded does not matter', () => {
  // U+0345 is a mark in one case and a letter in the other, and marks have an order among each other.
  const text = anything.filter((one) => !one.normalize('NFKD').includes('\u0345'));
  fc.assert(
    fc.property(text, (one) => {
      const folded = fold(one);
      assert.equal(fold(folded), folded);
      assert.equal(fold(one.toUpperCase()), folded);
      assert.equal(fold(one.toLowerCase()), folded);
      assert.equal(fold(one.normalize('NFD')), folded);
    }),
    { numRuns: draws(300) },
  );
});

test('a shard may have more rows than sixteen bits count', () => {
  const texts = Array.from({ length: 70_000 }, (_, row) => (row % 7000 === 0 ? 'ab' : 'c'));
  const wanted = naive([texts], 'ab');
  assert.equal(wanted.length, 10);
  assert.deepEqual(found(shardOf([texts]), 'ab').rows, wanted);
  assert.deepEqual(found(shardOf([['ab']]), 'ab').rows, ['0:0']);
});

test('rows are folded as each text by itself, whichever way is taken', () => {
  fc.assert(
    fc.property(fc.array(anything), (texts) => {
      const { text, text_ends } = columnsOf(packTranscript('aa', mark, segments(texts)));
      const { bytes, ends } = foldRows(text, text_ends);
      const folded = Buffer.from(bytes.map((byte) => foldedByte[byte]!));
      const rows = texts.map((_, i) => folded.toString('utf8', i === 0 ? 0 : ends[i - 1], ends[i]));
      assert.deepEqual(rows, texts.map(fold));
    }),
    { numRuns: draws(300) },
  );
});

test('every character that is folded by itself is folded so beside any other', () => {
  const chars = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter((char) =>
    char.isWellFormed(),
  );
  const texts = chars.flatMap((char) => [char, `а${char}`, `${char}é`]);
  const { text, text_ends } = columnsOf(packTranscript('aa', mark, segments(texts)));
  const { bytes, ends } = foldRows(text, text_ends);
  const folded = Buffer.from(bytes.map((byte) => foldedByte[byte]!));
  const wrong = texts.filter(
    (one, i) => fold(one) !== folded.toString('utf8', i === 0 ? 0 : ends[i - 1], ends[i]),
  );
  assert.deepEqual(wrong, []);
});

test('rows that hold several words hold each of them, and no more are looked at than are wanted', () => {
  fc.assert(
    fc.property(
      library,
      fc.array(fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 4 }), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.integer({ min: 1, max: 4 }),
      (media, words, most) => {
        const queries = words.filter((word) => fold(word) !== '');
        fc.pre(queries.length > 0);
        const shard = shardOf(media);
        const all = queries.map((query) => new Set(naive(media, query)));
        const both = [...all[0]!].filter((row) => all.every((rows) => rows.has(row)));
        assert.deepEqual(found(shard, queries).rows, both);
        let looked = 0;
        const needles = queries.map((query) => Buffer.from(fold(query)));
        const pick = () => true;
        assert.equal(
          shard.find(needles, pick, most, () => looked++),
          Math.min(most, both.length),
        );
        assert.equal(looked, Math.min(most, both.length));
      },
    ),
  );
});
