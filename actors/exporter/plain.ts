// Writes transcripts as plain text and as CSV.
import { clockTime } from '../decoder/contract.ts';
import type { TranscriptDocument } from './contract.ts';
import { exactTime, withSilence } from './rows.ts';

export function textDocument({ title, note, rows }: TranscriptDocument): string {
  const lines = withSilence(rows).map(({ kind, start, end, speaker, text }) => {
    const time = `[${clockTime(start)} - ${clockTime(end)}]`;
    if (kind === 'silence') return `${time} (silence)`;
    return `${time} ${speaker === null ? '' : `${speaker}: `}${text}`.trimEnd();
  });
  const head = note === undefined ? [title] : [title, note];
  return `${[...head, '', ...lines].join('\n')}\n`;
}

const columns = ['start', 'end', 'start_seconds', 'end_seconds', 'speaker', 'text'];

/** RFC 4180. Spreadsheets recognise UTF-8 by the byte order mark. */
export function csvDocument({ rows }: TranscriptDocument): string {
  const lines = withSilence(rows).map(({ kind, start, end, speaker, text }) => [
    exactTime(start),
    exactTime(end),
    seconds(start),
    seconds(end),
    cell(speaker ?? ''),
    kind === 'silence' ? '(silence)' : cell(text),
  ]);
  return `\ufeff${[columns, ...lines].map((line) => `${line.join(',')}\r\n`).join('')}`;
}

function seconds(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/**
 * Spreadsheets evaluate cells that begin like a formula, even in quotes; an apostrophe before it makes it
 * text (https://owasp.org/www-community/attacks/CSV_Injection).
 */
function cell(text: string): string {
  const safe = /^[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
