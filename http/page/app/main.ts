// Where the page begins.
import { html, render } from 'htm/preact';
import { watchService } from './api.ts';
import { watchBasket } from './basket.ts';
import { watchFolder } from './folder.ts';
import { startKeys } from './keys.ts';
import { startNavigation } from './navigation.ts';
import { watchPictures } from './pictures.ts';
import { watchSearches } from './searches.ts';
import { enterByTicket, followTabs, forgetSession, keptSession } from './session.ts';
import { Page } from './shell.ts';
import { get, startTheme, subscribe, update } from './store.ts';
import { watchTasks } from './tasks.ts';
import { startLanguage } from './words.ts';

startTheme();
startLanguage();
let session = keptSession();
update({ session });
subscribe(() => {
  const now = get().session;
  if (now === null && session !== null) forgetSession(session);
  session = now;
});
followTabs();
watchService();
startNavigation((ticket) => void enterByTicket(ticket));
watchFolder();
watchBasket();
watchTasks();
watchSearches();
watchPictures();
startKeys();
render(html`<${Page} />`, document.getElementById('page')!);
