// Questions about voices and their answers: who speaks in which other files.
import { type Static, Type } from 'typebox';
import { described, named, nullable } from '../../../runtime/schema.ts';

const SpeakerId = described(Type.String(), 'Id in the transcription.');
const SpeakerName = described(
  nullable(Type.String()),
  'The name that was given, else that of the subtitles; null without one.',
);

export const SuggestedSpeaker = named(
  'SuggestedSpeaker',
  Type.Object({
    hash_str: described(Type.String(), 'Content hash of the file.'),
    media_path: described(Type.String(), 'The path at which the file was seen last.'),
    speaker: SpeakerId,
    speaker_name: SpeakerName,
    similarity: described(
      Type.Number({ minimum: 0, maximum: 1 }),
      'How alike the voices are: 0.5 is where the speaker model finds it worth asking.',
    ),
    speaking_seconds: described(Type.Number(), 'How long it speaks in this file.'),
    linked_voices: described(
      Type.Integer({ minimum: 1 }),
      'Voices that people said are one with it, itself included: they count as one.',
    ),
    sample: described(
      Type.Object({ start_seconds: Type.Number(), end_seconds: Type.Number() }),
      'A part of the file to listen to.',
    ),
  }),
);

export const SpeakerSuggestions = Type.Object({
  suggestions: described(Type.Array(SuggestedSpeaker), 'Most alike first.'),
  warning: Type.Optional(described(Type.String(), 'Why there can be none.')),
});
export type SpeakerSuggestions = Static<typeof SpeakerSuggestions>;

export const ConfirmedSpeakers = Type.Object({
  voices: described(
    Type.Array(Type.Object({ hash_str: Type.String(), speaker: SpeakerId, speaker_name: SpeakerName })),
    'With `same` every voice of this person, those linked before among them; else the voices that were named. The same when ' +
      'that is taken back.',
  ),
});
export type ConfirmedSpeakers = Static<typeof ConfirmedSpeakers>;

export type SuggestSpeakersRequest = {
  readonly cache_dir: string;
  readonly speaker: string;
  readonly limit: number;
} & ({ readonly hash_str: string } | { readonly media_path: string });

export interface ConfirmSpeakersRequest {
  readonly cache_dir: string;
  readonly voices: readonly { readonly hash_str: string; readonly speaker: string }[];
  /** Null: the one that one of them has. */
  readonly name: string | null;
  readonly same: boolean;
}

export interface Voices {
  /** Voices of other files that may be this one; none, with a warning, of a file without a transcript. UNKNOWN_SPEAKER. */
  suggest(request: SuggestSpeakersRequest, signal?: AbortSignal): Promise<SpeakerSuggestions>;
  /** Says that voices are one person, or that they are not; all or nothing. */
  confirm(request: ConfirmSpeakersRequest, signal?: AbortSignal): Promise<ConfirmedSpeakers>;
  /** Takes the last `confirm` back. NOTHING_SAID. */
  undo(cacheDir: string, signal?: AbortSignal): Promise<ConfirmedSpeakers>;
}
