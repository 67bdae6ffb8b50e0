// The keyboard: hands a key to whoever took it last, but not while a person types or a dialog is open.
import { useEffect, useRef } from 'preact/hooks';
import { type KeyName, keyTable } from './key-table.ts';

/** False: it was not for this one. */
type Handler = (event: KeyboardEvent) => unknown;
type Handlers = Partial<Record<KeyName, Handler>>;

const taken: { readonly handlers: () => Handlers }[] = [];

/** Takes these keys of the table while the component is shown. */
export function useKeys(handlers: Handlers): void {
  const held = useRef(handlers);
  held.current = handlers;
  useEffect(() => {
    const entry = { handlers: () => held.current };
    taken.push(entry);
    return () => {
      taken.splice(taken.indexOf(entry), 1);
    };
  }, []);
}

export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(event) || document.querySelector('dialog[open]') !== null) return;
    const wanted = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    for (const { handlers } of taken.toReversed()) {
      for (const [name, handler] of Object.entries(handlers()) as [KeyName, Handler][]) {
        const { keys }: { keys: readonly string[] } = keyTable[name];
        if (!keys.includes(wanted) || handler(event) === false) continue;
        event.preventDefault();
        return;
      }
    }
  });
}

const pressed = 'button, a, summary, input, select, [role="button"]';

function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A button in focus takes its own keys.
  if ((key === 'Enter' || key === ' ') && target.matches(pressed)) return true;
  if (target.isContentEditable || target.matches('textarea, select')) return true;
  if (!(target instanceof HTMLInputElement)) return false;
  const isText = !['checkbox', 'radio', 'button', 'range', 'file', 'color'].includes(target.type);
  return isText || (target.type === 'range' && key.startsWith('Arrow'));
}
