// Writes transcripts as SubRip and WebVTT, with text escaped that players would take for markup.
import type { DocumentRow, TranscriptDocument } from './contract.ts';
import { exactTime } from './rows.ts';

/** Characters of a line; a segment has at most 84. */
const LINE = 42;

export function subripDocument({ rows }: TranscriptDocument): string {
  const cues = rows.filter(isSaid).map((row, i) => {
    const said = row.speaker === null ? row.text : `${row.speaker}: ${row.text}`;
    return `${i + 1}\n${cueTimes(row, ',')}\n${wrapped(said).map(subripLine).join('\n')}\n`;
  });
  return cues.join('\n');
}

export function webvttDocument({ rows }: TranscriptDocument): string {
  const cues = rows.filter(isSaid).map((row) => {
    const voice = row.speaker === null ? '' : `<v ${escapedCue(row.speaker)}>`;
    return `${cueTimes(row, '.')}\n${voice}${wrapped(row.text).map(escapedCue).join('\n')}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
}

function isSaid({ text }: DocumentRow): boolean {
  return text !== '';
}

/** A cue that ends when it begins is never shown. */
export function cueTimes({ start, end }: Pick<DocumentRow, 'start' | 'end'>, point: string): string {
  const shown = Math.max(end, (Math.round(start * 1000) + 1) / 1000);
  return `${exactTime(start, point)} --> ${exactTime(shown, point)}`;
}

const ideographic = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\uff00-\uff60ー]/u;

/** Lines of about the same length. They break at spaces only, so that joining the lines gives the text. */
function wrapped(text: string): string[] {
  if (text.length <= LINE) return [text];
  // A little more than an equal share, so that long words do not make one line more.
  const width = Math.min(LINE, Math.ceil(text.length / Math.ceil(text.length / LINE)) + 5);
  const lines: string[] = [];
  let line = '';
  let before = '';
  for (const word of text.split(' ')) {
    const isBreak = !(ideographic.test(before.slice(-1)) && ideographic.test(word.slice(0, 1)));
    if (line !== '' && isBreak && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
    before = word;
  }
  return [...lines, line];
}

/** Escapes text of WebVTT so that none is read as markup or a timing line. */
export function escapedCue(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * SubRip has no escapes, and most players show entities as they are: so only text that would be taken for a
 * tag, an override, an entity or a timing line is written with entities.
 */
function subripLine(line: string): string {
  const plain = line
    .replace(/&(?=#?\w{1,8};)/g, '&amp;')
    .replace(/<(?=[a-zA-Z/])/g, '&lt;')
    .replace(/\{(?=\\|[a-zA-Z]:)/g, '&#123;')
    .replace(/\\(?=[Nh])/g, '&#92;');
  // Only a line that begins with a number may be taken for times with any arrow.
  return plain.replace(/^\s*[-−]?\d/.test(plain) ? /(?<=[-–—]\s?)>/g : /(?<=-)>/g, '&gt;');
}
