// Voices across files: who may be the same speaker, and what people say about it.
import { Type } from 'typebox';
import { CacheDir } from '../../actors/index/store/contract.ts';
import {
  ConfirmedSpeakers,
  ConfirmSpeakersRequest,
  SpeakerSuggestions,
  SuggestSpeakersRequest,
} from '../../actors/search/voices/contract.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Transcriptions';

export const suggestSpeakers = route({
  method: 'POST',
  path: '/api/v1/speakers/suggest',
  id: 'suggestSpeakers',
  tag,
  summary: 'Suggest speakers with a similar voice',
  description:
    'Suggestions are sorted by similarity, most similar first. They are based on the vectors that the ' +
    'speaker model stored when the files were transcribed with speakers; no media is opened. The file is ' +
    'given by either `media_path` or `hash_str`. Linked voices count as one voice and are compared by ' +
    'all of their vectors. Omitted are voices of other models or model versions, speakers in the same ' +
    'file, and voices that PUT /speakers/confirm marked as different. Suggestions can be wrong: listen ' +
    'to the `sample`.',
  body: SuggestSpeakersRequest,
  answers: { 200: SpeakerSuggestions },
  handle: async ({ body, signal }, { search }) => reply(200, await search.voices.suggest(body, signal)),
});

export const confirmSpeakers = route({
  method: 'PUT',
  path: '/api/v1/speakers/confirm',
  id: 'confirmSpeakers',
  tag,
  summary: 'Confirm that voices are the same person, or are not',
  description:
    'Stores everything or nothing. With `same`, the voices are the same person, together with all voices ' +
    'already linked to them, and get one name: `name`, or the name that one of them has. Returns 400 if ' +
    'they have two names and `name` is not given. A name that PUT /transcriptions/speakers gives to one ' +
    'linked voice applies to all of them. Without `same`, the voices are different people and are not ' +
    'suggested for each other again; if they were linked, the first voice stays with that person and the ' +
    'others are unlinked. The latest answer counts, and POST /speakers/undo undoes the last one. Answers ' +
    'are kept when a file is transcribed again, for speakers who speak at the same times or sound the ' +
    'same, and deleted when the file is forgotten.',
  body: ConfirmSpeakersRequest,
  answers: { 200: ConfirmedSpeakers },
  handle: async ({ body, signal }, { search }) => reply(200, await search.voices.confirm(body, signal)),
});

export const undoSpeakers = route({
  method: 'POST',
  path: '/api/v1/speakers/undo',
  id: 'undoSpeakers',
  tag,
  summary: 'Undo the last answer about voices',
  description:
    'Undoes the last PUT /speakers/confirm: the links, the voices marked as different, and the names. ' +
    'Only the last answer can be undone. Returns 409 if there is nothing to undo, or if these voices ' +
    'have since been named, transcribed again or forgotten.',
  body: Type.Object({ cache_dir: CacheDir }),
  answers: { 200: ConfirmedSpeakers, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, await search.voices.undo(body.cache_dir, signal)),
});

export const speakerRoutes: readonly Route[] = [suggestSpeakers, confirmSpeakers, undoSpeakers];
