// Notes of a search beside its matches: each sentence with its code and its values, so that clients can
// translate it.
import { type Static, Type } from 'typebox';
import { described, field, named, oneOf } from '../../../runtime/schema.ts';
import { type MetadataFilter, withdrawnIn } from '../../index/facets/contract.ts';

/** The first names of a list; `count` is the length of the list. */
interface Listed {
  readonly names: readonly string[];
  readonly count: number;
}
interface ByModel {
  readonly model_key: string;
}
/** Why something was not searched: the code and the message of that error. */
interface Refused {
  readonly reason: string;
  readonly message: string;
}

/** Commands, in order, by which more words would be understood; empty if there are none. */
interface Helped {
  readonly commands: readonly string[];
}

const sentences = {
  PARTLY_UNDERSTOOD: ({
    names,
    words,
    commands,
  }: Listed & Helped & { readonly total: number; readonly words: readonly string[] }) =>
    `Weak: pictures were searched for ${quoted(names)} alone; not understood: ${quoted(words)}${help(commands, words.length)}`,
  NOT_UNDERSTOOD: ({ commands, ...words }: Listed & ByModel & Helped) =>
    `Not understood in pictures: ${quoted(words.names, words.count)}${help(commands, words.count)}`,
  FOUND_ROUGHLY: ({ commands, ...words }: Listed & ByModel & Helped) =>
    `Found only roughly, along with many false matches: ${quoted(words.names, words.count)}${help(commands, words.count)}`,
  PEOPLE_NOT_TOLD_APART: ({ names, count }: Listed) =>
    `All people are found, without telling women from men or children from adults: ${quoted(names, count)}`,
  KINDS_NOT_TOLD_APART: ({ names, count }: Listed) =>
    `Others of the same kind are found as well: ${quoted(names, count)}`,
  OTHER_MODEL: ({ model_key }: ByModel) =>
    `The model ${model_key} could not be loaded; the default model was used instead`,
  FILTER_IGNORED: (facets: Listed) =>
    `Filters were ignored, because their facets no longer exist: ${text(facets)}`,
  NOTHING_TO_LOOK_FOR: () => 'The query contains nothing that the visual model can search for',
  NOTHING_ANALYSED: () => 'No pictures have been analysed yet',
  NOTHING_LEFT: () => 'No analysed picture is left by the filters, people, files and times of this search',
  NOTHING_SEEN: ({ names, count }: Listed) =>
    `No file of the ${count} that were searched for things shows ${allOf(names.map((name) => `"${name}"`))}` +
    (names.length > 1 ? ' together' : ''),
  NOTHING_FOUND: ({ names }: Pick<Listed, 'names'>) =>
    `Nothing was found in ${allOf(names.map((kind) => searchedKinds[kind as SearchedKind]))}`,
  ONLY_WEAKER: ({ count }: Pick<Listed, 'count'>) =>
    `Nothing that was found is sure enough; ${count} weaker ${count === 1 ? 'match was' : 'matches were'} left out`,
  SAME_PERSON_TWICE: (people: Listed) =>
    `The same person is required twice in one picture, so nothing matches: ${text(people)}`,
  NOT_ANALYSED: (paths: Listed) => `Not analysed yet: ${text(paths)}`,
  NOT_LOADED: (paths: Listed) => `Not analysed or not loaded: ${text(paths)}`,
  PICTURES_NOT_LOADED: (paths: Listed) => `Pictures not analysed or not loaded: ${text(paths)}`,
  TRANSCRIPT_NOT_LOADED: (paths: Listed) =>
    `Not transcribed, or the transcription is not loaded: ${text(paths)}`,
  FILE_GONE: (paths: Listed) => `File not found at its known path: ${text(paths)}`,
  FILE_CHANGED: (paths: Listed) => `Changed since it was analysed; analyse it again: ${text(paths)}`,
  ANALYSIS_DAMAGED: (paths: Listed) =>
    `Damaged analysis; analyse these files again with force: ${text(paths)}`,
  TRANSCRIPT_DAMAGED: (paths: Listed) =>
    `Damaged transcriptions; transcribe these files again with force: ${text(paths)}`,
  TEXT_DAMAGED: (paths: Listed) =>
    `Damaged results of text recognition; analyse these files again with force: ${text(paths)}`,
  OLDER_MODEL: (paths: Listed) =>
    `Analysed by an older version of the model; analyse it again: ${text(paths)}`,
  NO_PREVIEW: ({ count }: Pick<Listed, 'count'>) => `Frames without a preview: ${count}`,
  PREVIEWS_LEFT_OUT: ({ count }: Pick<Listed, 'count'>) =>
    `${count} previews do not fit into one response; request fewer max_results, or get the pictures ` +
    'from POST /thumbnails.',
  NOTHING_TRANSCRIBED: () => 'Nothing has been transcribed',
  NOTHING_READ: () => 'No text has been recognized in pictures yet',
  PICTURES_NOT_SEARCHED: ({ message }: Refused) => `Pictures were not searched: ${message}`,
  SPEECH_NOT_SEARCHED: ({ message }: Refused) => `What is said was not searched: ${message}`,
  PEOPLE_NOT_SEARCHED: ({ message }: Refused) => `People were not searched: ${message}`,
  TEXT_NOT_SEARCHED: ({ message }: Refused) => `Printed words were not searched: ${message}`,
} as const;

