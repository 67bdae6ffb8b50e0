// What there is to do for the speech of one file, and how the same work is known again.
import type { SpeakerVoices } from '../../../diarizer/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import type { TranscriptMark } from '../../../index/transcripts/contract.ts';
import type { Segment } from '../../../transcriber/contract.ts';
import type { Index, SpeechParts } from '../parts.ts';
import type { FileSpans } from '../stage.ts';
import type { SpeechModel } from './model.ts';
import { type SpeechJob, subtitlesKey } from './request.ts';

/** One file to write down. */
export interface SpeechWork {
  readonly job: SpeechJob;
  readonly media: MediaRecord;
  /** Null: only subtitles are read. */
  readonly model: string | null;
  /** Why there is no model, for a file that has no subtitles either; null when subtitles were asked for. */
  readonly reason: Error | null;
}

/** What it is done with. */
export interface SpeechTools {
  readonly speech: SpeechParts;
  readonly loaded: SpeechModel;
  readonly index: Index;
  readonly cacheDir: string;
  readonly signal: AbortSignal;
  /** Where the words of the file are kept; null when they are not. */
  readonly spans: FileSpans | null;
  /** Seconds of the file that were appended to its sessions since the last call. */
  onAppended(seconds: number): void;
}

/** What was transcribed, or read from subtitles. */
export interface Written {
  readonly segments: readonly Segment[];
  readonly language: string | null;
  readonly speakers: number | null;
  readonly speech_seconds: number | null;
  /** Which text the file beside the media had; null when it was not read. */
  readonly sidecar?: string | null;
  /** Names that the subtitles give, by id of the speaker. */
  readonly speaker_names?: Readonly<Record<string, string>>;
  /** How the speakers sound; null or left out where nobody listened. */
  readonly voices?: SpeakerVoices | null;
  /** What a person should know about it. */
  readonly warning?: string;
}

type Wish = Omit<TranscriptMark, 'spoken' | 'sidecar' | 'speaker_names'>;

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
