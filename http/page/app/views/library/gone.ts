// Below the list: known files that do not lie in the folder any more. What is stored of them is still found and looked at.
import { html } from 'htm/preact';
import { api } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { go } from '../../navigation.ts';
import { momentArgument, routeHash } from '../../route.ts';
import { useStore } from '../../store.ts';
import { library } from '../../words/library.ts';
import { t } from '../../words.ts';
import { goneFrom } from './gone-files.ts';
import { freshRows, isFolderGone, listing, PAGE, rowsBetween } from './listing.ts';

/** Known files below a folder that are compared with what lies there; above it nothing is said. */
const MOST = 5000;
const SHOWN = 100;

/** Of the folder that is listed, once it is. */
function useGone() {
  const cache_dir = useStore((state) => state.folder.cache_dir);
  const { folder, round, total, error } = listing.use((state) => state);
  const isFolder = !isFolderGone(error);
  const isListed = !isFolder || (total !== null && error === null);
  const ask = async (signal: AbortSignal) => {
    const { total: known, media } = await api.listLibrary(
      { cache_dir: cache_dir!, under: folder!, limit: MOST },
      { signal },
    );
    if (known > MOST) return [];
    const all = isFolder ? total! : 0;
    // The first page was read just now.
    const rows = await (all > PAGE ? freshRows(0, all) : rowsBetween(0, all));
    return goneFrom(
      folder!,
      media,
      rows.map(({ name }) => name),
    );
  };
  const isAsked = cache_dir !== null && folder !== null && isListed;
  return useAsk(isAsked ? ask : null, [cache_dir, folder, round, isListed]);
}

export function GoneFiles() {
  const gone = useGone().value ?? [];
  const n = gone.length;
  if (n === 0) return null;
  return html`<details class="gone"><summary>${t(library.gone, { n })}</summary>
    <div class="row wrap"><p class="quiet grow">${t(library.goneHow)}</p>
      <a class="button" href=${routeHash({ view: 'library', argument: 'disk' })}>${t(library.toGone)}</a></div>
    <ul>${gone.slice(0, SHOWN).map(({ hash_str, path, name }) => html`<li class="row"><span class="grow cut" title=${path}>${name}</span><button aria-label=${t(library.openGone, { name })} onClick=${() => go('player', momentArgument({ hash_str, seconds: 0 }))}>${t(library.open)}</button></li>`)}
      ${n > SHOWN && html`<li class="quiet">${t(library.moreMedia, { n: n - SHOWN })}</li>`}</ul>
  </details>`;
}
