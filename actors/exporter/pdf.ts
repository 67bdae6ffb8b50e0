// Writes transcripts as PDF: a table over as many pages as it needs, its head on each, with subsets of the
// fonts embedded. Runs in a thread of its own; the document is held in memory until it is complete.

import createBidi from 'bidi-js';
import PDFDocument from 'pdfkit';
import { clockTime } from '../decoder/contract.ts';
import type { DocumentRow, Rendered, TranscriptDocument } from './contract.ts';
import { isRightToLeft } from './direction.ts';
import { bundled, bundledBold, type FontFaces, facesFor, fontFolders, missingWarning } from './fonts.ts';
import { withSilence } from './rows.ts';

/** Points. */
const page = { width: 595.28, height: 841.89, margin: 48, gap: 12 };
const sizes = { title: 15, head: 8.5, time: 7.5, text: 9.5, foot: 7.5 };
const LINE = 13;
const PADDING = 4;
const ink = { text: '#111111', soft: '#6b6b6b', line: '#d5d5d5' } as const;
/** Rows of more lines may be split between pages. */
const TOGETHER = 5;

interface Style {
  readonly size: number;
  readonly colour: string;
  readonly bold?: boolean;
}

interface Cell {
  readonly lines: readonly string[];
  readonly style: Style;
  readonly rtl: boolean;
}

export async function pdfDocument(transcript: TranscriptDocument): Promise<Rendered> {
  const faces = facesFor(charactersOf(transcript), fontFolders(process.env, process.platform));
  const pages = new Pages(transcript, faces);
  pages.write();
  return { bytes: await pages.end(), warning: missingWarning(faces.missing) };
}

