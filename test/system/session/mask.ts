// Takes out of answers what differs from run to run and from machine to machine, and leaves its place and its
// form: folders, ids, times, sizes of encoded files, pictures. Whatever is named once has the same name in
// all answers.

import { programVersion } from '../../../runtime/process/program.ts';

/** Fields whose values are measured, by name. */
const measured =
  /^(elapsed_seconds|estimated_remaining_seconds|.*_per_second|last_poll_time|analyze_rate|size_bytes|bytes|.*_bytes|disk_free|paused_until)$/;
/** Fields that hold scores, which differ by a little between processors. */
const scored = /^(similarity|runner_up|values|peaks|background|best)$/;
/** Of summaries, of tasks and the like, of contents, of secrets; the longer ones hold shorter ones. */
const ids = [
  /\bs1\.[0-9a-f-]+\.[0-9a-f]{24}\.[0-9a-f]{8}\b/g,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
  /\b[0-9a-f]{8}(?:[0-9a-f]{16})?-[0-9a-f]{1,12}(?:-\d)?\b/g,
  /\b[0-9a-f]{16,64}\b/g,
  /\bfh[a-z]?_[\w-]{8,}/g,
];

/** What depends on the machine or on files of ours that change with every design. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/models pull [\w.-]+ --use \([\d.]+ GB[^)]*\)/g, 'models pull <the advised model>'],
  [/'sha256-[\w+/=]+'/g, "'sha256-<hash>'"],
  [/^bytes (\d+-\d+)\/\d+$/, 'bytes $1/<size>'],
];

export class Mask {
  /** Longest first, so that a folder is not taken for the one that holds it. */
  readonly #texts: (readonly [text: string, name: string])[] = [];
  readonly #ids = new Map<string, string>();

  /** `text` is `name` from now on, also where it stands in an address. */
  name(text: string, name: string): void {
    for (const form of new Set([text, encodeURIComponent(text), encodeURI(text)]))
      this.#texts.push([form, `<${name}>`]);
    this.#texts.sort(([a], [b]) => b.length - a.length);
  }

  text(text: string): string {
    let masked = text;
    for (const [known, name] of this.#texts) masked = masked.replaceAll(known, name);
    for (const [pattern, name] of phrases) masked = masked.replace(pattern, name);
    for (const pattern of ids) masked = masked.replace(pattern, (id) => this.#idOf(id));
    return masked;
  }

  /**
   * A JSON value with its fields in the order of their names, which means nothing to others; `field` is its
   * name.
   */
  value(value: unknown, field = ''): unknown {
    if (Array.isArray(value)) return value.map((one) => this.value(one, field));
    if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
      const entries = fields.map(([name, one]) => [this.text(name), this.value(one, name)]);
      return Object.fromEntries(entries);
    }
    if (typeof value === 'number') return numberOf(value, field);
    if (typeof value !== 'string') return value;
    if (field === 'home_folder' || field === 'export_folder') return `<${field}>`;
    if (field === 'model_keys' && /^(siglip2|clip)-/.test(value)) return '<the advised model>';
    if (field === 'home_folder' || field === 'export_folder') return `<${field}>`;
    if (value === programVersion()) return '<version>';
    return pictureOf(value) ?? this.text(value);
  }

  #idOf(id: string): string {
    const known = this.#ids.get(id) ?? `<id ${this.#ids.size + 1}>`;
    this.#ids.set(id, known);
    return known;
  }
}

/** Unix seconds and milliseconds between 2020 and 2100. */
const isTime = (value: number) => (value > 1.577e9 && value < 4.1e9) || (value > 1.577e12 && value < 4.1e12);

function numberOf(value: number, field: string): unknown {
  if (measured.test(field)) return `<${field}>`;
  if (isTime(value)) return '<time>';
  if (Number.isInteger(value)) return value;
  const digits = scored.test(field) ? 1 : 3;
  return Number(value.toFixed(digits));
}

/** `<JPEG 320×180>` for a JPEG in base64. */
function pictureOf(text: string): string | null {
  if (!text.startsWith('/9j/')) return null;
  const bytes = Buffer.from(text, 'base64');
  let at = 2;
  // Each segment says how long it is; the one with the size is a start of frame.
  while (at + 9 < bytes.length) {
    const [marker, length] = [bytes[at + 1]!, bytes.readUInt16BE(at + 2)];
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return `<JPEG ${bytes.readUInt16BE(at + 7)}×${bytes.readUInt16BE(at + 5)}>`;
    at += 2 + length;
  }
  return '<JPEG>';
}
