// Facets of sound and subtitles: codecs, channels, rates and languages.
import { bibliographicCodes } from '../../decoder/contract.ts';
import { type Facet, flag, type MediaFacts, multi, numeric } from './facet.ts';

const sound = ['Technical', 'Audio'] as const;
const text = ['Technical', 'Subtitles'] as const;

const codecs: Readonly<Record<string, string>> = {
  aac: 'AAC',
  mp3: 'MP3',
  opus: 'Opus',
  vorbis: 'Vorbis',
  flac: 'FLAC',
  alac: 'Apple Lossless',
  ac3: 'Dolby Digital (AC-3)',
  eac3: 'Dolby Digital Plus (E-AC-3)',
  pcm_s16le: 'PCM 16 bit',
  pcm_s16be: 'PCM 16 bit',
  pcm_s24le: 'PCM 24 bit',
  pcm_s24be: 'PCM 24 bit',
  pcm_f32le: 'PCM 32 bit float',
};

/** `stereo`, `5.1`, or `16_channels` where the file gives only a number. */
export function layoutOf(layout: string | null, channels: number): string {
  // Where the speakers stand, in brackets, is no difference a person looks for.
  const name = (layout ?? '').replace(/\(.*\)$/, '').trim();
  if (name !== '' && !/^\d+ channels$/.test(name)) return name;
  if (channels === 1) return 'mono';
  return channels === 2 ? 'stereo' : `${channels}_channels`;
}

function layoutLabel(value: string): string {
  const many = /^(\d+)_channels$/.exec(value);
  if (many) return `${many[1]} channels`;
  return value.charAt(0).toUpperCase() + value.slice(1);
}

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** Files of one archive say the same few tags over and over. */
const mostTags = 1000;
const languageTags = new Map<string, string | null>();

/**
 * One code for a language however the file writes it: `eng`, `en` and `EN` are `en`; null when it is not
 * known which.
 */
export function languageOf(tag: string | null): string | null {
  if (tag === null) return null;
  const known = languageTags.get(tag);
  if (known !== undefined) return known;
  const language = canonical(tag);
  if (languageTags.size < mostTags) languageTags.set(tag, language);
  return language;
}

function canonical(tag: string): string | null {
  const code = tag.trim().replaceAll('_', '-').toLowerCase();
  if (/^(|und|mul|mis|zxx|qaa|unk)$/.test(code)) return null;
  try {
    return Intl.getCanonicalLocales(bibliographicCodes[code] ?? code)[0] ?? null;
  } catch {
    // Not a tag of a language, but what the file says all the same.
    return code;
  }
}

function languageLabel(value: string): string {
  try {
    return languageNames.of(value) ?? value;
  } catch {
    return value; // Not a tag of a language.
  }
}

const languages = (streams: readonly { readonly language: string | null }[]) =>
  streams.flatMap(({ language }) => languageOf(language) ?? []);

const first = ({ probe }: MediaFacts) => probe.audio[0];

export const soundFacets: readonly Facet[] = [
  flag({ id: 'technical.has_audio', label: 'Has audio', path: sound }, ({ probe }) =>
    probe.kind === 'image' ? null : probe.audio.length > 0,
  ),
  multi(
    { id: 'technical.audio_codec', label: 'Audio codec', path: sound },
    ({ probe }) => probe.audio.map(({ codec }) => codec),
    { labelOf: (value) => codecs[value] ?? value },
  ),
  multi(
    { id: 'technical.audio_layout', label: 'Audio layout', path: sound },
    ({ probe }) => probe.audio.map(({ layout, channels }) => layoutOf(layout, channels)),
    { labelOf: layoutLabel },
  ),
  numeric({ id: 'technical.audio_tracks', label: 'Audio tracks', path: sound }, ({ probe }) =>
    probe.audio.length > 0 ? probe.audio.length : null,
  ),
  numeric(
    { id: 'technical.audio_sample_rate', label: 'Sample rate', path: sound },
    (media) => first(media)?.sample_rate ?? null,
    { labelOf: (value) => `${Number(value) / 1000} kHz` },
  ),
  multi(
    { id: 'technical.audio_language', label: 'Audio language', path: sound },
    ({ probe }) => languages(probe.audio),
    { labelOf: languageLabel },
  ),
  flag({ id: 'technical.has_subtitles', label: 'Has subtitles', path: text }, ({ probe }) =>
    probe.kind === 'image' ? null : probe.subtitles.length > 0,
  ),
  multi(
    { id: 'technical.subtitle_language', label: 'Subtitle language', path: text },
    ({ probe }) => languages(probe.subtitles),
    { labelOf: languageLabel },
  ),
];
