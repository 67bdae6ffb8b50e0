// Going from view to view: the address and the store say the same.

import type { ComponentType } from 'preact';
import { type PageRoute, parseRoute, type RouteTo, routeHash, ticketIn, type ViewName } from './route.ts';
import { get, type LastAddresses, update } from './store.ts';
import type { Words } from './words.ts';

const LAST = 'framehound.route';

export function go(view: ViewName, argument = '', params = ''): void {
  goTo({ view, argument, params });
}

export function goTo(route: RouteTo): void {
  location.hash = routeHash(route);
}

/** To what was shown before; where a link opened the page there is only the search. */
export function goBack(): void {
  if (history.length > 1) history.back();
  else goBackTo('search');
}

/** To the search or the folder that was looked at last. */
export function goBackTo(view: ViewName): void {
  location.hash = placeOfView(get().places, view);
}

export function placeOfView(places: LastAddresses, view: ViewName): string {
  return places[view] ?? routeHash({ view, argument: '' });
}

/**
 * Puts a changed view into the address. `isNew`: Back leads to the previous address. `historyState`: stored
 * with the entry of the history.
 */
export function putParams(params: string, isNew: boolean, historyState: unknown): void {
  const hash = routeHash({ ...get().route, params });
  if (isNew) history.pushState(historyState, '', hash);
  else history.replaceState(historyState, '', hash);
  follow();
}

/** Views that are left in the middle of something, and where. */
const resumed: readonly ViewName[] = ['search', 'library'];

function follow(): void {
  const route = parseRoute(location.hash);
  if (route === null) return;
  const hash = routeHash(route);
  sessionStorage.setItem(LAST, hash);
  const { route: before, places } = get();
  if (routeHash(before) === hash && places[route.view] === hash) return;
  const isResumed = resumed.includes(route.view) && route.argument === '';
  update({ route, places: isResumed ? { ...places, [route.view]: hash } : places });
}

/**
 * Follows the address; `onTicket` is told of one that a person opened the page with, which is taken out of
 * it.
 */
export function startNavigation(onTicket: (ticket: string) => void): void {
  const look = () => {
    const invitation = ticketIn(location.hash);
    if (invitation !== null || parseRoute(location.hash) === null)
      history.replaceState(null, '', routeHash(invitation?.route ?? lastRoute()));
    follow();
    if (invitation !== null) onTicket(invitation.ticket);
  };
  addEventListener('hashchange', look);
  look();
}

function lastRoute(): PageRoute {
  return parseRoute(sessionStorage.getItem(LAST) ?? '') ?? { view: 'search', argument: '', params: '' };
}

// Export of a folder of `views/`.

export interface View {
  readonly title: Words;
  /** A component; `argument` and `params` are what stands after the name of the view in the address. */
  readonly render: ComponentType<{ readonly argument: string; readonly params: string }>;
}
