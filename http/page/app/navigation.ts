// Going from view to view: the address and the store say the same.

import type { ComponentType } from 'preact';
import { parseRoute, type Route, routeHash, ticketIn, type ViewName } from './route.ts';
import { get, update } from './store.ts';
import type { Words } from './words.ts';

const LAST = 'framehound.route';

export function go(view: ViewName, argument = ''): void {
  location.hash = routeHash({ view, argument });
}

/**
 * Follows the address; `onTicket` is told of one that a person opened the page with, which is taken out of
 * it.
 */
export function startNavigation(onTicket: (ticket: string) => void): void {
  const follow = () => {
    const ticket = ticketIn(location.hash);
    const route = parseRoute(location.hash) ?? lastRoute();
    if (ticket !== null || parseRoute(location.hash) === null)
      history.replaceState(null, '', routeHash(route));
    sessionStorage.setItem(LAST, routeHash(route));
    const before = get().route;
    if (before.view !== route.view || before.argument !== route.argument) update({ route });
    if (ticket !== null) onTicket(ticket);
  };
  addEventListener('hashchange', follow);
  follow();
}

/** Where one was before signing in again. */
function lastRoute(): Route {
  return parseRoute(sessionStorage.getItem(LAST) ?? '') ?? { view: 'search', argument: '' };
}

// What a folder of `views/` exports.

export interface View {
  readonly title: Words;
  /** A component; `argument` is what stands after the name of the view in the address. */
  readonly render: ComponentType<{ readonly argument: string }>;
}
