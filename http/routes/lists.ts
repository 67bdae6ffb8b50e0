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
} from '../../actors/lists/contract.ts';
import { defaulted, described, shown } from '../../runtime/schema.ts';
import { absolute } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Lists';

const Id = Type.Object({
  list_id: described(Type.String({ minLength: 1, maxLength: 200 }), 'Id of the list.'),
});
const example = [{ media_path: '/media/film.mp4', start_seconds: 10, end_seconds: 14 }];
const Items = described(
  shown(Type.Array(GivenItem, { maxItems: mostListItems }), example),
  'Moments, in their order.',
);
const One = Type.Object({ list: MomentList });

const kept = 'Lists are kept in the home folder of the service, whatever the analysis folder is.';

/** With paths in their plain form. */
function plain(items: readonly GivenItem[]): GivenItem[] {
  return items.map((item, i) => ({
    ...item,
    media_path: absolute(`items[${i}].media_path`, item.media_path),
  }));
}

export const listLists = route({
  method: 'GET',
  path: '/api/v1/lists',
  id: 'listLists',
  tag,
  summary: 'The lists of moments',
  description: `${kept} A list whose file cannot be read is told of in \`unreadable\`.`,
  answers: { 200: ListOverview },
  handle: async ({ signal }, { lists }) => reply(200, await lists.list(signal)),
});

export const makeList = route({
  method: 'POST',
  path: '/api/v1/lists',
  id: 'makeList',
  tag,
  summary: 'Makes a list of moments',
  description: `${kept} 400 naming the field when an item does not fit; 409 when there are too many lists.`,
  body: Type.Object({ name: ListName, items: defaulted(Items, []) }),
  answers: { 201: One, 409: ErrorBody },
  handle: async ({ body, signal }, { lists }) => {
    const { name } = body;
    return reply(201, { list: await lists.make({ name, items: plain(body.items) }, signal) });
  },
});

export const getList = route({
  method: 'GET',
  path: '/api/v1/lists/{list_id}',
  id: 'getList',
  tag,
  summary: 'One list with its moments',
  description:
    'For /export/timeline an item is `media_path`, `source_start_seconds` from `start_seconds`, `source_end_seconds` from ' +
    '`end_seconds`, `name` and a `track`; for /export/clips it is `media_path`, `start_seconds` and `end_seconds` as they are.',
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
  summary: 'Changes a list of moments',
  description:
    'What is left out stays as it is; `items` takes the place of all of them. An item with its `item_id` stays the same ' +
    'item. 409 with the stored `version` when the list was changed since the `version` of the request.',
  params: Id,
  body: Type.Object({
    version: described(ListVersion, 'That of the list which was changed.'),
    name: Type.Optional(ListName),
    items: Type.Optional(Items),
  }),
  answers: {
    200: One,
    404: ErrorBody,
    409: Type.Object({
      ...ErrorBody.properties,
      version: described(ListVersion, 'Version of the list as it is stored.'),
    }),
  },
  handle: async ({ params, body, signal }, { lists }) => {
    const { version, name } = body;
    const changes = { version, name, items: body.items && plain(body.items) };
    return reply(200, { list: await lists.change(params.list_id, changes, signal) });
  },
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
  summary: 'Removes a list of moments',
  description: 'Nothing of the media is touched. A list whose file cannot be read is not removed.',
  params: Id,
  answers: { 200: Type.Object({ message: Type.String() }), 404: ErrorBody },
  handle: async ({ params, signal }, { lists }) => {
    await lists.remove(params.list_id, signal);
    return reply(200, { message: 'List removed' });
  },
});

export const listRoutes: readonly Route[] = [listLists, makeList, getList, changeList, deleteList];
