// Searches and transcribing as the command line states them.
import { resolve } from 'node:path';
import {
  type SpeechPreference,
  speechPreferences,
  type TranscriptionJob,
} from '../actors/analysis/stages/speech/kind.ts';
import { FilterOperator, type MetadataFilter } from '../actors/index/facets/contract.ts';
import { ReclusterRequest } from '../actors/library/people/requests/contract.ts';
import { maxResults, type PeopleFields } from '../actors/search/scope/contract.ts';
import { speechLanguages } from '../actors/transcriber/contract.ts';
import { exportFolder, typedPath } from '../runtime/files/user-folders.ts';
import { suggestion } from '../runtime/text.ts';
import { usageErrors } from './context.ts';
import { printable } from './terminal.ts';

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
  /** Only where these people are seen, by name: all of them at once, or any. */
  readonly people: readonly string[];
  readonly anyPerson: boolean;
  /** The face clustering that has them; null for whichever has. */
  readonly clusterJob: string | null;
  /** Only media that pass all of them. */
  readonly filters: readonly MetadataFilter[];
  readonly previews: boolean;
}

export function title({ query, image, frame, exclude, people, anyPerson, filters }: Question): string {
  const parts = [
    query && `"${query}"`,
    image && `like ${image}`,
    frame && `like ${frame.path} at ${frame.seconds} s`,
    people.length > 0 && `with ${people.join(anyPerson ? ' or ' : ' and ')}`,
    ...filters.map((filter) => `only ${filterText(filter)}`),
    exclude.length > 0 && `without ${exclude.map((text) => `"${text}"`).join(', ')}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** The people with the fields of a search; nothing where nobody is named. */
export function peopleFields({ people, anyPerson, clusterJob }: Question): Partial<PeopleFields> {
  if (people.length === 0) return {};
  const job = clusterJob === null ? {} : { cluster_job_name: clusterJob };
  return {
    people_filter: people.map((person_name) => ({ person_name, ...job })),
    people_filter_mode: anyPerson ? 'or' : 'and',
  };
}

/** Nothing asked: what filters and people alone select. */
export function isSelection({ query, image, frame }: Question): boolean {
  return !query && !image && !frame;
}

export function filterFields({ filters }: Pick<Question, 'filters'>) {
  return filters.length === 0 ? {} : { metadata_filter_request: { filters: [...filters] } };
}

/** `FILE@SECONDS`; the file name may hold an @ itself. */
export function frameArgument(text: string): { path: string; seconds: number } {
  const at = text.lastIndexOf('@');
  const seconds = Number(text.slice(at + 1));
  if (at <= 0 || text.slice(at + 1).trim() === '' || !Number.isFinite(seconds) || seconds < 0) {
    throw usageErrors.USAGE(`--frame must be FILE@SECONDS, not ${text}`);
  }
  return { path: resolve(text.slice(0, at)), seconds };
}

/** `N` or `all`. */
export function perFilmArgument(text: string): number | null {
  return text === 'all' ? null : numberArgument('--per-film', text, maxResults);
}

interface NumberField {
  readonly type: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A number that the field of the request takes. Throws USAGE naming the option. */
export function numberArgument(
  name: string,
  text: string,
  { type, minimum = 0, maximum = 1e9 }: NumberField,
): number {
  const value = Number(text);
  const isWhole = type === 'integer';
  const fits = text.trim() !== '' && value >= minimum && value <= maximum;
  if (!fits || (isWhole && !Number.isInteger(value)))
    throw usageErrors.USAGE(
      `${name} must be a ${isWhole ? 'whole ' : ''}number from ${minimum} to ${maximum}, not ${text}`,
    );
  return value;
}

// `--filter 'FACET OPERATOR VALUE|VALUE'`: a condition on files, as the command line states it.

const { enum: operators } = FilterOperator as unknown as { readonly enum: readonly FilterOperator[] };

export function filterArgument(text: string): MetadataFilter {
  const [, facet_id = '', word = '', valuesText = ''] = /^\s*(\S+)\s+(\S+)\s+(.*)$/s.exec(text) ?? [];
  const values = valuesText
    .split('|')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  const operator = operators.find((name) => name === word);
  if (word !== '' && operator === undefined) {
    const hint = suggestion(word, operators) || `; use one of ${operators.join(', ')}`;
    throw usageErrors.USAGE(`--filter: there is no operator ${printable(word)}${hint}`);
  }
  if (operator === undefined || values.length === 0) {
    throw usageErrors.USAGE(
      `--filter must be FACET OPERATOR VALUE, such as 'technical.orientation is_not portrait', not ${printable(text)}`,
    );
  }
  return { facet_id, operator, values };
}

/** The same condition as a person gives it. */
export function filterText({ facet_id, operator, values }: MetadataFilter): string {
  return `${facet_id} ${operator} ${values.join('|')}`;
}

// The options of transcribing, as a request has them.

export function languageArgument(text: string): string {
  if (speechLanguages.code(text) !== null) return text;
  throw usageErrors.USAGE(`--language is not a known language: ${text}`);
}

export function channelsArgument(text: string): number[] {
  const channels = text.split(',').map(Number);
  if (channels.length === 0 || !channels.every((channel) => Number.isInteger(channel) && channel > 0)) {
    throw usageErrors.USAGE(`--channels must be numbers from 1 up, separated by commas, not ${text}`);
  }
  return [...new Set(channels)].sort((a, b) => a - b);
}

/** `auto`, `none`, `5+` or 1 to 4. */
export function speakersArgument(text: string): Pick<TranscriptionJob, 'detect_speakers' | 'speaker_count'> {
  if (text === 'none') return { detect_speakers: false, speaker_count: 'auto' };
  if (text === 'auto' || text === '5+') return { detect_speakers: true, speaker_count: text };
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 4) {
    throw usageErrors.USAGE(`--speakers must be auto, none, 5+ or a number from 1 to 4, not ${text}`);
  }
  return { detect_speakers: true, speaker_count: count };
}

export function preferenceArgument(text: string): SpeechPreference {
  const preference = speechPreferences.find((name) => name === text);
  if (!preference)
    throw usageErrors.USAGE(`--with must be one of ${speechPreferences.join(', ')}, not ${text}`);
  return preference;
}

// The options of a clustering of faces.

/** For a clustering that is new: two pictures are enough for a person who looks at the groups. */
export const newClustering = { eps: 0.48, min_samples: 2 } as const;

export function epsOf(text: string | undefined): number | null {
  return text === undefined ? null : numberArgument('--eps', text, ReclusterRequest.properties.eps);
}

export function minSamplesOf(text: string | undefined): number | null {
  return text === undefined
    ? null
    : numberArgument('--min-samples', text, ReclusterRequest.properties.min_samples);
}

/** Absolute. `out`: value of `--out`; without it, the folder of exports in the home folder. */
export function outputFolder(out?: string): string {
  const folder = out === undefined ? exportFolder() : typedPath(out);
  if (folder === null) throw usageErrors.USAGE('there is no home folder to write to: add --out DIR');
  return folder;
}
