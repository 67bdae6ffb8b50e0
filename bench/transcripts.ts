import type { MediaRecord } from '../actors/index/store/contract.ts';
import { Store } from '../actors/index/store/store.ts';
import { columnsOf, packTranscript } from '../actors/index/store/transcripts.ts';
import { ShardBuilder } from '../actors/index/text/build.ts';
import { phrasesOf, spokenForm } from '../actors/index/text/spoken.ts';
import type { TranscriptMark, TranscriptSegment } from '../actors/index/transcripts/contract.ts';
import { type LoadedTranscripts, loadedTranscript, textOf } from '../actors/index/transcripts/loaded.ts';
import { TranscriptIndex } from '../actors/index/transcripts/transcript-index.ts';
import { createLog } from '../runtime/log.ts';
import { median, type Question, type Row } from './row.ts';
import { sized } from './size.ts';
import { seeded as around } from './vectors.ts';

/** From 0 up to 1. */
function seeded(seed: number): () => number {
  const next = around(seed);
  return () => next() + 0.5;
}

const media = sized(1000, 10);
const perMedia = sized(1000, 100);
const segments = media * perMedia;

const frequent =
  'the of and to a in is it you that he was for on are with as I his they be at one have this from or had by not but what all were we when your can said there use an each which she do how their if will up other about out many then them these so some her would make like him into time has look two more write go see number no way could people my than first water been call who oil its now find long down day did get come made may part';

/** Latin ones, or the same in Cyrillic letters. */
function wordMaker(random: () => number, cyrillic: boolean): () => string {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  const syllables =
    'an er in on re st en at or ti al ar it es is le ic ra ou ne ve ma li co de ro la ta ri di'.split(' ');
  const syntheticWords = Array.from({ length: 30_000 }, () =>
    Array.from(
      { length: 2 + Math.floor(random() * 3) },
      () => pick('bcdfghklmnprstvw'.split('')) + pick(syllables),
    ).join(''),
  );
  const usual = frequent.split(' ');
  const letter = (char: string) => String.fromCharCode(0x430 + (char.toLowerCase().charCodeAt(0) - 97));
  const inScript = (word: string) => (cyrillic ? word.replace(/[a-z]/gi, letter) : word);
  // The second of a list is half as frequent as the first, and so on.
  const ranked = (list: readonly string[]) => list[Math.floor(list.length ** random()) - 1]!;
  return () => inScript(random() < 0.5 ? ranked(usual) : ranked(syntheticWords));
}

function said(word: () => string, count: number): TranscriptSegment[] {
  return Array.from({ length: count }, (_, i) => {
    let text = '';
    while (text.length < 70) text += ` ${word()}`;
    return { start_seconds: i * 3, end_seconds: i * 3 + 2.5, text: `${text}.`, speaker: `SPEAKER_0${i % 3}` };
  });
}

const mark: TranscriptMark = {
  model_key: 'bench',
  language: 'en',
  spoken: 'en',
  channels: null,
  detect_speakers: true,
  speaker_count: 'auto',
};

function record(i: number): MediaRecord {
  const identity = { hash_str: (i + 0x1000).toString(16), size_bytes: 1, mtime_ms: 1, inode: '1' };
  // Nothing here looks into the probe.
  return { path: `/footage/${i}.mp4`, identity, probe: {} as MediaRecord['probe'] };
}

interface Loading {
  readonly loaded: LoadedTranscripts;
  readonly seconds: number;
  /** Milliseconds a search may have to wait. */
  readonly longest: number;
}

function load(store: Store): Loading {
  const index = new TranscriptIndex(createLog('bench', () => {}));
  const start = performance.now();
  let longest = 0;
  for (let next: number | null = null; ; ) {
    const from = performance.now();
    const { done, load } = index.load(store, next);
    next = load;
    longest = Math.max(longest, performance.now() - from);
    if (done) break;
  }
  return { loaded: index.of(store), seconds: (performance.now() - start) / 1000, longest };
}

const everything = { hashes: null, ranges: new Map(), speaker: null };

/** `counted`: as the index counts, or all. */
function search(loaded: LoadedTranscripts, query: string, counted = 1000): number {
  return loaded.find(phrasesOf(query), everything, 50, counted, () => {}).total;
}

function naive(folded: readonly string[], query: string): number {
  const target = spokenForm(query);
  let total = 0;
  for (const text of folded) if (text.includes(target)) total++;
  return total;
}

