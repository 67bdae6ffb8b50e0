// Handlers that find files, folders and speakers by their names.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import type { TranscriptParts } from '../transcripts/handlers.ts';
import type { nameMessages } from './contract.ts';
import { namedMedia } from './media-names.ts';
import { namedSpeakers } from './speakers.ts';

export function nameHandlers(parts: TranscriptParts): Handlers<Contract<typeof nameMessages>> {
  return {
    media_named: (request, turn) => namedMedia(parts, request, () => turn.throwIfCancelled()),
    speakers_named: (request, turn) => namedSpeakers(parts, request, () => turn.throwIfCancelled()),
  };
}
