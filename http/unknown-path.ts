// Paths that are not there. Below /api/v1 the license key is asked for first.
import { plainError, type RawResponse } from './request/response.ts';
import { route } from './route.ts';

export function unknownPath(path: string): RawResponse {
  return plainError(404, 'Unknown path', `There is no route ${path}; GET /docs lists the routes`);
}

/** Paths that would be licensed if they were there: without a key nobody learns which ones are. */
export function isInside(path: string): boolean {
  return path === '/api/v1' || path.startsWith('/api/v1/');
}

/** Stands for them until the key is checked, which may be in the body. */
export const nowhere = route({
  method: 'POST',
  path: '/api/v1',
  id: 'nowhere',
  tag: '',
  summary: '',
  answers: {},
  handle: () => {
    throw new Error('an unknown path has no handler');
  },
});
