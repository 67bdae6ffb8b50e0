// A name that is written in place: Enter or leaving the field stores it, Escape puts the old one back.
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';

export interface NameProps {
  readonly label: string;
  readonly name: string;
  readonly hint: string;
  /** False: it was not stored. */
  save(name: string): Promise<boolean>;
}

export function Name({ label, name, hint, save }: NameProps) {
  const field = useRef<HTMLInputElement>(null);
  // Not while a person writes in it.
  useEffect(() => {
    if (field.current !== null && document.activeElement !== field.current) field.current.value = name;
  }, [name]);
  const store = async () => {
    const input = field.current!;
    const text = input.value.trim();
    if (text === name) return;
    if (!(await save(text))) input.value = name;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') field.current!.value = name;
    if (event.key === 'Enter' || event.key === 'Escape') field.current!.blur();
  };
  return html`<input ref=${field} class="name" aria-label=${label} placeholder=${hint} maxlength="200" autocomplete="off" spellcheck=${false}
    defaultValue=${name} onBlur=${store} onKeyDown=${onKeyDown} />`;
}
