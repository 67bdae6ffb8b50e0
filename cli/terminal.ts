// Text for a terminal: the screen that commands write to, and how bars, names and durations are written on
// it.

export interface Screen {
  write(text: string): void;
  readonly columns: number;
  readonly isTerminal: boolean;
}

/** Output for answers: a terminal, or a pipe or file without colour. */
export interface TerminalOutput {
  readonly columns: number;
  readonly colour: boolean;
}

interface Inks {
  strong(text: string): string;
  quiet(text: string): string;
}

export function inks({ colour }: TerminalOutput): Inks {
  const ink = (code: number) => (text: string) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
  return { strong: ink(1), quiet: ink(2) };
}

export function bar(share: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

/** A file name must not move the cursor: control characters are shown, not sent. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** A word of a command that a person may paste into a shell. */
export function shellWord(text: string): string {
  const shown = printable(text);
  return /^[\p{L}\p{N}_.,:@%+=/][\p{L}\p{N}_.,:@%+=/-]*$/u.test(shown)
    ? shown
    : `'${shown.replaceAll("'", "'\\''")}'`;
}

/** Columns a text takes: wide characters take two, marks none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += mark.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

const mark = /\p{M}|\u200d|\ufe0f/u;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** A line that is too long moves the cursor further than was counted. */
export function fitted(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let [start, width] = ['', 1];
  // A letter with its marks, and a picture made of several, is kept whole or not at all.
  for (const { segment } of letters.segment(text)) {
    width += widthOf(segment);
    if (width > columns) break;
    start += segment;
  }
  return `${start}…`;
}

const letters = new Intl.Segmenter();

/**
 * Lines of a text in one paragraph: broken at spaces, between wide letters, and within a word that is wider
 * than a line. None for a blank text.
 */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let [line, width] = ['', 0];
  for (const { piece, gap } of piecesOf(text)) {
    const before = line === '' ? 0 : gap;
    const pieceWidth = widthOf(piece);
    if (line !== '' && width + before + pieceWidth > columns) {
      lines.push(line);
      [line, width] = [piece, pieceWidth];
    } else [line, width] = [line + ' '.repeat(before) + piece, width + before + pieceWidth];
    while (width > columns) {
      const start = beginning(line, columns);
      lines.push(start);
      line = line.slice(start.length);
      width = widthOf(line);
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** Pieces that stay together in a line, with the number of spaces before each. */
function* piecesOf(text: string): Generator<{ readonly piece: string; readonly gap: number }> {
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (!wide.test(word)) {
      yield { piece: word, gap: 1 };
      continue;
    }
    let [piece, gap] = ['', 1];
    for (const { segment } of letters.segment(word)) {
      // A line breaks beside a wide letter; what closes stays with what is before it.
      if (piece !== '' && (wide.test(segment) || wide.test(piece)) && !closing.test(segment)) {
        yield { piece, gap };
        [piece, gap] = [segment, 0];
      } else piece += segment;
    }
    yield { piece, gap };
  }
}

const closing = /^[\p{Pe}\p{Pf}\p{Po}]/u;

/** The first characters that fit, at least one. */
function beginning(text: string, columns: number): string {
  let [start, width] = ['', 0];
  for (const { segment } of letters.segment(text)) {
    width += widthOf(segment);
    if (start !== '' && width > columns) break;
    start += segment;
  }
  return start;
}

export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Local time, to the minute, of Unix seconds: `2024-05-17 09:05`. */
export function minuteText(seconds: number): string {
  const at = new Date(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function duration(seconds: number): string {
  const s = Math.ceil(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}
