// Finding printed words.
import { WrittenAnswer, WrittenRequest } from '../../actors/search/written/contract.ts';
import { type Route, reply, route } from '../route.ts';

export const searchWritten = route({
  method: 'POST',
  path: '/api/v1/search/written',
  id: 'searchWritten',
  tag: 'Search',
  summary: 'Find printed words in pictures',
  description:
    'Returns lines of text in films and stills that contain `query`, ignoring case, accents and spaces. ' +
    'Whole words come first, then lines that were recognized well, then by path and time. If no line ' +
    'contains the whole query, lines that are visible together and contain all of its words are ' +
    'returned. Nothing has to be loaded. A `score` below .9 is uncertain: show such a line only together ' +
    'with its picture. Cyrillic and Greek letters are recognized as similar Latin letters.',
  body: WrittenRequest,
  answers: { 200: WrittenAnswer },
  handle: async ({ body, signal }, { search }) => reply(200, await search.written(body, signal)),
});

export const writtenRoutes: readonly Route[] = [searchWritten];
