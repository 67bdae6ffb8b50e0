// Dates as they are written, whole or in part, as stretches of time that can be compared.

/** Half-open stretch of the clock on the wall, in ms since 1970 as if that clock showed UTC. */
export interface Moment {
  readonly start: number;
  readonly end: number;
  /** Ms by which that clock is ahead of UTC; null when the text does not say. */
  readonly offset: number | null;
}

const form =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/;

/**
 * `2024`, `2024-05`, `2024-05-17`, `2024-05-17T10:11`, with seconds, fractions and an offset; null for
 * anything else.
 */
export function moment(text: string): Moment | null {
  const match = form.exec(text.trim());
  if (!match) return null;
  const [, years, months, days, hours, minutes, seconds, fraction, zone] = match;
  const year = Number(years);
  const month = Number(months ?? 1) - 1;
  const day = Number(days ?? 1);
  const date = Date.UTC(year, month, day);
  const time = [Number(hours ?? 0), Number(minutes ?? 0), Number(seconds ?? 0)] as const;
  // A day that the month does not have would be a day of the next month; and years before 100 mean 19xx to
  // Date.
  const real = year >= 100 && new Date(date).getUTCMonth() === month && new Date(date).getUTCDate() === day;
  const offset = zone === undefined ? null : offsetOf(zone);
  if (!real || time[0] > 23 || time[1] > 59 || time[2] > 60 || Number.isNaN(offset)) return null;
  const at = date + (time[0] * 3600 + time[1] * 60 + time[2]) * 1000;
  if (months === undefined) return { start: at, end: Date.UTC(year + 1, 0, 1), offset };
  if (days === undefined) return { start: at, end: Date.UTC(year, month + 1, 1), offset };
  if (hours === undefined) return { start: at, end: at + 86_400_000, offset };
  if (seconds === undefined) return { start: at, end: at + 60_000, offset };
  if (fraction === undefined) return { start: at, end: at + 1000, offset };
  const instant = at + Number(`0.${fraction}`) * 1000;
  return { start: instant, end: instant + 1, offset };
}

function offsetOf(zone: string): number {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  const size = hours > 23 || minutes > 59 ? Number.NaN : (hours * 60 + minutes) * 60_000;
  return zone[0] === '-' ? -size : size;
}

/**
 * By what both are compared: their instants when both say their offset, else the clocks as they were read.
 */
function aligned(one: Moment, other: Moment): { shift: number; otherShift: number } {
  return one.offset === null || other.offset === null
    ? { shift: 0, otherShift: 0 }
    : { shift: one.offset, otherShift: other.offset };
}

/** True when all of `one` lies before `other` begins. */
export function isBefore(one: Moment, other: Moment): boolean {
  const { shift, otherShift } = aligned(one, other);
  return one.end - shift <= other.start - otherShift;
}

export function isAfter(one: Moment, other: Moment): boolean {
  return isBefore(other, one);
}

/** True when all of `one` lies inside `other`. */
export function isWithin(one: Moment, other: Moment): boolean {
  const { shift, otherShift } = aligned(one, other);
  return one.start - shift >= other.start - otherShift && one.end - shift <= other.end - otherShift;
}
