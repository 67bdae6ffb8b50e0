// Questions about voices and their answers: who speaks in which other files.
import { type Static, Type } from 'typebox';
import { defaulted, described, named, nullable } from '../../../runtime/schema.ts';
import { mostNameLetters } from '../../index/people/person-name.ts';
import { CacheDir, ContentHash, EndSeconds, StartSeconds } from '../../index/store/contract.ts';
import { HashStr, mediaFields } from '../media/contract.ts';

const SpeakerId = described(Type.String(), 'Id of the speaker in the transcription.');
const SpeakerName = described(
  nullable(Type.String()),
  'Name given to the speaker, or the name in the subtitles; null if there is none.',
);

const SuggestedSpeaker = named(
  'SuggestedSpeaker',
  Type.Object({
    hash_str: described(Type.String(), 'Content hash of the file.'),
    media_path: described(Type.String(), 'The path at which the file was last seen.'),
    speaker: SpeakerId,
    speaker_name: SpeakerName,
    similarity: described(
      Type.Number({ minimum: 0, maximum: 1 }),
      'Similarity of the voices. 0.5 is where the speaker model considers a suggestion worthwhile.',
    ),
    speaking_seconds: described(Type.Number(), 'Seconds that the voice speaks in this file.'),
    linked_voices: described(
      Type.Integer({ minimum: 1 }),
      'Voices that were confirmed to be the same, including this one. They count as one voice.',
    ),
    sample: described(
      Type.Object({ start_seconds: StartSeconds, end_seconds: EndSeconds }),
      'A part of the file to listen to.',
    ),
  }),
);

export const SpeakerSuggestions = Type.Object({
  suggestions: described(
    Type.Array(SuggestedSpeaker),
    'Suggestions sorted by similarity, most similar first.',
  ),
  warning: Type.Optional(described(Type.String(), 'Why there are no suggestions.')),
});
export type SpeakerSuggestions = Static<typeof SpeakerSuggestions>;

export const ConfirmedSpeakers = Type.Object({
  voices: described(
    Type.Array(Type.Object({ hash_str: ContentHash, speaker: SpeakerId, speaker_name: SpeakerName })),
    'With `same`: all voices of this person, including those linked before. Otherwise, the voices in the ' +
      'request. The same applies to an undo.',
  ),
});
export type ConfirmedSpeakers = Static<typeof ConfirmedSpeakers>;

const Speaker = described(
  Type.String({ minLength: 1, maxLength: 200 }),
  'Id in the transcription, such as `SPEAKER_00`.',
);

export const SuggestSpeakersRequest = Type.Object({
  cache_dir: CacheDir,
  ...mediaFields,
  speaker: Speaker,
  limit: defaulted(
    described(Type.Integer({ minimum: 1, maximum: 1000 }), 'Maximum number of suggestions.'),
    20,
  ),
});
export type SuggestSpeakersRequest = Static<typeof SuggestSpeakersRequest>;

export const ConfirmSpeakersRequest = Type.Object({
  cache_dir: CacheDir,
  voices: described(
    Type.Array(Type.Object({ hash_str: HashStr, speaker: Speaker }), { minItems: 2, maxItems: 1000 }),
    'Two or more speakers of transcriptions.',
  ),
  name: Type.Optional(
    nullable(
      described(Type.String({ minLength: 1, maxLength: mostNameLetters }), 'Display name of the person.'),
    ),
  ),
  same: described(
    Type.Boolean(),
    'True if the voices are the same person; false if all of them are different people.',
  ),
});
export type ConfirmSpeakersRequest = Static<typeof ConfirmSpeakersRequest>;

export interface Voices {
  /**
   * Voices of other files that may be this one; none, with a warning, of a file without a transcript.
   * UNKNOWN_SPEAKER.
   */
  suggest(request: SuggestSpeakersRequest, signal?: AbortSignal): Promise<SpeakerSuggestions>;
  /** Says that voices are one person, or that they are not; all or nothing. */
  confirm(request: ConfirmSpeakersRequest, signal?: AbortSignal): Promise<ConfirmedSpeakers>;
  /** Takes the last `confirm` back. NOTHING_SAID. */
  undo(cacheDir: string, signal?: AbortSignal): Promise<ConfirmedSpeakers>;
}