/** Kinds of moments, as sentences name what was searched. */
export const searchedKinds = {
  seen: 'pictures',
  said: 'what is said',
  person: 'the people who have names',
  name: 'names of people, files, folders, lists and speakers',
  written: 'printed words',
} as const;
export type SearchedKind = keyof typeof searchedKinds;

export type NoteCode = keyof typeof sentences;
export const noteCodes = Object.keys(sentences) as readonly NoteCode[];
type Values<C extends NoteCode> = Parameters<(typeof sentences)[C]> extends [infer V] ? V : object;

const Whole = Type.Optional(Type.Integer());
const Text = Type.Optional(Type.String());

export const Note = Type.Object({
  code: described(
    oneOf(...noteCodes),
    'What the sentence is about. A code keeps its meaning, while its sentence may be reworded.',
  ),
  text: field('The sentence.', Type.String()),
  values: described(
    Type.Object({
      names: field(
        'Files, words, people, facets or kinds of matches, the first 5 of many.',
        Type.Optional(Type.Array(Type.String())),
      ),
      count: field('How many there are, also those that are not listed.', Whole),
      total: field('Number of words in the query.', Whole),
      words: field(
        'Words that were not understood, beside `names`, which were.',
        Type.Optional(Type.Array(Type.String())),
      ),
      commands: field(
        'Commands that would make more words understood, in their order; empty if none would.',
        Type.Optional(Type.Array(Type.String())),
      ),
      seconds: field('Seconds of film that were not searched.', Whole),
      model_key: field('The visual model.', Text),
      reason: field('Code of the error because of which something was not searched.', Text),
      message: field('Message of that error.', Text),
    }),
    'What the sentence names; each code always has the same values.',
  ),
});
export type Note = Static<typeof Note>;

export function note<C extends NoteCode>(code: C, values: Values<C>): Note {
  const say = sentences[code] as (of: Values<C>) => string;
  return { code, text: say(values), values: { ...(values as object) } };
}

/** Says nothing of none. A request may name thousands of files; a sentence is read by a person. */
export function listNote(
  code: { [C in NoteCode]: Listed extends Values<C> ? C : never }[NoteCode],
  all: readonly string[],
  count = all.length,
): Note | false {
  return count > 0 && note(code, listed(all, count));
}

/** Names the facets that no longer exist, whose filters are ignored. */
export function ignoredFilters(filters: readonly Pick<MetadataFilter, 'facet_id'>[] = []): Note | false {
  return listNote('FILTER_IGNORED', withdrawnIn(filters));
}

const mostNames = 5;

export function listed(all: readonly string[], count = all.length): Listed {
  return { names: all.slice(0, mostNames), count };
}

function text({ names, count }: Listed): string {
  const more = count - names.length;
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function quoted(names: readonly string[], count = names.length): string {
  return text({ names: names.map((word) => `"${word}"`), count });
}

/** `commands` as the end of a sentence about so many words. */
function help(commands: readonly string[], words: number): string {
  return commands.length > 0 ? `; to find ${words === 1 ? 'it' : 'them'}: ${commands.join(', then ')}` : '';
}

function allOf(parts: readonly string[]): string {
  const [last = '', ...others] = parts.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
}

// The same three fields in the answers of all searches.

export const notesFields = {
  toast_warning: Type.Optional(
    described(
      Type.String(),
      'A warning to show to the user, such as words that are not understood, kinds that were not searched, ' +
        'or files that cannot be read.',
    ),
  ),
  warnings: Type.Optional(
    described(
      Type.Array(Type.String()),
      'The sentences of `toast_warning` as a list. If only some of the words are understood, the first ' +
        'sentence begins with `Weak:`; it says which words pictures were searched for, which were not ' +
        'understood, and which commands would help. An empty list of matches always has a sentence that says why.',
    ),
  ),
  notes: Type.Optional(
    described(
      Type.Array(named('Note', Note)),
      'The sentences of `warnings`, each with its code and values, for clients that say them in other words ' +
        'or in another language.',
    ),
  ),
};

export interface Notes {
  toast_warning?: string;
  warnings?: string[];
  notes?: Note[];
}

/** `false` for what is not to be said. */
export function notesAnswer(all: readonly (Note | false)[]): Notes {
  const notes = all.filter((entry) => entry !== false);
  if (notes.length === 0) return {};
  const warnings = notes.map(({ text: sentence }) => sentence);
  return { toast_warning: warnings.join('. '), warnings, notes };
}
