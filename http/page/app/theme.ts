// Dark or light: as the system says, or as chosen.
import { type Theme, update } from './store.ts';

const KEPT = 'framehound.theme';

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEPT, theme);
  apply(theme);
}

export function startTheme(): void {
  const kept = localStorage.getItem(KEPT);
  apply(kept === 'dark' || kept === 'light' ? kept : 'system');
}

function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  update({ theme });
}
