// Lists of moments that the service keeps, to be made into timelines and clips.
import { Type } from 'typebox';
import {
  GivenItem,
  ListName,
  ListOverview,
  ListVersion,
  listErrors,
  MomentList,
  mostListItems,
} from '../../actors/library/lists/contract.ts';
import { Message } from '../../runtime/answer.ts';
import { defaulted, described, field, shown } from '../../runtime/schema.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Lists';

const Id = Type.Object({
  list_id: described(Type.String({ minLength: 1, maxLength: 200 }), 'Id of the list.'),
});
const example = [{ media_path: '/media/film.mp4', start_seconds: 10, end_seconds: 14 }];
const Items = described(
  shown(Type.Array(GivenItem, { maxItems: mostListItems }), example),
  'Moments in the order of the list.',
);
const One = Type.Object({ list: field('The list as it is now stored.', MomentList) });

const kept = 'Lists are stored in the home folder of the service, independently of the analysis folder.';

export const listLists = route({
  method: 'GET',
  path: '/api/v1/lists',
  id: 'listLists',
  tag,
  summary: 'List the lists of moments',
  description: `${kept} Lists whose files cannot be read are reported in \`unreadable\`.`,
  answers: { 200: ListOverview },
  handle: async ({ signal }, { lists }) => reply(200, await lists.list(signal)),
});

export const makeList = route({
  method: 'POST',
  path: '/api/v1/lists',
  id: 'makeList',
  tag,
  summary: 'Create a list of moments',
  description:
    `${kept} Returns 400 with the field in \`message\` if an item is not valid, and 409 if there are too ` +
    'many lists.',
  body: Type.Object({ name: ListName, items: defaulted(Items, []) }),
  answers: { 201: One, 409: ErrorBody },
  handle: async ({ body, signal }, { lists }) => reply(201, { list: await lists.make(body, signal) }),
});

export const getList = route({
  method: 'GET',
  path: '/api/v1/lists/{list_id}',
  id: 'getList',
  tag,
  summary: 'Get a list with its moments',
  description:
    'To use an item in /export/timeline, send `media_path`, `start_seconds` as `source_start_seconds`, ' +
    '`end_seconds` as `source_end_seconds`, `name`, and a `track`, usually `both`. In /export/clips, ' +
    'send `media_path`, `start_seconds` and `end_seconds` unchanged.',
  params: Id,
  answers: { 200: One, 404: ErrorBody },
  handle: async ({ params, signal }, { lists }) =>
    reply(200, { list: await lists.get(params.list_id, signal) }),
});

export const changeList = route({
  method: 'PUT',
  path: '/api/v1/lists/{list_id}',
  id: 'changeList',
  tag,
  summary: 'Change a list of moments',
  description:
    'Omitted fields stay unchanged; `items` replaces all items. An item with an `item_id` remains the ' +
    'same item. Returns 409 with the stored `version` if the list has changed since the `version` in the ' +
    'request.',
  params: Id,
  body: Type.Object({
    version: described(ListVersion, 'The version of the list that this change is based on.'),
    name: Type.Optional(ListName),
    items: Type.Optional(Items),
  }),
  answers: {
    200: One,
    404: ErrorBody,
    409: Type.Object({
      ...ErrorBody.properties,
      version: described(ListVersion, 'Version of the stored list.'),
    }),
  },
  handle: async ({ params, body, signal }, { lists }) =>
    reply(200, { list: await lists.change(params.list_id, body, signal) }),
  onError: async (error) => {
    if (!listErrors.LIST_CHANGED.is(error)) return undefined;
    const { meaning, message, details } = error;
    return reply(409, { error: meaning, message, version: Number(details['version']) });
  },
});

export const deleteList = route({
  method: 'DELETE',
  path: '/api/v1/lists/{list_id}',
  id: 'deleteList',
  tag,
  summary: 'Delete a list of moments',
  description: 'The media are not changed. A list whose file cannot be read is not deleted.',
  params: Id,
  answers: { 200: Type.Object({ message: Message }), 404: ErrorBody },
  handle: async ({ params, signal }, { lists }) => {
    await lists.remove(params.list_id, signal);
    return reply(200, { message: 'List removed' });
  },
});

export const listRoutes: readonly Route[] = [listLists, makeList, getList, changeList, deleteList];
