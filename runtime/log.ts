// Structured log lines. A log is handed in, never imported, so that a test can read it and a thread can send it on.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, unknown>>;

export interface LogLine {
  readonly time: number;
  readonly level: LogLevel;
  readonly name: string;
  readonly message: string;
  readonly fields: LogFields;
}

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log with another name. */
  named(name: string): Log;
}

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** `write` receives every line of at least `level`; `now` gives Unix milliseconds. */
export function createLog(
  name: string,
  write: (line: LogLine) => void,
  options: { level?: LogLevel; now?: () => number } = {},
): Log {
  const least = order.indexOf(options.level ?? 'debug');
  const now = options.now ?? Date.now;
  const log = (level: LogLevel, message: string, fields: LogFields = {}) => {
    if (order.indexOf(level) >= least) write({ time: now(), level, name, message, fields });
  };
  return {
    debug: (message, fields) => log('debug', message, fields),
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
    named: (other) => createLog(other, write, options),
  };
}

/** One JSON object a line, errors with their stacks. */
export function formatLine(line: LogLine): string {
  const fields = Object.fromEntries(Object.entries(line.fields).map(([key, value]) => [key, plain(value)]));
  const { time, level, name, message } = line;
  return `${JSON.stringify({ time: new Date(time).toISOString(), level, name, message, ...fields })}\n`;
}

function plain(value: unknown): unknown {
  return value instanceof Error ? { message: value.message, stack: value.stack } : value;
}
