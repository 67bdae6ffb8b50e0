// Times, names, sizes and dates as they are shown.

/** `1:02:03`, `2:03`; with 1 of the `decimals` `2:03.4`. Whole seconds are cut off, decimals are rounded. */
export function clock(seconds: number, { decimals = 0 } = {}): string {
  const unit = 10 ** decimals;
  const units = decimals > 0 ? Math.round(Math.max(0, seconds) * unit) : Math.floor(Math.max(0, seconds));
  const whole = Math.floor(units / unit);
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutesAndSeconds = `${hours > 0 ? two(Math.floor(whole / 60) % 60) : Math.floor(whole / 60) % 60}:${two(whole % 60)}`;
  const part = decimals > 0 ? `.${String(units % unit).padStart(decimals, '0')}` : '';
  return `${hours > 0 ? `${hours}:` : ''}${minutesAndSeconds}${part}`;
}

/** `HH:MM:SS`, as some operations take it. */
export function fullClock(seconds: number): string {
  const whole = Math.floor(Math.max(0, seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

/** Seconds of `1:02:03`, `2:03`, `90` or `1:03.5`; null for what is no time. */
export function secondsOf(text: string): number | null {
  if (!/^\s*(\d+:){0,2}\d+([.,]\d+)?\s*$/.test(text)) return null;
  return text
    .trim()
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0);
}

export function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) || path;
}

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** `840 KB`, `4.2 GB`: units of a thousand, as the disks of people are sold. */
export function sizeText(bytes: number, language: string): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = value < 10 && unit > 0 ? 1 : 0;
  const figure = new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
  return `${figure}\u00a0${units[unit]}`;
}

/** `seconds` since 1970. */
export function dateText(seconds: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    seconds * 1000,
  );
}
