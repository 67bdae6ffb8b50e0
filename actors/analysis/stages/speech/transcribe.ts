// Makes and stores the transcript of one file: from its sound, or from the subtitles that come with it.
import { expectUnchanged } from '../../media/survey.ts';
import type { Decoder } from '../parts.ts';
import type { SpeechFacts } from './kind.ts';
import { SpeechSession } from './session.ts';
import { fewerSpeakers } from './speaker-ids.ts';
import { readSubtitles } from './subtitles.ts';
import { markOf, type SpeechTools, type SpeechWork, type Written } from './work.ts';

/**
 * Answers when the transcript is stored. On any error or cancel nothing of it stays. Null when there is
 * neither sound nor a subtitle.
 */
export async function transcribe(
  work: SpeechWork,
  audioDecoder: Decoder,
  tools: SpeechTools,
): Promise<SpeechFacts | null> {
  const { media, model } = work;
  const { index, cacheDir: cache_dir } = tools;
  const written =
    model === null
      ? await readSubtitles(work, audioDecoder, tools)
      : await transcribeSound(work, audioDecoder, tools);
  if (!written) return null;
  await expectUnchanged(media);
  const { segments, language, speakers, speech_seconds, speaker_names: said, warning } = written;
  const speaker_names = said && Object.keys(said).length > 0 ? { speaker_names: { ...said } } : {};
  const mark = { ...markOf(work), spoken: language, sidecar: written.sidecar ?? null, ...speaker_names };
  // Not cancellable: what is finished stays.
  const voices = written.voices ? { voices: written.voices } : {};
  await index.ask('transcribe', { cache_dir, media, mark, segments: [...segments], ...voices });
  const facts = { model_key: mark.model_key, language, segments: segments.length, speakers, speech_seconds };
  return warning === undefined ? facts : { ...facts, warning };
}

async function transcribeSound(
  work: SpeechWork,
  audioDecoder: Decoder,
  tools: SpeechTools,
): Promise<Written> {
  const session = new SpeechSession(work, tools);
  try {
    await session.open();
    await session.appendAll(audioDecoder);
    const { segments, language, speech_seconds } = await session.text();
    const { speakers, count, voices } = await session.speakersOf(segments);
    const named = segments.map((segment, i) => ({ ...segment, speaker: speakers?.[i] ?? null }));
    const warning = fewerSpeakers(work.job.speaker_count, count);
    const written = { segments: named, language, speech_seconds, speakers: count, voices };
    return warning === undefined ? written : { ...written, warning };
  } finally {
    await session.close();
  }
}