/** Characters that are never drawn. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

function charactersOf({ title, note = '', rows }: TranscriptDocument): Set<string> {
  const characters = new Set<string>();
  for (const text of [title, note, ...rows.flatMap(({ text, speaker }) => [text, speaker ?? ''])]) {
    for (const character of text.replace(invisible, '')) characters.add(character);
  }
  characters.delete(' ');
  return characters;
}

class Pages {
  readonly #doc: PDFKit.PDFDocument;
  readonly #rows: readonly DocumentRow[];
  readonly #title: string;
  readonly #note: string;
  readonly #faces: FontFaces;
  readonly #columns: readonly { readonly x: number; readonly width: number; readonly head: string }[];
  readonly #widths = new Map<string, number>();
  readonly #bytes: Promise<Uint8Array>;
  #y = 0;

  constructor({ title, note = '', rows, createdMs }: TranscriptDocument, faces: FontFaces) {
    this.#doc = new PDFDocument({
      size: [page.width, page.height],
      margin: 0,
      // The page count is on each page, so all pages are buffered.
      bufferPages: true,
      autoFirstPage: false,
      font: bundled,
      info: { Title: title, Creator: 'framehound', CreationDate: new Date(createdMs) },
    });
    const chunks: Buffer[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.#doc.on('data', (chunk: Buffer) => chunks.push(chunk));
    this.#doc.on('end', () => resolve(Buffer.concat(chunks)));
    this.#doc.on('error', reject);
    this.#bytes = promise;
    faces.faces.slice(1).forEach(({ path, name }, i) => {
      this.#doc.registerFont(`face-${i + 1}`, path, ...(name === null ? [] : [name]));
    });
    this.#title = title.replace(invisible, '');
    this.#note = note;
    this.#rows = withSilence(rows);
    this.#faces = faces;
    this.#columns = this.#measuredColumns();
  }

  write(): void {
    this.#newPage();
    if (this.#rows.length === 0) {
      const style = { size: sizes.text, colour: ink.soft };
      this.#draw('No speech.', this.#columns[0]!.x, this.#y + LINE, style);
    }
    for (const row of this.#rows) this.#row(row);
  }

  async end(): Promise<Uint8Array> {
    const { count } = this.#doc.bufferedPageRange();
    const style = { size: sizes.foot, colour: ink.soft };
    for (let i = 0; i < count; i++) {
      this.#doc.switchToPage(i);
      const text = `${i + 1} / ${count}`;
      const x = (page.width - this.#measure(text, style)) / 2;
      this.#draw(text, x, page.height - page.margin / 2, style);
    }
    this.#doc.end();
    return await this.#bytes;
  }

  #measuredColumns() {
    const widest = (texts: Iterable<string>, style: Style) => {
      let width = 0;
      for (const text of texts) width = Math.max(width, this.#measure(text, style));
      return width;
    };
    const last = this.#rows.reduce((end, row) => Math.max(end, row.end), 0);
    const time = widest([`${clockTime(last)} – ${clockTime(last)}`], { size: sizes.time, colour: '' });
    const names = new Set(this.#rows.flatMap(({ speaker }) => speaker ?? []));
    const speaker = Math.min(110, widest([...names, 'Speaker'], { size: sizes.text, colour: '' }));
    const heads = names.size > 0 ? ['Time', 'Speaker', 'Text'] : ['Time', 'Text'];
    const fixed = names.size > 0 ? [time, speaker] : [time];
    let x = page.margin;
    return heads.map((head, i) => {
      const column = { x, width: fixed[i] ?? page.width - page.margin - x, head };
      x += column.width + page.gap;
      return column;
    });
  }

  #newPage(): void {
    const isFirst = this.#doc.bufferedPageRange().count === 0;
    this.#doc.addPage();
    this.#y = page.margin;
    const style: Style = { size: isFirst ? sizes.title : sizes.foot, colour: isFirst ? ink.text : ink.soft };
    const width = page.width - 2 * page.margin;
    const lines = wrap(this.#title, width, (text) => this.#measure(text, style));
    const shown = isFirst ? lines.slice(0, 4) : lines.slice(0, 1);
    for (const line of shown) {
      this.#y += style.size * 1.3;
      this.#line(line, page.margin, width, style, isRightToLeft(this.#title));
    }
    if (isFirst && this.#note !== '') {
      const soft = { size: sizes.text, colour: ink.soft };
      this.#y += soft.size * 1.5;
      this.#line(this.#note, page.margin, width, soft, false);
    }
    this.#y += 10;
    const head = { size: sizes.head, colour: ink.text, bold: true };
    for (const column of this.#columns) this.#draw(column.head, column.x, this.#y + sizes.head, head);
    this.#y += sizes.head + 6;
    this.#rule(ink.soft);
  }

  #row(row: DocumentRow): void {
    const cells = this.#cells(row);
    const count = Math.max(...cells.map(({ lines }) => lines.length));
    const needed = 2 * PADDING + LINE * Math.min(count, TOGETHER);
    if (this.#y + needed > page.height - page.margin) this.#newPage();
    this.#y += PADDING;
    for (let i = 0; i < count; i++) {
      if (this.#y + LINE > page.height - page.margin) this.#newPage();
      this.#y += LINE;
      cells.forEach(({ lines, style, rtl }, at) => {
        const { x, width } = this.#columns[at]!;
        if (lines[i] !== undefined) this.#line(lines[i]!, x, width, style, rtl);
      });
    }
    this.#y += PADDING;
    this.#rule(ink.line);
  }

  #cells({ kind, start, end, speaker, text }: DocumentRow): Cell[] {
    const cell = (content: string, size: number, colour: string): Cell => {
      const style = { size, colour };
      const { width } = this.#columns[cells.length]!;
      const plain = content.replace(invisible, '');
      return {
        lines: wrap(plain, width, (part) => this.#measure(part, style)),
        style,
        rtl: isRightToLeft(plain),
      };
    };
    const cells: Cell[] = [];
    cells.push(cell(`${clockTime(start)} – ${clockTime(end)}`, sizes.time, ink.soft));
    if (this.#columns.length === 3) cells.push(cell(speaker ?? '', sizes.text, ink.soft));
    cells.push(
      kind === 'silence' ? cell('(silence)', sizes.time, ink.soft) : cell(text, sizes.text, ink.text),
    );
    return cells;
  }

  /** One line of a column at the current position; aligned to the right where it is read from there. */
  #line(line: string, x: number, width: number, style: Style, rtl: boolean): void {
    const from = rtl ? x + width - this.#measure(line, style) : x;
    this.#draw(line, from, this.#y - 3, style);
  }

  #draw(line: string, x: number, y: number, style: Style): void {
    this.#doc.fontSize(style.size).fillColor(style.colour);
    let at = x;
    for (const run of visualRuns(line)) {
      for (const { text, font } of this.#byFont(run, style)) {
        this.#doc.font(font);
        if (text.trim() !== '') this.#doc.text(text, at, y, { lineBreak: false, baseline: 'alphabetic' });
        at += this.#width(text, font, style.size);
      }
    }
  }

  /** Parts of a run by the font that has their characters, from left to right. */
  #byFont({ text, rtl }: TextRun, style: Style): { text: string; font: string }[] {
    const parts: { text: string; font: string }[] = [];
    for (const character of text) {
      const face = this.#faces.of(character);
      // The bundled fonts are named by their path, under which pdfkit has them open; another name would read
      // the file again.
      const font = face > 0 ? `face-${face}` : style.bold ? bundledBold : bundled;
      const last = parts.at(-1);
      // Spaces and combining marks stay with the character before.
      if (last && (last.font === font || /[\s\p{M}]/u.test(character))) last.text += character;
      else parts.push({ text: character, font });
    }
    return rtl ? parts.reverse() : parts;
  }

  #measure(text: string, style: Style): number {
    const parts = this.#byFont({ text, rtl: false }, style);
    return parts.reduce((sum, part) => sum + this.#width(part.text, part.font, style.size), 0);
  }

  #width(text: string, font: string, size: number): number {
    const key = `${font} ${size} ${text}`;
    const cached = this.#widths.get(key);
    if (cached !== undefined) return cached;
    const width = this.#doc.font(font).fontSize(size).widthOfString(text);
    // A cache for repeated words, with a limit for long texts.
    if (this.#widths.size > 200_000) this.#widths.clear();
    this.#widths.set(key, width);
    return width;
  }

  #rule(colour: string): void {
    this.#doc.moveTo(page.margin, this.#y).lineTo(page.width - page.margin, this.#y);
    this.#doc.lineWidth(0.5).strokeColor(colour).stroke();
  }
}

