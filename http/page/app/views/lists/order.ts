// The order of a list, and its moments as lines of text.

/** The one at `from` stands before the one that is at `to` now; at the end when there is none. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const item = items[from];
  if (item === undefined) return [...items];
  const rest = items.filter((_, at) => at !== from);
  const place = Math.max(0, Math.min(to > from ? to - 1 : to, rest.length));
  return [...rest.slice(0, place), item, ...rest.slice(place)];
}

interface Part {
  readonly media_path: string;
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly name?: string;
}

/** A line each: path, in, out, `HH:MM:SS.mmm`, and the name, with tabs between them. */
export function textOf(items: readonly Part[]): string {
  return items
    .map(({ media_path, start_seconds, end_seconds, name = '' }) =>
      [media_path, exact(start_seconds), exact(end_seconds), name].map(plain).join('\t').trimEnd(),
    )
    .join('\n');
}

function exact(seconds: number): string {
  const thousandths = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const whole = thousandths / 1000;
  const clock = `${two(whole / 3600)}:${two((whole / 60) % 60)}:${two(whole % 60)}`;
  return `${clock}.${String(thousandths % 1000).padStart(3, '0')}`;
}

/** Names may hold anything; a line and a column stay one. */
function plain(text: string): string {
  return text.replace(/[\t\n\r]/g, ' ');
}

/** Items of a timeline: of each what its file has of picture and sound, one after the other. */
export function timelineItems(items: readonly Part[]) {
  return items.map(({ media_path, start_seconds, end_seconds, name }) => ({
    media_path,
    source_start_seconds: start_seconds,
    source_end_seconds: end_seconds,
    track: 'both' as const,
    ...(name ? { name } : {}),
  }));
}
