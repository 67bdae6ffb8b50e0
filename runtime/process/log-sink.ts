// Where formatted lines go: a stream that may be slow. The engine never waits for it, a reader that does not
// read costs a bounded amount of memory, and the end of a process can wait until the last line is out.
import type { Clock } from '../clock.ts';
import { createLog, type Log, type LogLevel, type LogLine } from '../log.ts';
import { redactFields, redactText } from '../redact.ts';

/** `auto`: readable on a terminal, JSON elsewhere. */
export type LogFormat = 'auto' | 'json' | 'text';

export interface LineStream {
  write(text: string, done?: (error?: Error | null) => void): boolean;
  /** Characters or bytes that the stream has not passed on. */
  readonly writableLength: number;
  readonly isTTY?: boolean;
}

interface LogOutput {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Colours where a person reads. */
  readonly colour: boolean;
  readonly clock: Clock;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export function openLog(
  name: string,
  stream: LineStream,
  output: LogOutput,
): { log: Log; flush(): Promise<void> } {
  const { level, format, clock } = output;
  const terminal = stream.isTTY ?? false;
  const readable = format === 'text' || (format === 'auto' && terminal);
  const text: (line: LogLine) => string = readable
    ? (line) => formatReadable(line, output.colour && terminal)
    : formatLine;
  const now = output.now ?? Date.now;
  const sink = createLogSink(stream, clock, (lines) =>
    text({ time: now(), level: 'warn', name, message: 'log lines were lost', fields: { lines } }),
  );
  return { log: createLog(name, (line) => sink.write(text(line)), { level, now }), flush: sink.flush };
}

interface LogSink {
  write(text: string): void;
  /**
   * Resolves when everything written so far has been passed on, when it cannot be any more, and after a
   * second.
   */
  flush(): Promise<void>;
}

const FLUSH_MS = 1_000;

/** `mostWaiting`: characters that may wait; a line beyond them is dropped, counted and reported later. */
export function createLogSink(
  stream: LineStream,
  clock: Clock,
  lostLine: (lines: number) => string,
  mostWaiting = 4 * 1024 * 1024,
): LogSink {
  let lost = 0;
  const reportLost = (): void => {
    if (lost > 0) stream.write(lostLine(lost));
    lost = 0;
  };
  return {
    write: (text) => {
      if (stream.writableLength > mostWaiting) lost++;
      else {
        reportLost();
        stream.write(text);
      }
    },
    // An empty write completes after all writes before it; its failure means that nobody reads any more.
    flush: () =>
      new Promise((resolve) => {
        reportLost();
        const cancel = clock.after(FLUSH_MS, resolve);
        stream.write('', () => {
          cancel();
          resolve();
        });
      }),
  };
}

// A log line as text: one JSON object for programs, or one that a person reads on a terminal. Every line
// passes here, so this is where secrets are taken out and where nothing that moves a cursor gets through.

/** Control characters, line separators, halves of characters, and marks that turn the direction of a text. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

const plainText = /^[ -~]*$/;

/** One JSON object a line. A field that is called as the head of a line is called keeps an underscore. */
export function formatLine(line: LogLine): string {
  const { time, level, name, message } = line;
  const head = { time: new Date(time).toISOString(), level, name, message: redactText(message) };
  const fields = Object.entries(redactFields(line.fields)).map(([key, value]) =>
    key in head ? [`${key}_`, value] : [key, value],
  );
  const text = JSON.stringify({ ...head, ...Object.fromEntries(fields) });
  return `${printable(text)}\n`;
}

const colours: Readonly<Record<LogLevel, string>> = { debug: '90', info: '36', warn: '33', error: '31' };

/** `13:42:07.123 WARN  decoder  message key=value`, in local time; the stacks of errors follow, indented. */
export function formatReadable(line: LogLine, colour: boolean): string {
  const { level, name } = line;
  const paint = (code: string, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const stacks: string[] = [];
  const fields = Object.entries(redactFields(line.fields)).map(([key, value]) => {
    const stack = stackOf(value);
    if (stack !== undefined) stacks.push(...stack);
    const shown = stack === undefined ? value : (value as { message: unknown }).message;
    return ` ${paint('90', `${printable(key)}=`)}${printable(valueText(shown))}`;
  });
  const head = [
    paint('90', clockTime(line.time)),
    paint(colours[level], level.toUpperCase().padEnd(5)),
    paint('1', printable(name)),
    printable(redactText(line.message)),
  ];
  return [`${head.join(' ')}${fields.join('')}`, ...stacks.map((text) => `    ${printable(text)}`), ''].join(
    '\n',
  );
}

/** The lines of an error's stack and of what caused it; undefined for anything else. */
function stackOf(value: unknown): string[] | undefined {
  const { stack, message, cause } = (value ?? {}) as Record<string, unknown>;
  if (typeof stack !== 'string' || typeof message !== 'string') return undefined;
  const lines = stack.split('\n').map((text) => text.trim());
  const [first = '', ...causeLines] = stackOf(cause) ?? (cause === undefined ? [] : [valueText(cause)]);
  return [...lines, ...(first === '' ? [] : [`caused by: ${first}`]), ...causeLines];
}

/** Words stand as they are; what could be taken for several is quoted. */
function valueText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function printable(text: string): string {
  return plainText.test(text) ? text : text.replace(unprintable, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function clockTime(time: number): string {
  const at = new Date(time);
  const [hours, minutes, seconds] = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${hours}:${minutes}:${seconds}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
