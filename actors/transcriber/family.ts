// Interface of a family of speech models: it opens a row of the registry, and then turns windows of sound
// into text with times. Each family is prepare (pure) -> run -> read (pure); `family` of the row selects it.
import type { Checkpoint } from '../../runtime/sync/checkpoint.ts';
import type { SpeechRow, SpeechSide } from '../models/contract.ts';
import type { RunsOn } from '../models/device.ts';
import type { SessionOpener } from '../models/session.ts';

/** A part of one channel with speech in it, cut at pauses, at most `row.speech.max_window_seconds` long. */
export interface SpeechWindow {
  /** 16 kHz, −1 to 1, all finite; *borrowed until the promise settles*. */
  readonly samples: Float32Array;
  /**
   * Regions of speech, half-open, in samples from the start of the window, ascending, not touching; never
   * empty.
   */
  readonly speech: readonly (readonly [start: number, end: number])[];
}

/** A token, word or phrase: the finest unit for which the model or its family knows the time. */
export interface TextPiece {
  /**
   * The texts of a window joined as they are give its text. One that begins a word starts with a space where
   * its script uses spaces; never empty.
   */
  readonly text: string;
  /** Seconds from the start of the window, 0 ≤ start ≤ end ≤ length; starts ascend. */
  readonly start: number;
  readonly end: number;
  /** BCP 47; left out where it is that of the window. */
  readonly language?: string | null;
}

/** Text of one window. */
export interface WindowTranscript {
  /** Empty when nothing is said, or the model wrote no text. */
  readonly pieces: readonly TextPiece[];
  /** BCP 47: the one asked for, or the one detected; null when it is not known. */
  readonly language: string | null;
  /** BCP 47 of what is clearly heard; null or left out where the model does not say. */
  readonly heard?: string | null;
  /** Certainty that the model reports, for the filter of hallucinations. */
  readonly confidence?: TextConfidence;
}

export interface TextConfidence {
  /** Probability, 0 to 1, that nobody speaks. */
  readonly noSpeech: number;
  /** Mean natural logarithm of the probability of a token; 0 is certain. */
  readonly meanLogProbability: number;
}

/** Transcript of a window without speech. */
export const emptyTranscript: WindowTranscript = { pieces: [], language: null };

export interface SpeechFamily {
  /** Where most of the work runs. */
  readonly runsOn: RunsOn;
  /**
   * At most `row.speech.batch` windows, possibly of several files; one answer for each, in order, and none
   * depends on the other windows. `language`: BCP 47, one that the row names, or null to detect it.
   * `follows`: a window in which another language is clearly heard is written in that one, if the model says.
   * `checkpoint` is awaited between runs, also between two tokens; what it throws ends the call and leaves
   * the family usable.
   */
  transcribe(
    windows: readonly SpeechWindow[],
    language: string | null,
    checkpoint: Checkpoint,
    follows?: boolean,
  ): Promise<readonly WindowTranscript[]>;
  /**
   * The language of each window, at most `row.speech.batch` of them: BCP 47, one that the row names, or null
   * where the model cannot tell. `checkpoint` as above.
   */
  detectLanguage(
    windows: readonly SpeechWindow[],
    checkpoint: Checkpoint,
  ): Promise<readonly (string | null)[]>;
  /** Frees sessions, files and buffers. Called once, when nothing runs. */
  close(): Promise<void>;
}

export interface TranscriberFamily {
  /**
   * `file`: absolute path of the file with that role; throws MODEL_INVALID when the row names none.
   * `checkpoint` is awaited between the steps that take long; what was opened is released when it throws. A
   * graph that does not declare what the family feeds, or answers something else, is MODEL_LOAD_FAILED with
   * the name of its file.
   */
  open(
    row: SpeechRow,
    file: (role: string) => string,
    session: SessionOpener,
    checkpoint: Checkpoint,
  ): Promise<SpeechFamily>;
}

// The most tokens a model may write for a window: it stops decoders that do not end by themselves.

/** `samples` at 16 kHz. */
export function tokenLimit({ token_limit: { min, per_second, max } }: SpeechSide, samples: number): number {
  return Math.min(max, min + Math.ceil((per_second * samples) / 16_000));
}
