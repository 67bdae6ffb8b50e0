// What is done to write down the speech of one file: listen to it, or read the subtitles that come with it, and store.
import type { Ref } from '../../../../runtime/ref.ts';
import { type decoderContract, soundRate } from '../../../decoder/contract.ts';
import type { indexContract } from '../../../index/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import type { TranscriptMark } from '../../../index/transcripts/contract.ts';
import {
  chooseCaptions,
  type Heard,
  type Segment,
  speechErrors,
  speechLanguages,
} from '../../../transcriber/contract.ts';
import { type SpeechFacts, type SpeechJob, subtitlesKey } from '../../contract.ts';
import type { SpeechParts } from '../../task.ts';
import { unchanged } from '../stages.ts';
import type { SpeechModel } from './model.ts';

type AudioDecoder = Ref<typeof decoderContract>;

/** One file to write down. */
export interface SpeechWork {
  readonly job: SpeechJob;
  readonly media: MediaRecord;
  /** Null: only subtitles are read. */
  readonly model: string | null;
  /** Why there is no model, for a file that has no subtitles either; null when subtitles were asked for. */
  readonly reason: Error | null;
}

export interface SpeechStage {
  readonly speech: SpeechParts;
  readonly loaded: SpeechModel;
  readonly index: Ref<typeof indexContract>;
  readonly cacheDir: string;
  readonly signal: AbortSignal;
  /** Seconds of the file that were listened to since the last call. */
  onHeard(seconds: number): void;
}

type Wish = Omit<TranscriptMark, 'spoken' | 'sidecar'>;

/** With what the same work is known again. */
export function markOf({ job, model }: Pick<SpeechWork, 'job' | 'model'>): Wish {
  const { language, channels, detect_speakers, speaker_count } = job;
  return {
    model_key: model ?? subtitlesKey,
    language,
    channels,
    detect_speakers,
    speaker_count: detect_speakers ? String(speaker_count) : 'auto',
  };
}

/** True when what is stored came about as it would now. */
export function isSame(stored: TranscriptMark, wanted: Wish): boolean {
  return (
    stored.model_key === wanted.model_key &&
    stored.language === wanted.language &&
    stored.detect_speakers === wanted.detect_speakers &&
    stored.speaker_count === wanted.speaker_count &&
    String(stored.channels) === String(wanted.channels)
  );
}

interface Written {
  readonly segments: readonly Segment[];
  readonly language: string | null;
  readonly speakers: number | null;
  readonly speech_seconds: number | null;
  /** Which text the file beside the media had; null when it was not read. */
  readonly sidecar?: string | null;
}

/**
 * Writes down what is said and stores it. On any error or cancel nothing of it stays. Null when there is neither sound nor
 * a subtitle.
 */
export async function writeDown(
  work: SpeechWork,
  audioDecoder: AudioDecoder,
  stage: SpeechStage,
): Promise<SpeechFacts | null> {
  const { media, model } = work;
  const { index, cacheDir: cache_dir } = stage;
  const written =
    model === null ? await readSubtitles(work, audioDecoder, stage) : await listen(work, audioDecoder, stage);
  if (!written) return null;
  await unchanged(media);
  const { segments, language, speakers, speech_seconds } = written;
  const mark = { ...markOf(work), spoken: language, sidecar: written.sidecar ?? null };
  // Not cancellable: what is finished stays.
  await index.ask('transcribe', { cache_dir, media, mark, segments: [...segments] });
  return { model_key: mark.model_key, language, segments: segments.length, speakers, speech_seconds };
}

async function listen(work: SpeechWork, audioDecoder: AudioDecoder, stage: SpeechStage): Promise<Written> {
  const session = new SpeechSession(work, stage);
  try {
    await session.open();
    await session.hearOut(audioDecoder);
    const { segments, language, speech_seconds } = await session.text();
    const { speakers, count } = await session.speakersOf(segments);
    const named = segments.map((segment, i) => ({ ...segment, speaker: speakers?.[i] ?? null }));
    return { segments: named, language, speech_seconds, speakers: count };
  } finally {
    await session.close();
  }
}

/** What one file is heard with: the transcriber, and the diarizer beside it when speakers are wanted. */
class SpeechSession {
  readonly #work: SpeechWork;
  readonly #stage: SpeechStage;
  readonly #channels: number;
  #transcription: number | null = null;
  #diarization: number | null = null;

  constructor(work: SpeechWork, stage: SpeechStage) {
    this.#work = work;
    this.#stage = stage;
    this.#channels = work.job.channels?.length ?? 1;
  }

