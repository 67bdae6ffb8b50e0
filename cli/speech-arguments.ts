// The options of transcribing, as a request has them.
import {
  type SpeechPreference,
  speechPreferences,
  type TranscriptionJob,
} from '../actors/analysis/stages/speech/request.ts';
import { speechLanguages } from '../actors/transcriber/contract.ts';
import { usageErrors } from './context.ts';

export function languageArgument(text: string): string {
  if (speechLanguages.code(text) !== null) return text;
  throw usageErrors.USAGE(`--language is not a known language: ${text}`);
}

export function channelsArgument(text: string): number[] {
  const channels = text.split(',').map(Number);
  if (channels.length === 0 || !channels.every((channel) => Number.isInteger(channel) && channel > 0)) {
    throw usageErrors.USAGE(`--channels must be numbers from 1 up, separated by commas, not ${text}`);
  }
  return [...new Set(channels)].sort((a, b) => a - b);
}

/** `auto`, `none`, `5+` or 1 to 4. */
export function speakersArgument(text: string): Pick<TranscriptionJob, 'detect_speakers' | 'speaker_count'> {
  if (text === 'none') return { detect_speakers: false, speaker_count: 'auto' };
  if (text === 'auto' || text === '5+') return { detect_speakers: true, speaker_count: text };
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 4) {
    throw usageErrors.USAGE(`--speakers must be auto, none, 5+ or a number from 1 to 4, not ${text}`);
  }
  return { detect_speakers: true, speaker_count: count };
}

export function preferenceArgument(text: string): SpeechPreference {
  const preference = speechPreferences.find((one) => one === text);
  if (!preference)
    throw usageErrors.USAGE(`--with must be one of ${speechPreferences.join(', ')}, not ${text}`);
  return preference;
}
