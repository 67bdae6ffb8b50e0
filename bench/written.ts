// Are printed words read in titled films, and does reading only what has changed lose any? Titles over
// recorded footage go through a codec; every frame is read whole, and again with what was read before. Scores
// are of words that are drawn: those on signs are harder.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Appearances } from '../actors/analysis/stages/text/stage.ts';
import { foldWritten } from '../actors/index/written/written-texts.ts';
import { openSession } from '../actors/models/session.ts';
import { shownScore, type TextReading } from '../actors/text-reader/contract.ts';
import { PaddleReader } from '../actors/text-reader/model.ts';
import { readPicture } from '../actors/text-reader/reading.ts';
import { createLog } from '../runtime/log.ts';
import { slipsBetween } from '../runtime/text.ts';
import { askFrames } from '../test/actors/decoder/ask-decoder.ts';
import { sharedPath, skipWithout } from '../test/shared.ts';
import { processorSeconds, type Question, type Row } from './row.ts';
import { writeFilm } from './samples/writer/film.ts';
import { sized } from './size.ts';
import {
  drawTitle,
  height,
  over,
  type Title,
  type TitledFilm,
  titledFilms,
  width,
} from './written/titles.ts';

const footage = ['media/video/bottle-detection.mp4', 'media/video/car-detection.mp4'];
const files = ['ch_PP-OCRv4_det_infer.onnx', 'ch_PP-OCRv4_rec_infer.onnx', 'ppocr_keys_v1.txt'] as const;
const side = 640;
const seconds = sized(60, 6);
const rounds = sized(3, 1);
const shape = { width, height, fit: 'stretch', resample: 'area' } as const;

export const written: Question = async (say, home) => {
  const folder = process.env['FRAMEHOUND_BENCH_TEXT_MODEL'] ?? sharedPath('weights/pp-ocr-v4');
  const missing = skipWithout(...footage) || files.some((name) => !existsSync(join(folder, name)));
  if (missing) {
    say(`needs ${footage.join(', ')} of ../shared and ${files.join(', ')} in ${folder}`);
    return [];
  }
  const [detector, recognizer, dictionary] = files.map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const log = createLog('bench', () => {});
  const session = (file: string | Uint8Array) =>
    openSession(file, { device: 'cpu', threads: 1, log, convolutional: true });
  const reader = await PaddleReader.open({ detector, recognizer, dictionary }, session, async () => {});
  try {
    const sums = new Map<string, Sums>();
    for (let round = 0; round < rounds; round++) {
      for (const film of titledFilms(seconds, round)) {
        say(`${film.kind}, ${round + 1} of ${rounds}`);
        const pictures = await picturesOf(film, home, round);
        const kindSums = sums.get(film.kind) ?? newSums();
        sums.set(film.kind, kindSums);
        await measure(reader, film, pictures, kindSums, say);
      }
    }
    return [...sums]
      .flatMap(([kind, kindSums]) => rowsOf(kind, kindSums))
      .concat(rowsOf('all', joined([...sums.values()])));
  } finally {
    await reader.close();
  }
};

/** The film as it is decoded, one picture a second. */
async function picturesOf(film: TitledFilm, home: string, round: number): Promise<Uint8Array[]> {
  const source = sharedPath(footage[round % footage.length]!);
  const moving = (await askFrames({ path: source, shape })).map(({ rgb }) => rgb);
  const small = { ...shape, width: 320, height: 180 };
  const inset = film.inset ? (await askFrames({ path: source, shape: small })).map(({ rgb }) => rgb) : [];
  const drawn = await Promise.all(film.titles.map(drawTitle));
  const path = join(home, 'film.mp4');
  const draw = (n: number, rgb: Uint8Array) => {
    if (film.footage === 'moving') rgb.set(moving[n % moving.length]!);
    else if (film.footage === 'still') rgb.set(moving[0]!);
    else rgb.fill(film.footage === 'light' ? 235 : 8);
    const corner = inset[n % Math.max(1, inset.length)];
    for (let y = 0; corner && y < 180; y++) {
      rgb.set(corner.subarray(y * 960, (y + 1) * 960), ((500 + y) * width + 920) * 3);
    }
    for (const [i, title] of film.titles.entries()) {
      if (n >= title.from && n < title.to) over(rgb, drawn[i]!, title.x, Math.round(title.y(n)));
    }
  };
  const picture = {
    ...{ width, height, frames: seconds, frameRate: { num: 1, den: 1 }, draw },
    ...{ encoder: 'libx264', options: { crf: '26', g: '12', preset: 'veryfast' } },
  };
  await writeFilm({ path, picture });
  return (await askFrames({ path, shape })).map(({ rgb }) => rgb);
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const results: T[] = [];
  const seconds = await processorSeconds(async () => void results.push(await work()));
  return [results[0]!, seconds];
}

interface Sums {
  frames: number;
  titles: number;
  /** Found in what is kept when every frame is read, and when what has not changed is not. */
  foundAll: number;
  foundGated: number;
  lost: number;
  letters: number;
  right: number;
  words: number;
  wordsFound: number;
  /** Lines scored .9 or better that no title is like. */
  wrong: number;
  allSeconds: number;
  gatedSeconds: number;
  looked: number;
  linesAll: number;
  linesGated: number;
}

