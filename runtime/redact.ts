// Makes values fit for a log: plain data of bounded size without secrets. It never throws, because a log line
// is often written where something has already gone wrong.

const REDACTED = '[redacted]';
const MOST_CHARACTERS = 8_192;
const MOST_ENTRIES = 100;
const MOST_DEPTH = 6;

/** A name that says its value is a secret, whatever stands around it. */
const secretPart =
  /license_?key|authorization|password|passwd|passphrase|secret|cookie|api_?key|private_?key|credential/;
/**
 * `token` is also a word of text models: only names that end with it are secret, and `tokens` only when it is
 * no number.
 */
const secretEnd = /token$/;
const secretMany = /tokens$/;

/**
 * A license key issued on this machine, a ticket, the token of a session, the secret of the owner or of a
 * webhook, a link to media.
 */
const issuedKey = /(?:fh[a-z]?_|whsec_)[A-Za-z0-9_+/-]{20,}/g;
/** A secret that a text names: `license_key=…`, `"password": "…"`, `Authorization: Bearer …`. */
const namedSecret =
  /((?:license[_-]?key|authorization|password|passwd|secret|cookie|api[_-]?key|[a-z][_-]token)["']?\s*[:=]\s*["']?(?:bearer\s+|basic\s+)?)(?!\[redacted\]|bearer\s|basic\s)[^\s"'&,;}]+/gi;
/**
 * A password inside an address. The scheme is bounded: otherwise a long text of dashes costs its length
 * squared.
 */
const userInfo = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]*:)[^\s/@]+@/gi;

/** A text without these characters holds no secret; most texts have none. */
const suspicious = /fh[a-z]?_|whsec_|[:=]/;

/** True when a field of this name holds a secret. */
function isSecretName(name: string, value: unknown): boolean {
  const plain = name.toLowerCase().replaceAll('-', '_');
  if (secretPart.test(plain) || secretEnd.test(plain)) return true;
  return secretMany.test(plain) && typeof value !== 'number';
}

/** The text without secrets, cut when it is long. */
export function redactText(text: string): string {
  if (text.length <= MOST_CHARACTERS && !suspicious.test(text)) return text;
  // Read past the cut, so that a key across it is found.
  const read = text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS + 512) : text;
  const clean = read
    .replace(issuedKey, REDACTED)
    .replace(namedSecret, `$1${REDACTED}`)
    .replace(userInfo, `$1${REDACTED}@`);
  if (text.length <= MOST_CHARACTERS) return clean;
  return `${clean.slice(0, MOST_CHARACTERS)}… (${text.length} characters)`;
}

/** Fields as plain JSON data. Doing it twice changes nothing. */
export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return entriesOf(fields, []);
}

function redact(value: unknown, outer: readonly object[]): unknown {
  switch (typeof value) {
    case 'string':
      return redactText(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
    case 'symbol':
      return String(value);
    case 'function':
      return `[function ${value.name}]`;
    case 'object':
      return value === null ? null : redactObject(value, outer);
    default:
      return value;
  }
}

function redactObject(value: object, outer: readonly object[]): unknown {
  if (outer.includes(value)) return '[circular]';
  if (outer.length >= MOST_DEPTH) return '[…]';
  const inner = [...outer, value];
  try {
    if (value instanceof Error) return errorOf(value, inner);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
    if (value instanceof URL || value instanceof RegExp) return redactText(String(value));
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer || ArrayBuffer.isView(value))
      return `[${value.constructor.name} of ${value.byteLength} bytes]`;
    if (value instanceof Map) return entriesOf(Object.fromEntries(value), inner);
    if (Array.isArray(value)) return listOf(value, inner);
    if (value instanceof Set) return listOf([...value], inner);
    return entriesOf(value, inner);
  } catch (error) {
    return `[unreadable: ${error instanceof Error ? redactText(error.message) : 'unknown'}]`;
  }
}

function listOf(values: readonly unknown[], inner: readonly object[]): unknown[] {
  const list = values.slice(0, MOST_ENTRIES).map((value) => redact(value, inner));
  return values.length > MOST_ENTRIES ? [...list, `… ${values.length - MOST_ENTRIES} more`] : list;
}

function entriesOf(value: object, inner: readonly object[]): Record<string, unknown> {
  const names = Object.keys(value);
  const plain: Record<string, unknown> = {};
  for (const name of names.slice(0, MOST_ENTRIES)) {
    const field = fieldOf(value, name);
    if (field === undefined) continue;
    const hidden = field !== null && isSecretName(name, field);
    const shown = hidden ? REDACTED : redact(field, inner);
    // An assignment to this name would be lost.
    if (name === '__proto__') Object.defineProperty(plain, name, { value: shown, enumerable: true });
    else plain[redactText(name)] = shown;
  }
  if (names.length > MOST_ENTRIES) plain['…'] = `${names.length - MOST_ENTRIES} more`;
  return plain;
}

/** One getter that throws takes only its own field with it. */
function fieldOf(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return '[unreadable]';
  }
}

/** The stack opens with name and message; own fields are what the error says beyond them. */
function errorOf(error: Error, inner: readonly object[]): Record<string, unknown> {
  const { name, message, stack, cause, ...fields } = error as Error & Record<string, unknown>;
  const errors = error instanceof AggregateError ? { errors: listOf(error.errors, inner) } : {};
  return {
    name: String(name),
    message: redactText(String(message)),
    ...entriesOf(fields, inner),
    ...errors,
    ...(stack === undefined ? {} : { stack: redactText(String(stack)) }),
    ...(cause === undefined ? {} : { cause: redact(cause, inner) }),
  };
}
