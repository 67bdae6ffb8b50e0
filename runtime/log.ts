// Structured log lines. A log is handed in, never imported, so that a test can read it and a thread can send
// it on.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
type LogFields = Readonly<Record<string, unknown>>;

export interface LogLine {
  /** Unix milliseconds. */
  readonly time: number;
  readonly level: LogLevel;
  readonly name: string;
  readonly message: string;
  readonly fields: LogFields;
}

export interface Log {
  /** The least level that is written. */
  readonly level: LogLevel;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log with another name. */
  named(name: string): Log;
  /** The same log with these fields in every line: `log.with({ request_id })`. */
  with(fields: LogFields): Log;
}

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
const none: LogFields = Object.freeze({});
const silent = () => {};

interface LogOptions {
  readonly level?: LogLevel;
  readonly now?: () => number;
}

/**
 * `write` receives every line of at least `level`; `now` gives Unix milliseconds. A line below it costs one
 * empty call.
 */
export function createLog(name: string, write: (line: LogLine) => void, options: LogOptions = {}): Log {
  return logOf(name, write, options.level ?? 'debug', options.now ?? Date.now, none);
}

function logOf(
  name: string,
  write: (line: LogLine) => void,
  level: LogLevel,
  now: () => number,
  always: LogFields,
): Log {
  const at = (lineLevel: LogLevel): Log['info'] => {
    if (order.indexOf(lineLevel) < order.indexOf(level)) return silent;
    if (always === none)
      return (message, fields = none) => write({ time: now(), level: lineLevel, name, message, fields });
    return (message, fields) =>
      write({ time: now(), level: lineLevel, name, message, fields: { ...always, ...fields } });
  };
  return {
    level,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    named: (otherName) => logOf(otherName, write, level, now, always),
    with: (fields) => logOf(name, write, level, now, { ...always, ...fields }),
  };
}