// Breaks a text into lines of a width, and orders a line's runs from left to right as they are drawn.

const bidi = createBidi();
const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Scripts without spaces between words. */
const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3000-\u303f\uff00-\uffef]/u;

/**
 * Lines of at most `width`, as `measure` measures them. A longer word is broken between grapheme clusters.
 */
export function wrap(text: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  const put = (piece: string, size: number) => {
    if (line !== '' && used + size > width) {
      lines.push(line);
      line = '';
      used = 0;
    }
    const plain = line === '' ? piece.trimStart() : piece;
    line += plain;
    used += plain === piece ? size : measure(plain);
  };
  for (const piece of pieces(text)) {
    const size = measure(piece);
    if (measure(piece.trim()) <= width) put(piece, size);
    else for (const { segment } of characters.segment(piece)) put(segment, measure(segment));
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines.map((line) => line.trimEnd());
}

/** Unbreakable parts, each with the spaces before it. */
function* pieces(text: string): Generator<string> {
  for (const [chunk] of text.matchAll(/\s*\S+/g)) {
    if (!unspaced.test(chunk)) yield chunk;
    else yield* unspacedWords(chunk);
  }
}

/**
 * Words of a script without spaces; closing punctuation stays with the word before, opening with the one
 * after.
 */
function* unspacedWords(chunk: string): Generator<string> {
  let pending = '';
  for (const { segment, isWordLike } of words.segment(chunk)) {
    const opens = /^[\s\p{Ps}\p{Pi}]+$/u.test(segment);
    const closes = !isWordLike && !opens;
    if (pending !== '' && !closes && !/^[\s\p{Ps}\p{Pi}]+$/u.test(pending)) {
      yield pending;
      pending = '';
    }
    pending += segment;
  }
  if (pending !== '') yield pending;
}

export interface TextRun {
  /** In logical order; it is reversed when it is shaped. */
  readonly text: string;
  readonly rtl: boolean;
}

/** Runs of one direction in visual order; those from right to left word by word. */
export function visualRuns(line: string): TextRun[] {
  if (!/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(line)) {
    return [{ text: line, rtl: false }];
  }
  const { levels } = bidi.getEmbeddingLevels(line, isRightToLeft(line) ? 'rtl' : 'ltr');
  const runs: { text: string; level: number }[] = [];
  let at = 0;
  // A run for each word, so that words from right to left can be reordered.
  for (const part of line.match(/\s+|\S+/g) ?? []) {
    const before = runs.length;
    for (const character of part) {
      const level = levels[at]!;
      const last = runs.length > before ? runs.at(-1) : undefined;
      if (last?.level === level) last.text += character;
      else runs.push({ text: character, level });
      at += character.length;
    }
  }
  return reordered(runs).map(({ text, level }) => {
    const rtl = level % 2 === 1;
    return { text: rtl ? mirrored(text) : text, rtl };
  });
}

/** Rule L2 of UAX 9, on runs: from the highest level down, runs at that level or above are reversed. */
function reordered<T extends { readonly level: number }>(runs: readonly T[]): T[] {
  const order = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < order.length; from++) {
      if (order[from]!.level < level) continue;
      let to = from;
      while (to < order.length && order[to]!.level >= level) to++;
      order.splice(from, to - from, ...order.slice(from, to).reverse());
      from = to - 1;
    }
  }
  return order;
}

/**
 * Brackets are mirrored. Runs of punctuation alone are reversed here, since shaping does not reverse them.
 */
function mirrored(text: string): string {
  const swapped = [...text].map((character) => bidi.getMirroredCharacter(character) ?? character);
  return /\p{L}/u.test(text) ? swapped.join('') : swapped.reverse().join('');
}
