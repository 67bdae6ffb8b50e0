// Voices across files: who may be the same speaker, and what people say about it.
import { Type } from 'typebox';
import { mostNameLetters } from '../../actors/index/people/person-name.ts';
import { ConfirmedSpeakers, SpeakerSuggestions } from '../../actors/search/voices/contract.ts';
import { defaulted, described, nullable } from '../../runtime/schema.ts';
import { absolute, CacheDir } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';
import { HashStr, mediaFields, whichMedia } from './media-fields.ts';

const tag = 'Transcriptions';

const Speaker = described(
  Type.String({ minLength: 1, maxLength: 200 }),
  'Id in the transcription: `SPEAKER_00`.',
);

export const suggestSpeakers = route({
  method: 'POST',
  path: '/api/v1/speakers/suggest',
  id: 'suggestSpeakers',
  tag,
  summary: 'Speakers of other files whose voice is like that of a speaker',
  description:
    'Most alike first, by the vectors that the speaker model kept when the files were transcribed with speakers; no media is ' +
    'opened. The file is named by `media_path` or by `hash_str`, not both. Linked voices count as one and are compared by all of ' +
    'their vectors. Left out are voices of other models or versions of a model, those who speak in the same file, and those that ' +
    'PUT /speakers/confirm said are not the same. A suggestion is a question, not an answer: listen to its `sample`.',
  body: Type.Object({
    cache_dir: CacheDir,
    ...mediaFields,
    speaker: Speaker,
    limit: defaulted(described(Type.Integer({ minimum: 1, maximum: 1000 }), 'Suggestions, at most.'), 20),
  }),
  answers: { 200: SpeakerSuggestions },
  handle: async ({ body, signal }, { search }) => {
    const { speaker, limit } = body;
    const file = whichMedia(body);
    const cache_dir = absolute('cache_dir', body.cache_dir);
    return reply(200, await search.voices.suggest({ cache_dir, speaker, limit, ...file }, signal));
  },
});

export const confirmSpeakers = route({
  method: 'PUT',
  path: '/api/v1/speakers/confirm',
  id: 'confirmSpeakers',
  tag,
  summary: 'Says that voices of several files are one person, or that they are not',
  description:
    'All of it is stored or nothing. With `same` the voices are one person from now on, together with all that were linked ' +
    'with any of them, and have one name: `name`, or the one that one of them has; 400 when they have two and none is given. ' +
    'A name that PUT /transcriptions/speakers gives to one of them is the name of all. Without `same` they are different ' +
    'people and are never suggested for each other again: of voices that were linked the first one stays with that person, the ' +
    'others leave it. The later word counts, and POST /speakers/undo takes the last one back. What was said is kept when a file is transcribed again, for whoever speaks at the ' +
    'same times or sounds the same, and goes when the file is forgotten.',
  body: Type.Object({
    cache_dir: CacheDir,
    voices: described(
      Type.Array(Type.Object({ hash_str: HashStr, speaker: Speaker }), { minItems: 2, maxItems: 1000 }),
      'Speakers of transcriptions, two or more.',
    ),
    name: Type.Optional(
      nullable(
        described(Type.String({ minLength: 1, maxLength: mostNameLetters }), 'Display name of that person.'),
      ),
    ),
    same: described(Type.Boolean(), 'True: one person. False: all of them are different people.'),
  }),
  answers: { 200: ConfirmedSpeakers },
  handle: async ({ body, signal }, { search }) => {
    const { voices, name = null, same } = body;
    const cache_dir = absolute('cache_dir', body.cache_dir);
    return reply(200, await search.voices.confirm({ cache_dir, voices, name, same }, signal));
  },
});

export const undoSpeakers = route({
  method: 'POST',
  path: '/api/v1/speakers/undo',
  id: 'undoSpeakers',
  tag,
  summary: 'Takes back what was said last of voices',
  description:
    'The last PUT /speakers/confirm, once: who was linked with whom, who was held apart, and the names. 409 when there is nothing ' +
    'to take back, and when these voices were named, transcribed again or forgotten since.',
  body: Type.Object({ cache_dir: CacheDir }),
  answers: { 200: ConfirmedSpeakers, 409: ErrorBody },
  handle: async ({ body, signal }, { search }) =>
    reply(200, await search.voices.undo(absolute('cache_dir', body.cache_dir), signal)),
});

export const speakerRoutes: readonly Route[] = [suggestSpeakers, confirmSpeakers, undoSpeakers];
