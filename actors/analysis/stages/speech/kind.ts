// The declaration of the speech stage: who says what in a film or sound file.
import { type Static, Type } from 'typebox';
import { ShownWarning } from '../../../../runtime/answer.ts';
import { field, nullable } from '../../../../runtime/schema.ts';
import { uniquePaths } from '../../request.ts';
import { stageKind } from '../kind.ts';
import { SpeechJob, speechBody, speechComplaints, speechJobsOf } from './request.ts';

const Count = Type.Integer({ minimum: 0 });

/** What a transcript of a file came to. */
export const SpeechFacts = Type.Object({
  model_key: field(
    'Key of the speech model; `subtitles` for a transcript made from subtitles.',
    Type.String(),
  ),
  language: field('Language as a BCP 47 code; null if nothing is said.', nullable(Type.String())),
  segments: field('Number of segments in the transcript.', Count),
  speakers: field('Number of speakers; null if speakers were not requested.', nullable(Count)),
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
    amountOf: ({ probe }) => probe.duration_seconds,
    label: 'heard',
    speed: null,
  },
  facts: {
    speech: field('Result of the transcription in this run; null for other work.', nullable(SpeechFacts)),
  },
  noFacts: { speech: null },
  notApplicable: 'no_sound',
  notApplicableMeaning: 'Number of files without sound for which a transcription was requested.',
  labels: {
    notApplicable: 'without sound',
    nothing: 'no sound to transcribe',
    result: ({ speech }) => (speech === null || speech.segments === 0 ? 'nobody speaks' : described(speech)),
  },
  metrics: {
    done: { name: 'framehound_audio_seconds_total', help: 'Seconds of sound transcribed.' },
    results: [],
  },
});

function described({ segments, speakers, language, model_key, warning }: SpeechFacts): string {
  const said = [
    `${segments} ${segments === 1 ? 'segment' : 'segments'}`,
    ...(speakers === null ? [] : [`${speakers} ${speakers === 1 ? 'speaker' : 'speakers'}`]),
    ...(language === null ? [] : [language]),
  ];
  return `${said.join(', ')} (${model_key})${warning === undefined ? '' : `; ${warning}`}`;
}
