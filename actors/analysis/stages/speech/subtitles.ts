// The transcript of a file made of its subtitles; where they name no speakers, or not as many as were asked
// for, the sound is diarized.
import {
  chooseCaptions,
  type Segment,
  speechErrors,
  speechLanguages,
} from '../../../transcriber/contract.ts';
import type { Decoder } from '../parts.ts';
import { SpeechSession } from './session.ts';
import { fewerSpeakers, identifySpeakers, namesOfVoices } from './speaker-ids.ts';
import type { SpeechTools, SpeechWork, Written } from './work.ts';

/** Sidecar files before embedded tracks: somebody put them there on purpose. */
export async function readSubtitles(
  work: SpeechWork,
  audioDecoder: Decoder,
  tools: SpeechTools,
): Promise<Written | null> {
  const { job, media, reason } = work;
  const read = await subtitlesOf(work, audioDecoder, tools);
  if (!read) {
    if (media.probe.audio.length === 0) return null;
    const { path } = media;
    const row = speechErrors.LANGUAGE_UNSUPPORTED.is(reason)
      ? speechErrors.LANGUAGE_UNSUPPORTED
      : speechErrors.NO_SPEECH_MODEL;
    throw row(`${path}: has no subtitles${reason ? `. ${reason.message}` : ''}`, { path }, reason);
  }
  const { segments, language, sidecar } = read;
  const { count, names, ...named } = identifySpeakers(segments);
  const asked = job.detect_speakers && typeof job.speaker_count === 'number' ? job.speaker_count : count;
  const other =
    count > 0 && count !== asked
      ? `the subtitles name ${count} ${count === 1 ? 'speaker' : 'speakers'}, but ${asked} were expected`
      : undefined;
  const hasSound = media.probe.audio.length > 0;
  const byVoice =
    job.detect_speakers && hasSound && segments.length > 0 && (count === 0 || other !== undefined);
  if (!byVoice) {
    const speakers = count > 0 ? count : null;
    const result = { segments: named.segments, language, sidecar, speakers, speech_seconds: null };
    const warning = other && `${other}, and there is no sound to tell them apart`;
    return { ...result, speaker_names: names, ...(warning === undefined ? {} : { warning }) };
  }
  const heard = await voicesOf(work, segments, audioDecoder, tools);
  const warnings = [
    other && `${other}; speakers were told apart by voice`,
    fewerSpeakers(job.speaker_count, heard.speakers),
  ];
  const warning = warnings.filter((one) => one !== undefined).join('; ');
  return { ...heard, language, sidecar, ...(warning === '' ? {} : { warning }) };
}

/**
 * The text comes from the subtitles, the speakers from the sound; names that the subtitles have go to the
 * voices.
 */
async function voicesOf(
  work: SpeechWork,
  segments: readonly Segment[],
  audioDecoder: Decoder,
  tools: SpeechTools,
) {
  const session = new SpeechSession(work, tools);
  try {
    await session.open();
    await session.appendAll(audioDecoder);
    const { speech_seconds } = await session.text();
    const { speakers: ids, count: speakers, voices } = await session.speakersOf(segments);
    const spoken = segments.map((segment, i) => ({ ...segment, speaker: ids?.[i] ?? null }));
    const speaker_names = namesOfVoices(segments, ids ?? []);
    return { segments: spoken, speakers, speech_seconds, speaker_names, voices };
  } finally {
    await session.close();
  }
}

async function subtitlesOf(
  { job, media }: SpeechWork,
  audioDecoder: Decoder,
  { speech, signal }: SpeechTools,
): Promise<Required<Pick<Written, 'segments' | 'language' | 'sidecar'>> | null> {
  const { path, probe } = media;
  const request = { media_path: path, language: job.language };
  const beside = await speech.transcriber.ask('sidecar', request, { signal });
  if (beside) {
    const { segments, version } = beside;
    return { segments, language: beside.language ?? job.language, sidecar: version };
  }
  const track = chooseCaptions(probe.subtitles, job.language);
  if (!track) return null;
  const { codec, header, cues } = await audioDecoder.ask(
    'subtitles',
    { path, stream_index: track.index },
    { signal },
  );
  const { segments } = await speech.transcriber.ask('captions', { codec, header, cues }, { signal });
  // A track in which nothing is written does not say that nobody speaks.
  if (segments.length === 0) return null;
  return { segments, language: trackLanguage(track.language) ?? job.language, sidecar: null };
}

/** Tracks say it in three letters, `ger`; null where they do not. */
function trackLanguage(said: string | null): string | null {
  const code = said === null ? null : speechLanguages.code(said);
  return code === 'auto' ? null : code;
}
