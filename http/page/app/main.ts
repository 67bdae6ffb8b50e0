// Where the page begins.
import { html, render } from 'htm/preact';
import { watchBasket } from './basket-list.ts';
import { watchFolder } from './folder.ts';
import { startKeys } from './keys.ts';
import { watchTasks } from './live.ts';
import { startNavigation } from './navigation.ts';
import { watchPictures } from './pictures.ts';
import { watchService } from './service.ts';
import { enterByTicket, followTabs, forgetSession, keptSession } from './session.ts';
import { Page } from './shell.ts';
import { get, subscribe, update } from './store.ts';
import { startTheme } from './theme.ts';
import { lists } from './words/lists.ts';
import { startLanguage, t } from './words.ts';

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
watchBasket(() => t(lists.defaultName));
watchTasks();
watchPictures();
startKeys();
render(html`<${Page} />`, document.getElementById('page')!);
