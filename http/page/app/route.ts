// Where in the page one is, as it stands after the # of the address, which no browser sends: a view and what
// it shows. Media stand in it by their hashes.

export const viewNames = ['search', 'player', 'library', 'people', 'summaries', 'lists', 'settings'] as const;
export type ViewName = (typeof viewNames)[number];

export interface PageRoute {
  readonly view: ViewName;
  /** Argument after the view: `HASH@12.5` for the player; empty for most. */
  readonly argument: string;
  /** Parameters after a question mark, `q=red+car`: a search, a folder. */
  readonly params: string;
}

/** A moment of a medium, as the player is told it. */
export interface MediaMoment {
  readonly hash_str: string;
  readonly seconds: number;
}

/** Null for what is no route: a ticket, or nothing. */
export function parseRoute(hash: string): PageRoute | null {
  const [, view = '', argument = '', params = ''] = /^#\/([a-z]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(hash) ?? [];
  if (!viewNames.includes(view as ViewName)) return null;
  return { view: view as ViewName, argument: decoded(argument), params };
}

export type RouteTo = Pick<PageRoute, 'view' | 'argument'> & Partial<Pick<PageRoute, 'params'>>;

export function routeHash({ view, argument, params = '' }: RouteTo): string {
  const place = argument === '' ? '' : `/${encodeURIComponent(argument).replace('%40', '@')}`;
  return `#/${view}${place}${params === '' ? '' : `?${params}`}`;
}

/** A one-time ticket after the #, and the route behind it; null for a route and for nothing. */
export function ticketIn(hash: string): { readonly ticket: string; readonly route: PageRoute | null } | null {
  const [, ticket = '', place = ''] = /^#([^/]+)(\/.*)?$/.exec(hash) ?? [];
  return ticket === '' ? null : { ticket: decoded(ticket), route: parseRoute(`#${place}`) };
}

export function parseMoment(argument: string): MediaMoment | null {
  const [, hash_str, seconds = '0'] = /^([\w-]+)(?:@(\d+(?:\.\d+)?))?$/.exec(argument) ?? [];
  return hash_str === undefined ? null : { hash_str, seconds: Number(seconds) };
}

export function momentArgument({ hash_str, seconds }: MediaMoment): string {
  return `${hash_str}@${Math.max(0, Math.round(seconds * 1000) / 1000)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
