// A log line as text: one JSON object for programs, or one that a person reads on a terminal. Every line passes here, so
// this is where secrets are taken out and where nothing that moves a cursor gets through.
import type { LogLevel, LogLine } from '../log.ts';
import { redactFields, redactText } from '../redact.ts';

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
  const own = stack.split('\n').map((text) => text.trim());
  const [first = '', ...rest] = stackOf(cause) ?? (cause === undefined ? [] : [valueText(cause)]);
  return [...own, ...(first === '' ? [] : [`caused by: ${first}`]), ...rest];
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
