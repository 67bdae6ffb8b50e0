// Bytes and dates as they are shown.

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
