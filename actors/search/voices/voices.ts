// In which other files a voice speaks, for the coordinator of search, and what people say about that.
import { engineErrors } from '../../../runtime/errors.ts';
import { Semaphore } from '../../../runtime/sync/locks.ts';
import { isMediaError } from '../../decoder/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import type { ModelLibrary } from '../../models/contract.ts';
import { likenessScale } from '../../models/face-distance.ts';
import { loadInSteps, now } from '../loaded-data.ts';
import { whichMedia } from '../media/contract.ts';
import { hashesAt, type LocationParts } from '../media/location.ts';
import type { SuggestSpeakersRequest, Voices } from './contract.ts';

interface VoicesParts extends LocationParts {
  /** Knows from when on voices are worth a question. */
  readonly modelLibrary: Pick<ModelLibrary, 'list'>;
}

/** For models whose row says nothing, or is gone: whole voices of strangers reach .7 with CAM++. */
const usualCosine = 0.75;
/** Voices of less say too little. */
const leastSeconds = 3;

/**
 * Fewer than the index keeps open: with more each would end another one before its next step, and none would
 * get done.
 */
const mostSearches = 4;

export function createVoices(parts: VoicesParts): Voices {
  const { index } = parts;
  const searches = new Semaphore(mostSearches);
  return {
    suggest: async (request, signal) => {
      const { cache_dir, speaker, limit } = request;
      const hash_str = await hashOf(parts, request, signal);
      if (hash_str === null) return { suggestions: [], warning: withoutTranscript };
      const query = { cache_dir, hash_str, speaker, limit };
      const find = () =>
        loadInSteps(
          (load) => index.ask('suggest_speakers', { ...query, load }, now(signal)),
          () => {
            if (signal?.aborted) throw engineErrors.CANCELLED();
          },
        );
      const result = await searches.run(find, { signal }).catch(noTranscript);
      if (result === null) return { suggestions: [], warning: withoutTranscript };
      const { model, suggestions } = result;
      if (model === null) return { suggestions: [], warning: withoutVoice };
      const least = await leastCosine(parts, model);
      const scale = likenessScale(least);
      return {
        suggestions: suggestions
          .filter(({ cosine, seconds }) => cosine >= least && seconds >= leastSeconds)
          .map(({ path, cosine, seconds, voices, sample: [start_seconds, end_seconds], ...voice }) => ({
            ...voice,
            media_path: path,
            similarity: scale.of(cosine),
            speaking_seconds: seconds,
            linked_voices: voices,
            sample: { start_seconds, end_seconds },
          })),
      };
    },
    confirm: ({ cache_dir, voices, name = null, same }, signal) =>
      index.ask('link_speakers', { cache_dir, voices, name, same }, now(signal)),
    undo: (cache_dir, signal) => index.ask('take_back_speakers', { cache_dir }, now(signal)),
  };
}

const withoutVoice =
  'No voice is stored for this speaker: voices are not kept for speakers named in subtitles, for those who are alone for ' +
  'less than 3 seconds, or for transcriptions made by an earlier version. Transcribe the file again with ' +
  '`detect_speakers` and `force`';

const withoutTranscript = 'The file has no transcription';

function noTranscript(error: unknown): null {
  if (storeErrors.NOT_ANALYZED.is(error)) return null;
  throw error;
}

/** Null for a file that cannot be read and so has no transcript. */
async function hashOf(
  parts: LocationParts,
  request: SuggestSpeakersRequest,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const named = whichMedia(request);
  if ('hash_str' in named) return named.hash_str;
  const [hash = null] = await hashesAt(parts, request.cache_dir, [named.media_path], now(signal), (error) => {
    if (isMediaError(error)) return null;
    throw error;
  });
  return hash;
}

/** `model`: `key@version`. */
async function leastCosine({ modelLibrary }: VoicesParts, model: string): Promise<number> {
  const key = model.slice(0, model.lastIndexOf('@'));
  const { models } = await modelLibrary.list();
  return models.find(({ row }) => row.key === key)?.row.speaker?.thresholds.voices ?? usualCosine;
}
