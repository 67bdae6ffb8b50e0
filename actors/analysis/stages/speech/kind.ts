// The declaration of the speech stage: who says what in a film or sound file.
import { type Static, Type } from 'typebox';
import { nullable } from '../../../../runtime/schema.ts';
import { uniquePaths } from '../../request.ts';
import { stageKind } from '../kind.ts';
import { SpeechJob, speechBody, speechComplaints, speechJobsOf } from './request.ts';

const Count = Type.Integer({ minimum: 0 });

/** What a transcript of a file came to. */
export const SpeechFacts = Type.Object({
  /** The model really used; `subtitles` for a transcript made of them. */
  model_key: Type.String(),
  /** BCP 47; null when nothing was said. */
  language: nullable(Type.String()),
  segments: Count,
  /** Null when there was no diarization. */
  speakers: nullable(Count),
  /** Seconds in which somebody speaks; null for subtitles. */
  speech_seconds: nullable(Type.Number()),
  /** What a person should know about it; left out when there is nothing. */
  warning: Type.Optional(Type.String()),
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
    measure: 'seconds',
    weight: 1,
    amountOf: ({ probe }) => probe.duration_seconds,
    label: 'heard',
    speed: null,
  },
  facts: {
    /** Of work of type `speech` that was done now. */
    speech: nullable(SpeechFacts),
  },
  noFacts: { speech: null },
  notApplicable: 'no_sound',
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
