// The voices of speakers: in which other files one speaks, and what people said about who is whom.
import { type Static, Type } from 'typebox';
import { ask } from '../../../runtime/contract.ts';
import { errorTable } from '../../../runtime/errors.ts';
import { nullable } from '../../../runtime/schema.ts';
import { Folder, LoadNumber, LoadStep } from '../store/contract.ts';

export const voiceErrors = errorTable({
  NO_VOICE: { meaning: 'No voice is stored for this speaker', status: 400 },
  TWO_VOICES: { meaning: 'At least two different voices are required', status: 400 },
  VOICES_NAMED_APART: { meaning: 'The voices have different names', status: 400 },
  NOTHING_SAID: { meaning: 'There is no answer about voices to undo', status: 409 },
  NAME_OF_STRANGERS: { meaning: 'Voices of different people cannot have the same name', status: 400 },
});

export const VoiceRef = Type.Object({ hash_str: Type.String(), speaker: Type.String({ minLength: 1 }) });
export type VoiceRef = Static<typeof VoiceRef>;

const Count = Type.Integer({ minimum: 0 });

/** Somebody in other files who sounds alike: voices that people linked are one. */
export const AlikeVoice = Type.Object({
  hash_str: Type.String(),
  /** The path at which the file was seen last. */
  path: Type.String(),
  /** Speaker of the cluster's voices who speaks longest. */
  speaker: Type.String(),
  /** The name that was given, else that of the subtitles; null without one. */
  speaker_name: nullable(Type.String()),
  /** Mean of the cosines of all its voices with all of the voice that was asked about. */
  cosine: Type.Number(),
  seconds: Type.Number(),
  /** Voices that are linked with it, itself included. */
  voices: Count,
  /** A part in which it speaks alone, half-open seconds. */
  sample: Type.Tuple([Type.Number(), Type.Number()]),
});
export type AlikeVoice = Static<typeof AlikeVoice>;

const NamedVoices = Type.Object({
  voices: Type.Array(Type.Object({ ...VoiceRef.properties, speaker_name: nullable(Type.String()) })),
});

export const voiceMessages = {
  /**
   * Voices of other files that are most like one, by the same model. In steps, as loads are. NOT_ANALYZED
   * without a transcript, UNKNOWN_SPEAKER. `model`: null where it is not known how the speaker sounds.
   */
  suggest_speakers: ask(
    Type.Object({ ...Folder, ...LoadNumber, ...VoiceRef.properties, limit: Type.Integer({ minimum: 1 }) }),
    Type.Object({ ...LoadStep, model: nullable(Type.String()), suggestions: Type.Array(AlikeVoice) }),
  ),
  /**
   * `same`: the voices are one person from now on, with all that are linked with them, and have one name:
   * `name`, or the only one there is. Else they are different people: what was linked is parted. All or
   * nothing, *flushed*. Answers every voice of that person, or those that were parted. NOT_ANALYZED,
   * UNKNOWN_SPEAKER, NO_VOICE, TWO_VOICES, VOICES_NAMED_APART, NAME_OF_STRANGERS, BAD_NAME.
   */
  link_speakers: ask(
    Type.Object({
      ...Folder,
      voices: Type.Array(VoiceRef),
      name: nullable(Type.String()),
      same: Type.Boolean(),
    }),
    NamedVoices,
  ),
  /**
   * Takes the last `link_speakers` back, while these voices were neither named nor transcribed again since,
   * *flushed*. Answers whom it was said of, as they are named then. NOTHING_SAID.
   */
  take_back_speakers: ask(Type.Object(Folder), NamedVoices),
};
