// Roots: folders of footage with a name, so that a library moves by saying where they are now.
import { Type } from 'typebox';
import { NewRoot, Root, RootMove } from '../../actors/index/roots/contract.ts';
import { described, field, Message } from '../../runtime/schema.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Roots';

const Name = Type.Object({
  name: described(Type.String({ minLength: 1, maxLength: 200 }), 'Name of the root.'),
});
const Saved = Type.Object({ message: Message, root: field('The root as it is now stored.', Root) });

const refusals =
  'Returns 400 if the folder does not exist, is the whole file system, or is in the home folder or an analysis folder.';

export const listRoots = route({
  method: 'GET',
  path: '/api/v1/roots',
  id: 'listRoots',
  tag,
  summary: 'List the roots',
  description:
    'A root is a folder of footage with a name. Media in it are stored so that they are found again when it ' +
    'moves. If roots are nested, the innermost one counts. Roots are stored in the home folder of the service.',
  answers: {
    200: Type.Object({ roots: described(Type.Array(Root), 'Roots sorted by name.') }),
  },
  handle: async (_, { roots }) => reply(200, { roots: await roots.list() }),
});

export const addRoot = route({
  method: 'POST',
  path: '/api/v1/roots',
  id: 'addRoot',
  tag,
  summary: 'Add a root',
  description:
    'Media in the folder that are already analysed belong to it too. If an analysis folder from another ' +
    'machine knows the name, its media are in this folder from now on. Returns 409 if the name or the ' +
    `folder is taken. ${refusals}`,
  body: NewRoot,
  answers: { 201: Saved, 409: ErrorBody },
  handle: async ({ body, signal }, { roots }) => {
    const root = await roots.add(body, signal);
    return reply(201, { message: `Root ${root.name} added`, root });
  },
});

export const moveRoot = route({
  method: 'PUT',
  path: '/api/v1/roots/{name}',
  id: 'moveRoot',
  tag,
  summary: 'Set where a root is now',
  description:
    'Every path below the root changes at once, in all analysis folders, lists and watch folders of the ' +
    'service, and nothing is analysed again. The footage itself is not moved: it must already be in ' +
    'the new folder. Returns 400 if none of the known media is there, and 409 while a task is working on one ' +
    `of them. ${refusals}`,
  params: Name,
  body: RootMove,
  answers: { 200: Saved, 404: ErrorBody, 409: ErrorBody },
  handle: async ({ params, body, signal }, { roots }) => {
    const root = await roots.move(params.name, body, signal);
    return reply(200, { message: `Root ${root.name} is at ${root.folder}`, root });
  },
});

export const removeRoot = route({
  method: 'DELETE',
  path: '/api/v1/roots/{name}',
  id: 'removeRoot',
  tag,
  summary: 'Remove a root',
  description: 'Its media stay analysed and keep their current paths. The footage is not changed.',
  params: Name,
  answers: { 200: Type.Object({ message: Message }), 404: ErrorBody },
  handle: async ({ params }, { roots }) => {
    await roots.remove(params.name);
    return reply(200, { message: `Root ${params.name} removed; its media keep their paths` });
  },
});

export const rootRoutes: readonly Route[] = [listRoots, addRoot, moveRoot, removeRoot];