/** Milliseconds of processor time this process took so far: other programs on the machine do not count. */
function worked(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function timed(rounds: number, run: () => unknown, clock: () => number = () => performance.now()): number {
  run();
  const times = Array.from({ length: rounds }, () => {
    const start = clock();
    run();
    return clock() - start;
  });
  return median(times);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** Segments a second of making the lists, packed transcripts given. */
function buildRate(word: () => string): number {
  const packed = Array.from({ length: 100 }, (_, i) => packTranscript(`${i}`, mark, said(word, perMedia)));
  const builder = new ShardBuilder();
  const ms = timed(
    5,
    () => {
      for (const [i, row] of packed.entries()) {
        builder.add(loadedTranscript(columnsOf(row), { path: `${i}`, version: 0, names: {} }));
        if (builder.rows >= 1 << 15) builder.finish();
      }
      builder.finish();
    },
    worked,
  );
  return (packed.length * perMedia * 1000) / ms;
}

const row = (name: string, value: number, unit: string, more: Partial<Row> = {}): Row => ({
  question: 'transcripts',
  name,
  value,
  unit,
  against: null,
  ratio: null,
  goal: null,
  ...more,
});

function searchRows(loaded: LoadedTranscripts, folded: readonly string[]): Row[] {
  const kinds: [name: string, query: string, rounds: number][] = [
    ['rare words', folded[segments >> 1]!.slice(0, 24), 15],
    ['a frequent word', ' water', 15],
    ['a part of many words', 'ther', 9],
    ['two frequent words', 'of the', 9],
    ['the most frequent word', 'the', 9],
    ['one letter', 'e', 5],
    ['nothing there', 'zzxqj', 15],
  ];
  return kinds.map(([name, query, rounds]) => {
    const matchCount = search(loaded, query, Number.POSITIVE_INFINITY);
    if (matchCount !== naive(folded, query)) throw new Error(`${query}: ${matchCount} found`);
    const ownTime = timed(rounds, () => search(loaded, query));
    const peer = timed(3, () => naive(folded, query));
    const against = { name: 'includes', value: peer };
    return row(`${name}, ${matchCount.toLocaleString('en-US')} found`, ownTime, 'ms', {
      against,
      ratio: peer / ownTime,
    });
  });
}

/** Words as they stand in the texts, one to three of them, as often as they do. */
function mixRows(loaded: LoadedTranscripts, folded: readonly string[]): Row[] {
  const random = seeded(5);
  const queries = Array.from({ length: 500 }, () => {
    const words = folded[Math.floor(random() * folded.length)]!.trim().split(' ');
    const from = Math.floor(random() * words.length);
    return words.slice(from, from + 1 + Math.floor(random() * 3)).join(' ');
  });
  for (const query of queries.slice(0, 50)) search(loaded, query);
  const times = queries.map((query) => {
    const start = worked();
    search(loaded, query);
    return worked() - start;
  });
  times.sort((a, b) => a - b);
  return [
    row('search for 1-3 words of the texts, processor time, p50', at(times, 0.5), 'ms', {
      goal: { of: 'value', at: 'most', than: 2 },
    }),
    row('search for 1-3 words of the texts, processor time, p99', at(times, 0.99), 'ms', {
      goal: { of: 'value', at: 'most', than: 70 },
    }),
  ];
}

export const transcripts: Question = async (say, folder) => {
  const store = new Store(folder);
  try {
    const word = wordMaker(seeded(1), false);
    say('making lists');
    const rates = [buildRate(word), buildRate(wordMaker(seeded(2), true))] as const;
    say(`storing ${segments.toLocaleString('en-US')} segments`);
    for (let i = 0; i < media; i++) store.transcripts.store(record(i), mark, said(word, perMedia));
    say('loading');
    const { loaded, seconds, longest } = load(store);
    say('searching');
    const folded = loaded.hashes().flatMap((hash) => {
      const { columns } = loaded.get(hash)!;
      return Array.from(columns.text_ends, (_, i) => spokenForm(textOf(columns, i)));
    });
    const characters = folded.reduce((sum, text) => sum + text.length, 0);
    const least = { of: 'value', at: 'least', than: 500_000 } as const;
    return [
      ...mixRows(loaded, folded),
      ...searchRows(loaded, folded),
      row('making the index, Latin, processor time', rates[0], 'segments/s', { goal: least }),
      row('making the index, Cyrillic, processor time', rates[1], 'segments/s', { goal: least }),
      row('loading from the store', segments / seconds, 'segments/s'),
      row('longest wait of a search while loading', longest, 'ms'),
      row('memory of a million segments', loaded.bytes / 1e6, 'MB', {
        against: { name: 'their text', value: characters / 1e6 },
      }),
    ];
  } finally {
    await store.close();
  }
};
