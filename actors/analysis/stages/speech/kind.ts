// The declaration of the speech stage: who says what in a film or sound file.

import { resolve } from 'node:path';
import { type Static, type TObject, Type } from 'typebox';
import { defaulted, described, field, nullable, oneOf, ShownWarning } from '../../../../runtime/schema.ts';
import { counted } from '../../../../runtime/text.ts';
import {
  OptionalSpeakerRange,
  rangeText,
  SpeakerCount,
  SpeakersUncertain,
} from '../../../diarizer/contract.ts';
import { speechLanguages, xPreferences } from '../../../transcriber/contract.ts';
import { type Complaint, MediaPath, Text, uniquePaths } from '../../request.ts';
import { stageKind } from '../kind.ts';

// The part of a request about speech: its fields, their meaning together, and the jobs in their recorded
// form.

/** Says that subtitles are to be read, whatever models there are. */
export const subtitlesKey = 'subtitles';

/** The same, where files without subtitles are left alone, and so are transcripts by a model. */
export const anySubtitlesKey = 'subtitles if any';

export const speechPreferences = [...xPreferences, subtitlesKey, anySubtitlesKey] as const;
export type SpeechPreference = (typeof speechPreferences)[number];
const SpeechPreference = Type.Unsafe<SpeechPreference>({ type: 'string', enum: [...speechPreferences] });

const AskedSpeakerCount = described(
  Type.Union([oneOf('auto', 'auto-detect', '5+'), Type.Integer({ minimum: 1, maximum: 4 })]),
  'A number from 1 to 4 sets the number of speakers; `5+` means 5 to 12 speakers. It also applies to subtitles: ' +
    'if they name another number, voices decide who speaks, and each voice gets the name it says most words of.',
);
const ModelChoice = described(
  oneOf(...speechPreferences),
  '`faster` is x3-asr-0.6b and `more accurate` is x3-asr-1.7b, for the languages of that family. If ' +
    'that model is not downloaded, the best downloaded one is used instead. `subtitles` uses subtitles ' +
    'in or next to the file; `subtitles if any` does, too, but skips files without subtitles and files that ' +
    'a model has transcribed. Of subtitles in several languages, those that fit `language` best are the ' +
    'transcript; the others are stored and searched, too.',
);

const TranscriptionJob = Type.Object(
  {
    path: MediaPath,
    language: defaulted(
      described(
        Text,
        'Name or code of a language, such as `english`, `de` or `pt-BR`. `auto` detects the language and follows ' +
          'it where it changes within the file. For a given language, `speech.warning` of the result says if ' +
          'another one is clearly heard.',
      ),
      'english',
    ),
    detect_speakers: field(
      'Whether to detect speakers. A job without this field uses the value of the request.',
      Type.Optional(Type.Boolean()),
    ),
    speaker_count: Type.Optional(AskedSpeakerCount),
    preferred_x_model_key: Type.Optional(ModelChoice),
    channels: defaulted(
      described(
        nullable(Type.Array(Type.Integer({ minimum: 1 }))),
        'Channels to transcribe separately, counted from 1. If null or empty, the channels of the default ' +
          'track, and of those recorded with it, are mixed into one; a commentary or another language is not.',
      ),
      null,
    ),
  },
  { title: 'TranscriptionJob' },
);
export type TranscriptionJob = Static<typeof TranscriptionJob>;

export const speechBody = {
  detect_speakers: field(
    'Whether to detect speakers. A job without this field uses the value of the request.',
    defaulted(Type.Boolean(), true),
  ),
  speaker_count: defaulted(AskedSpeakerCount, 'auto'),
  preferred_x_model_key: defaulted(ModelChoice, 'auto'),
  transcription_jobs: field('Files to transcribe.', defaulted(Type.Array(TranscriptionJob), [])),
};
type SpeechBody = Static<TObject<typeof speechBody>>;

/** A file whose speech is to be written down, as it is recorded. */
export const SpeechJob = Type.Object({
  /** Absolute. */
  path: Type.String({ minLength: 1 }),
  /** BCP 47; null for whatever is spoken. */
  language: nullable(Type.String()),
  /** Counted from 1 over all audio tracks, each by itself; null: all mixed into one. */
  channels: nullable(Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1 })),
  detect_speakers: Type.Boolean(),
  speaker_count: SpeakerCount,
  preferred: SpeechPreference,
});
export type SpeechJob = Static<typeof SpeechJob>;

