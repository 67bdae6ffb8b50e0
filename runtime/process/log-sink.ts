// Where formatted lines go: a stream that may be slow. The engine never waits for it, a reader that does not read costs
// a bounded amount of memory, and the end of a process can wait until the last line is out.
import type { Clock } from '../clock.ts';
import { createLog, type Log, type LogLevel, type LogLine } from '../log.ts';
import { formatLine, formatReadable } from './log-line.ts';

/** `auto`: readable on a terminal, JSON elsewhere. */
export type LogFormat = 'auto' | 'json' | 'text';

export interface LineStream {
  write(text: string, done?: (error?: Error | null) => void): boolean;
  /** Characters or bytes that the stream has not passed on. */
  readonly writableLength: number;
  readonly isTTY?: boolean;
}

export interface LogOutput {
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

export interface LogSink {
  write(text: string): void;
  /** Resolves when everything written so far has been passed on, when it cannot be any more, and after a second. */
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
