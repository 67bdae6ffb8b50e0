// The one way out where something cannot be found or done without a download: a button that opens the dialog
// of what can be set up.
import { html } from 'htm/preact';
import { api } from '../api.ts';
import { useAsk } from '../ask.ts';
import { update, useStore } from '../store.ts';
import { isLacking, modelSets, type SetName } from '../views/settings/sets.ts';
import { setup } from '../words/setup.ts';
import { t } from '../words.ts';

/** Whether one of the sets is not there; null while nobody knows. Asked again when the dialog is closed. */
export function useLacking(names: readonly SetName[]): boolean | null {
  const isOpen = useStore((state) => state.showsSetUp);
  const models = useAsk((signal) => api.availableModels({}, { signal }), [isOpen]).value;
  return models && modelSets(models).some((one) => names.includes(one.name) && isLacking(one));
}

export function SetUpButton() {
  return html`<button type="button" class="primary" onClick=${() => update({ showsSetUp: true })}>${t(setup.open)}</button>`;
}
