// A search as the command line states it. Pure.
import { resolve } from 'node:path';
import { usageErrors } from './context.ts';

export interface Question {
  readonly query: string | null;
  readonly image: string | null;
  readonly frame: { readonly path: string; readonly seconds: number } | null;
  readonly exclude: readonly string[];
  readonly media: readonly string[];
  readonly max: number;
  /** Matches of one film at most; null: as many as there are. */
  readonly perFilm: number | null;
  readonly textWeight: number;
  readonly previews: boolean;
}

export function title({ query, image, frame, exclude }: Question): string {
  const parts = [
    query && `"${query}"`,
    image && `like ${image}`,
    frame && `like ${frame.path} at ${frame.seconds} s`,
    exclude.length > 0 && `without ${exclude.map((text) => `"${text}"`).join(', ')}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** `FILE@SECONDS`; the file name may hold an @ itself. */
export function frameArgument(text: string): { path: string; seconds: number } {
  const at = text.lastIndexOf('@');
  const seconds = Number(text.slice(at + 1));
  if (at <= 0 || text.slice(at + 1).trim() === '' || !Number.isFinite(seconds) || seconds < 0) {
    throw usageErrors.USAGE(`--frame wants FILE@SECONDS, not ${text}`);
  }
  return { path: resolve(text.slice(0, at)), seconds };
}

/** `N` or `all`. */
export function perFilmArgument(text: string): number | null {
  return text === 'all' ? null : numberArgument('--per-film', text, 1, 10_000, true);
}

export function numberArgument(
  name: string,
  text: string,
  least: number,
  most: number,
  whole: boolean,
): number {
  const value = Number(text);
  const fits = text.trim() !== '' && value >= least && value <= most && (!whole || Number.isInteger(value));
  if (!fits)
    throw usageErrors.USAGE(
      `${name} wants a ${whole ? 'whole ' : ''}number from ${least} to ${most}, not ${text}`,
    );
  return value;
}
