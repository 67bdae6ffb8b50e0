// Text for a terminal: the screen that commands write to, and how bars, names and durations are written on it.

export interface Screen {
  write(text: string): void;
  readonly columns: number;
  readonly isTerminal: boolean;
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

export function duration(seconds: number): string {
  const s = Math.ceil(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}