/** Languages nobody knows, and files that are asked for twice in different ways. */
export function speechComplaints(body: SpeechBody): Complaint[] {
  const complaints: Complaint[] = [];
  const first = new Map<string, { readonly at: number; readonly text: string }>();
  const jobs = jobsOf(body);
  body.transcription_jobs.forEach(({ language, path }, i) => {
    const field = `transcription_jobs[${i}]`;
    if (speechLanguages.code(language) === null) {
      complaints.push({ field: `${field}.language`, what: `is not a known language: ${language}` });
    }
    const text = JSON.stringify(jobs[i]);
    const before = first.get(resolve(path));
    if (!before) first.set(resolve(path), { at: i, text });
    else if (before.text !== text) {
      complaints.push({
        field: `${field}.path`,
        what: `has different settings in transcription_jobs[${before.at}]; a file has one transcript only`,
      });
    }
  });
  return complaints;
}

/** Only for a body without complaints. */
export function speechJobsOf(body: SpeechBody): SpeechJob[] {
  return jobsOf(body).map((job) => ({ ...job, language: job.language === 'auto' ? null : job.language }));
}

function jobsOf(body: SpeechBody): (Omit<SpeechJob, 'language'> & { readonly language: string })[] {
  return body.transcription_jobs.map((job) => {
    const count = job.speaker_count ?? body.speaker_count;
    return {
      // In the plain form in which every other route looks for it.
      path: resolve(job.path),
      language: speechLanguages.code(job.language) ?? job.language,
      channels: channelsOf(job.channels),
      detect_speakers: job.detect_speakers ?? body.detect_speakers,
      speaker_count: count === 'auto-detect' ? 'auto' : (count as SpeechJob['speaker_count']),
      preferred: job.preferred_x_model_key ?? body.preferred_x_model_key,
    };
  });
}

/** Each channel once, ascending; null for the downmix. */
function channelsOf(channels: readonly number[] | null): number[] | null {
  if (channels === null || channels.length === 0) return null;
  return [...new Set(channels)].sort((a, b) => a - b);
}

const Count = Type.Integer({ minimum: 0 });

export const SpeechFacts = Type.Object({
  model_key: field(
    'Key of the speech model; `subtitles` for a transcript made from subtitles.',
    Type.String(),
  ),
  language: field('Language as a BCP 47 code; null if nothing is said.', nullable(Type.String())),
  segments: field('Number of segments in the transcript.', Count),
  speakers: field('Number of speakers; null if speakers were not requested.', nullable(Count)),
  speakers_uncertain: SpeakersUncertain,
  speaker_range: OptionalSpeakerRange,
  speech_seconds: field('Seconds of speech; null for subtitles.', nullable(Type.Number())),
  warning: ShownWarning,
});
export type SpeechFacts = Static<typeof SpeechFacts>;

export const speechKind = stageKind({
  type: 'speech',
  needs: [],
  place: 'analysis',
  body: speechBody,
  complaints: speechComplaints,
  media: ({ transcription_jobs }) =>
    transcription_jobs.map(({ path }, i) => ({ field: `transcription_jobs[${i}].path`, path })),
  resolved: {
    /** Files to transcribe, each once. */
    speech: Type.Array(SpeechJob),
  },
  resolve: (body) => ({ speech: uniquePaths(speechJobsOf(body), ({ path }) => path) }),
  nothing: { speech: [] },
  shows: [],
  jobsOf: ({ speech }) => [{ name: null, items: speech }],
  unit: {
    done: 'heard_seconds',
    all: 'sound_seconds',
    meanings: ['Seconds of sound that have been transcribed.', 'Total seconds of sound.'],
    measure: 'seconds',
    weight: 1,
    cost: 0.36,
    amountOf: ({ probe }) => probe.duration_seconds,
    label: 'heard',
    speed: null,
  },
  facts: {
    speech: field('Result of the transcription in this run; null for other work.', nullable(SpeechFacts)),
  },
  noFacts: { speech: null },
  notApplicable: 'no_sound',
  notApplicableMeaning:
    'Number of files without sound for which a transcription was requested, and of files that were skipped ' +
    'with `subtitles if any`.',
  labels: {
    notApplicable: 'without sound',
    nothing: 'no sound to transcribe',
    result: ({ speech }) => (speech === null || speech.segments === 0 ? 'nobody speaks' : factsText(speech)),
  },
  metrics: {
    done: { name: 'framehound_audio_seconds_total', help: 'Seconds of sound transcribed.' },
    results: [],
  },
});

function factsText({ segments, speaker_range: range, ...facts }: SpeechFacts): string {
  const { speakers, language, model_key, warning } = facts;
  const said = [
    counted(segments, 'segment'),
    ...(speakers === null ? [] : [range ? rangeText(range) : counted(speakers, 'speaker')]),
    ...(language === null ? [] : [language]),
  ];
  return `${said.join(', ')} (${model_key})${warning === undefined ? '' : `; ${warning}`}`;
}