function newSums(): Sums {
  return {
    ...{
      frames: 0,
      titles: 0,
      foundAll: 0,
      foundGated: 0,
      lost: 0,
      letters: 0,
      right: 0,
      words: 0,
      wordsFound: 0,
    },
    ...{ wrong: 0, allSeconds: 0, gatedSeconds: 0, looked: 0, linesAll: 0, linesGated: 0 },
  };
}

function joined(all: readonly Sums[]): Sums {
  const sums = newSums();
  for (const part of all) for (const key of Object.keys(sums) as (keyof Sums)[]) sums[key] += part[key];
  return sums;
}

async function measure(
  reader: PaddleReader,
  film: TitledFilm,
  pictures: readonly Uint8Array[],
  sums: Sums,
  say: (text: string) => void,
): Promise<void> {
  const read = async (data: Uint8Array, before: TextReading | null) => {
    const run = <T>(work: (one: PaddleReader) => Promise<T>) => work(reader);
    return readPicture({ data, width, height }, { side, before, checkpoint: async () => {}, run });
  };
  const [all, gated] = [new Appearances(), new Appearances()];
  let before: TextReading | null = null;
  for (const [second, data] of pictures.entries()) {
    const [whole, wholeSeconds] = await timed(() => read(data, null));
    const [now, nowSeconds] = await timed(() => read(data, before));
    const { reading, read: lines } = whole;
    sums.allSeconds += wholeSeconds;
    sums.gatedSeconds += nowSeconds;
    before = now.reading;
    all.add(second, reading.lines);
    gated.add(second, now.reading.lines);
    sums.looked += now.looked;
    sums.linesAll += lines;
    sums.linesGated += now.read;
    sums.frames++;
    const there = film.titles.filter(({ from, to }) => second >= from && second < to);
    const visibleTitles = there.filter((title) => isSeen(title, second));
    compare(visibleTitles, reading, sums);
    sums.wrong += wrongLines(there, reading);
  }
  const [keptAll, keptGated] = [all.finish(), gated.finish()];
  for (const title of film.titles) {
    const isFound = (lines: typeof keptAll) =>
      lines.some(
        ({ text, start, end }) =>
          start < title.to && title.from < end && foldWritten(text).includes(foldWritten(title.text)),
      );
    const [inAll, inGated] = [isFound(keptAll), isFound(keptGated)];
    sums.titles++;
    sums.foundAll += inAll ? 1 : 0;
    sums.foundGated += inGated ? 1 : 0;
    if (inAll && !inGated) {
      sums.lost++;
      say(`lost: ${title.text}`);
    }
  }
}

/** Whole, within the picture. */
function isSeen({ y, size }: Title, second: number): boolean {
  return y(second) >= 0 && y(second) + 2 * size <= height;
}

function compare(titles: readonly Title[], { lines }: TextReading, sums: Sums): void {
  const texts = lines.map(({ text }) => foldWritten(text));
  const together = texts.join('\n');
  for (const { text } of titles) {
    const letters = foldWritten(text);
    const best = Math.min(letters.length, ...texts.map((text) => slipsBetween(letters, text)));
    sums.letters += letters.length;
    sums.right += letters.length - best;
    for (const word of text.split(' ')) {
      sums.words++;
      if (together.includes(foldWritten(word))) sums.wordsFound++;
    }
  }
}

/** Lines scored .9 or better that are neither a title nor a part of one. */
function wrongLines(titles: readonly Title[], { lines }: TextReading): number {
  const wrong = lines.filter(({ text, score }) => {
    if (score < shownScore) return false;
    const ownLetters = foldWritten(text);
    return !titles.some((title) => {
      const letters = foldWritten(title.text);
      return letters.includes(ownLetters) || slipsBetween(letters, ownLetters) <= letters.length / 2;
    });
  });
  return wrong.length;
}

function rowsOf(kind: string, sums: Sums): Row[] {
  const row = (name: string, value: number, unit: string, goal: Row['goal'] = null): Row => {
    return { question: 'written', name: `${kind}: ${name}`, value, unit, against: null, ratio: null, goal };
  };
  const perFrame = (value: number) => value / sums.frames;
  const ms = { name: 'every frame read', value: 1000 * perFrame(sums.allSeconds) };
  return [
    row('letters right', sums.right / sums.letters, ''),
    row('words found as parts of lines', sums.wordsFound / sums.words, ''),
    row('titles found, every frame read', sums.foundAll / sums.titles, ''),
    row('titles found, changes read', sums.foundGated / sums.titles, ''),
    row('titles lost by reading changes alone', sums.lost, '', { of: 'value', at: 'most', than: 0 }),
    row('wrong lines of .9 or better', sums.wrong, `in ${sums.frames} frames`),
    {
      ...row('processor time of a frame', 1000 * perFrame(sums.gatedSeconds), 'ms'),
      against: ms,
      ratio: ms.value / (1000 * perFrame(sums.gatedSeconds)),
    },
    row('part of a frame that is looked at', perFrame(sums.looked), ''),
    row('lines read of those there are', sums.linesGated / Math.max(1, sums.linesAll), ''),
  ];
}
