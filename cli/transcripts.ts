// Stored transcripts, read and searched.
import {
  mostTranscriptions,
  type TranscriptionsAnswer,
  type TranscriptSearchAnswer,
} from '../actors/search/transcripts/contract.ts';
import type { Client } from '../http/client/client.ts';

/** Those of these files. An answer holds so much text at most, and names the files that are left. */
export async function allTranscripts(
  client: Client,
  cache_dir: string,
  media_paths: readonly string[],
): Promise<TranscriptionsAnswer> {
  const all: TranscriptionsAnswer = { transcriptions: {}, transcription_data: {} };
  const unreadable: string[] = [];
  for (let left = [...media_paths]; left.length > 0; ) {
    const asked = left.slice(0, mostTranscriptions);
    const part = await client.transcriptions({ cache_dir, media_paths: asked });
    Object.assign(all.transcriptions, part.transcriptions);
    Object.assign(all.transcription_data, part.transcription_data);
    unreadable.push(...(part.unreadable ?? []));
    const { remaining_media_paths: next = [] } = part;
    if (next.length >= asked.length) break;
    left = [...next, ...left.slice(mostTranscriptions)];
  }
  return unreadable.length > 0 ? { ...all, unreadable } : all;
}

/** Loads what is stored, and searches it. */
export async function searchTranscripts(
  client: Client,
  request: Parameters<Client['searchTranscript']>[0],
): Promise<TranscriptSearchAnswer> {
  await client.loadTranscriptions({ cache_dir: request.cache_dir });
  return client.searchTranscript(request);
}
