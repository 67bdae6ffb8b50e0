// Which embedded subtitle track is read: one with text, of the language that is asked for, before one of no known
// language, before any other. Pure.
import type { Probe } from '../decoder/contract.ts';
import { speechLanguages } from '../transcriber/contract.ts';

type Track = Probe['subtitles'][number];

/** Codecs whose packets hold text; the others hold pictures of text. */
const textCodecs = new Set(['subrip', 'srt', 'ass', 'ssa', 'webvtt', 'mov_text', 'text', 'ttml', 'stl']);

/** `language`: BCP 47, or null for any. Undefined when no track holds text. */
export function chooseTrack(tracks: readonly Track[], language: string | null): Track | undefined {
  const rank = (track: Track) => {
    if (language !== null && track.language !== null && sameLanguage(track.language, language)) return 0;
    return track.language === null || track.language === 'und' ? 1 : 2;
  };
  return tracks
    .filter(({ codec }) => textCodecs.has(codec))
    .toSorted((a, b) => rank(a) - rank(b) || a.index - b.index)[0];
}

/** Files say `eng`, `ger` or `en-GB`, requests `en`. */
function sameLanguage(track: string, wanted: string): boolean {
  const code = speechLanguages.code(track);
  return code !== null && speechLanguages.base(code) === speechLanguages.base(wanted);
}
