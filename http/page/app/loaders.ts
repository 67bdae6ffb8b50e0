// Where each view is found. One is loaded when it is first shown.
import type { ViewName } from './route.ts';
import type { View } from './view.ts';

export const loaders: Readonly<Record<ViewName, () => Promise<{ readonly view: View }>>> = {
  search: () => import('./views/search/view.ts'),
  player: () => import('./views/player/view.ts'),
  library: () => import('./views/library/view.ts'),
  people: () => import('./views/people/view.ts'),
  summaries: () => import('./views/summaries/view.ts'),
  lists: () => import('./views/lists/view.ts'),
  settings: () => import('./views/settings/view.ts'),
};
