// The transcript of a file made of its subtitles; where they name no speakers, the sound is diarized.
import { chooseCaptions, speechErrors, speechLanguages } from '../../../transcriber/contract.ts';
import type { Decoder } from '../parts.ts';
import { SpeechSession } from './session.ts';
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
  const named = new Set(segments.flatMap(({ speaker }) => speaker ?? []));
  const withoutVoices = !job.detect_speakers || named.size > 0 || media.probe.audio.length === 0;
  if (withoutVoices || segments.length === 0) {
    return {
      segments,
      language,
      sidecar,
      speakers: named.size > 0 ? named.size : null,
      speech_seconds: null,
    };
  }
  // The text comes from the subtitles, the speakers from the sound.
  const session = new SpeechSession(work, tools);
  try {
    await session.open();
    await session.appendAll(audioDecoder);
    const { speech_seconds } = await session.text();
    const { speakers, count } = await session.speakersOf(segments);
    const spoken = segments.map((segment, i) => ({ ...segment, speaker: speakers?.[i] ?? null }));
    return { segments: spoken, language, sidecar, speakers: count, speech_seconds };
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
  const asked = { media_path: path, language: job.language };
  const beside = await speech.transcriber.ask('sidecar', asked, { signal });
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
