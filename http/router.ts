// Matches a method and a path to a route.

import { plainError, type RawResponse } from './request/response.ts';
import { type Method, type Route, route } from './route.ts';

export interface RouteMatch {
  readonly route: Route;
  /** Placeholders of the path, decoded. Of this request alone. */
  readonly params: Record<string, string>;
}

/** `allow`: the path is known, but not with this method. */
type RouteLookup = RouteMatch | { readonly allow: readonly Method[] } | null;

/** Throws when two routes have the same method and path: a bug. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => RouteLookup {
  const fixed = new Map<string, Map<string, Route>>();
  const patterns: { pattern: string[]; byMethod: Map<string, Route> }[] = [];
  for (const route of routes) {
    const byMethod = methodsAt(route.path, fixed, patterns);
    if (byMethod.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    byMethod.set(route.method, route);
  }
  return (method, path) => {
    const exact = fixed.get(path);
    if (exact) return select(exact, method, {});
    const parts = path.split('/');
    for (const { pattern, byMethod } of patterns) {
      const params = match(pattern, parts);
      if (params) return select(byMethod, method, params);
    }
    return null;
  };
}

function methodsAt(
  path: string,
  fixed: Map<string, Map<string, Route>>,
  patterns: { pattern: string[]; byMethod: Map<string, Route> }[],
): Map<string, Route> {
  const byMethod = new Map<string, Route>();
  if (!path.includes('{')) {
    const methods = fixed.get(path) ?? byMethod;
    fixed.set(path, methods);
    return methods;
  }
  const entry = patterns.find(({ pattern }) => pattern.join('/') === path);
  if (!entry) patterns.push({ pattern: path.split('/'), byMethod });
  return entry?.byMethod ?? byMethod;
}

function select(
  byMethod: ReadonlyMap<string, Route>,
  method: string,
  params: Record<string, string>,
): RouteLookup {
  const route = byMethod.get(method);
  return route ? { route, params } : { allow: [...byMethod.keys()] as Method[] };
}

/** Null when the path does not match, also when a placeholder is empty or has a broken escape. */
function match(pattern: readonly string[], given: readonly string[]): Record<string, string> | null {
  const last = pattern.length - 1;
  const takesRest = pattern[last]!.startsWith('{+');
  if (takesRest ? given.length < pattern.length : given.length !== pattern.length) return null;
  const parts = takesRest ? [...given.slice(0, last), given.slice(last).join('/')] : given;
  const params: Record<string, string> = {};
  for (const [at, segment] of pattern.entries()) {
    const part = parts[at] ?? '';
    if (!segment.startsWith('{')) {
      if (segment !== part) return null;
      continue;
    }
    const value = decoded(part);
    if (value === null || value === '') return null;
    params[placeholderName(segment)] = value;
  }
  return params;
}

/** Name in `{name}`, or in `{+name}`, which comes last and takes the rest of the path, slashes included. */
function placeholderName(placeholder: string): string {
  return placeholder.replace(/^\{\+?|\}$/g, '');
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

// Paths that are not there. Below /api/v1 the license key is asked for first.

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
