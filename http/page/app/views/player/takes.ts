// Beside a moment: where else its shot is.
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { momentArgument, routeHash } from '../../route.ts';
import { clock, nameOf } from '../../times.ts';
import { player } from '../../words/player.ts';
import { t } from '../../words.ts';
import type { SecondsRange } from './frames.ts';
import { useFolderAsk, withoutAnalysis } from './media.ts';

type Take = Awaited<ReturnType<typeof api.searchTakes>>['takes'][number];

/** Length of the part of a long shot that is searched for. */
const PART_SECONDS = 60;
/** Nobody wants to know while shots go by. */
const REST_MS = 500;
const MOST = 8;

/** The part of a shot that holds a second. */
export function partAround({ start_seconds, end_seconds }: SecondsRange, seconds: number): SecondsRange {
  const start =
    start_seconds + Math.max(0, Math.floor((seconds - start_seconds) / PART_SECONDS)) * PART_SECONDS;
  return {
    start_seconds: start,
    end_seconds: Math.max(start + 1, Math.min(end_seconds, start + PART_SECONDS)),
  };
}

/** Where the found shot shows what the part begins with. */
export function placeIn(
  { found: match, offset_seconds }: Pick<Take, 'found' | 'offset_seconds'>,
  { start_seconds }: SecondsRange,
) {
  return Math.max(match.start_seconds, start_seconds + offset_seconds);
}

interface AlsoInProps {
  readonly hash_str: string;
  /** The shot that is shown, or the part between in and out. */
  readonly shot: SecondsRange;
  readonly second: number;
}

export function AlsoIn({ hash_str, shot, second }: AlsoInProps) {
  const now = partAround(shot, second);
  const [part, setPart] = useState(now);
  useEffect(() => {
    const timer = setTimeout(() => setPart(now), REST_MS);
    return () => clearTimeout(timer);
  }, [now.start_seconds, now.end_seconds]);
  const { value } = useFolderAsk(
    async (cache_dir, signal) => {
      const question = { cache_dir, hash_str, ...part, limit: MOST };
      const { takes } = await api.searchTakes(question, { signal }).catch(withoutAnalysis({ takes: [] }));
      return takes.slice(0, MOST);
    },
    [hash_str, part.start_seconds, part.end_seconds],
  );
  if (value === null || value.length === 0) return null;
  return html`<nav class="row wrap also-in" aria-label=${t(player.alsoIn)}>
    <span class="quiet">${t(player.alsoIn)}</span>
    ${value.map((take) => html`<span>${linkTo(take, hash_str, part)} <span class="quiet">${factsOf(take)}</span></span>`)}
  </nav>`;
}

/** A file of the same content is shown already. */
function linkTo(take: Take, hash_str: string, part: SecondsRange) {
  const { found: match, offset_seconds } = take;
  const name = nameOf(match.media_path);
  if (match.hash_str === hash_str && offset_seconds === 0)
    return html`<span title=${match.media_path}>${name}</span>`;
  const seconds = placeIn(take, part);
  const argument = momentArgument({ hash_str: match.hash_str, seconds });
  return html`<a href=${routeHash({ view: 'player', argument })} title=${match.media_path}>${name} ${clock(seconds)}</a>`;
}

function factsOf({ certainty, mirrored }: Take): string {
  return [t(player[certainty]), ...(mirrored ? [t(player.mirrored)] : [])].join(', ');
}