  async open(): Promise<void> {
    const { speech, loaded, signal } = this.#stage;
    const { job, model } = this.#work;
    // Asked for every file, because an actor that came back after a crash has no model; one that has it answers at once.
    if (model !== null) await loaded.load(speech.transcriber, model, { signal });
    if (job.detect_speakers) await speech.diarizer.ask('load', {}, { signal });
    const channels = this.#channels;
    // Not cancellable: what was opened has to be known here, or nobody would close it.
    const asked = { model_key: model, language: job.language, channels };
    this.#transcription = (await speech.transcriber.ask('open', asked)).session;
    if (!job.detect_speakers) return;
    const { session } = await speech.diarizer.ask('open', { channels, speaker_count: job.speaker_count });
    this.#diarization = session;
  }

  async hearOut(audioDecoder: AudioDecoder): Promise<void> {
    const { speech, signal, onHeard } = this.#stage;
    const { job, media } = this.#work;
    const transcription = this.#transcription ?? 0;
    const request = { path: media.path, channels: job.channels };
    for await (const block of audioDecoder.feed('sound', request, { signal, credit: 2 })) {
      const { channel, first_sample, count, samples } = block;
      const slots = [samples];
      const heard = await speech.transcriber.ask(
        'append',
        { session: transcription, channel, first_sample, count, samples },
        { signal, slots },
      );
      await this.#tellDiarizer({ channel, first_sample, count, samples, ...heard });
      onHeard(count / soundRate / this.#channels);
    }
    for (let channel = 0; channel < this.#channels; channel++) {
      const heard = await speech.transcriber.ask('end', { session: transcription, channel }, { signal });
      await this.#tellDiarizer({ channel, first_sample: heard.settled, count: 0, samples: null, ...heard });
    }
  }

  async #tellDiarizer(block: Heard & Omit<DiarizerBlock, 'session' | 'speech' | 'settled'>): Promise<void> {
    if (this.#diarization === null) return;
    const { speech, signal } = this.#stage;
    const slots = block.samples === null ? [] : [block.samples];
    await speech.diarizer.ask('append', { session: this.#diarization, ...block }, { signal, slots });
  }

  async text() {
    const { speech, signal } = this.#stage;
    const answer = await speech.transcriber.ask('finish', { session: this.#transcription ?? 0 }, { signal });
    this.#transcription = null;
    return answer;
  }

  async speakersOf(segments: readonly Segment[]) {
    if (this.#diarization === null) return { speakers: null, count: null };
    const { speech, signal } = this.#stage;
    const spans = segments.map(({ start_seconds, end_seconds }): [number, number] => [
      start_seconds,
      end_seconds,
    ]);
    const request = { session: this.#diarization, spans };
    const { speakers } = await speech.diarizer.ask('finish', request, { signal });
    this.#diarization = null;
    return numbered(speakers);
  }

  /** What is finished is closed already. */
  async close(): Promise<void> {
    const { transcriber, diarizer } = this.#stage.speech;
    // An actor that is down keeps nothing; the error that led here is the one to tell.
    const ignore = () => {};
    if (this.#transcription !== null)
      await transcriber.ask('drop', { session: this.#transcription }).catch(ignore);
    if (this.#diarization !== null) await diarizer.ask('drop', { session: this.#diarization }).catch(ignore);
  }
}

/** The voices that say something in the transcript, in order of appearance there: others may be heard between its segments. */
function numbered(speakers: readonly (string | null)[]) {
  const ids = new Map<string, string>();
  for (const speaker of speakers) {
    if (speaker !== null && !ids.has(speaker)) {
      ids.set(speaker, `SPEAKER_${String(ids.size).padStart(2, '0')}`);
    }
  }
  const named = speakers.map((speaker) => (speaker === null ? null : (ids.get(speaker) ?? null)));
  return { speakers: named, count: ids.size };
}

interface DiarizerBlock {
  readonly channel: number;
  readonly first_sample: number;
  readonly count: number;
  readonly samples: { readonly slot: number; readonly generation: number } | null;
}

/** Sidecar files before embedded tracks: somebody put them there on purpose. */
async function readSubtitles(
  work: SpeechWork,
  audioDecoder: AudioDecoder,
  stage: SpeechStage,
): Promise<Written | null> {
  const { job, media, reason } = work;
  const read = await subtitlesOf(work, audioDecoder, stage);
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
  // The subtitles say what is said, the sound says by whom.
  const session = new SpeechSession(work, stage);
  try {
    await session.open();
    await session.hearOut(audioDecoder);
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
  audioDecoder: AudioDecoder,
  { speech, signal }: SpeechStage,
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
