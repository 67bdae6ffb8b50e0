// State of the page in one place: plain values that are replaced, never changed. Views keep theirs in slices
// of it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PageRoute, ViewName } from './route.ts';

export type Language = 'en' | 'de';
export type Theme = 'system' | 'dark' | 'light';

/** `ticket`: opened by a ticket, ends by itself; `key`: a license key that a person pasted. */
export interface Session {
  readonly kind: 'ticket' | 'key';
  readonly token: string;
  /** All tabs of the browser have it, and end it together. */
  readonly shared: boolean;
}

/** The analysis folder that is looked at, and whether searches have it in memory. */
interface Folder {
  readonly cache_dir: string | null;
  readonly state: 'unknown' | 'loading' | 'ready' | 'failed';
  /** Media and seconds of picture that are loaded, transcripts and people. */
  readonly loaded: {
    readonly media: number;
    readonly seconds: number;
    readonly transcripts: number;
    readonly people: number;
  };
  readonly error: string | null;
}

export interface Task {
  readonly task_id: string;
  readonly state: string;
  /** For people: what it does, and with what. */
  readonly name: string;
  /** Its place in the line, and the task that runs there; null when it does not wait. */
  readonly queue_position: number | null;
  readonly waits_for: string | null;
  /** Percentage, 0 to 100. */
  readonly progress: number;
  readonly files: number;
  readonly files_done: number;
  readonly path: string | null;
  readonly remaining_seconds: number | null;
}

export interface Toast {
  readonly id: number;
  readonly kind: 'info' | 'error';
  readonly text: string;
  readonly action?: { readonly label: string; run(): void };
}

/** The address of the search and of the folder that were looked at last. */
export type LastAddresses = Readonly<Partial<Record<ViewName, string>>>;

export interface State {
  readonly session: Session | null;
  /** Why a person is asked to sign in again; null at first. */
  readonly signInReason: 'ended' | 'ticket' | 'key' | null;
  readonly route: PageRoute;
  readonly places: LastAddresses;
  readonly language: Language;
  readonly theme: Theme;
  /** `away`: the service does not answer; it is asked again and again. */
  readonly service: 'up' | 'away';
  /**
   * Why the service refuses the key that the session stands for: a policy, or a license server that is out.
   * Null: it does not.
   */
  readonly refusal: string | null;
  /** How often the service came back: what was asked for before is asked again. */
  readonly returns: number;
  readonly folder: Folder;
  /** Running tasks, newest first. */
  readonly tasks: readonly Task[];
  readonly toasts: readonly Toast[];
  readonly basket: readonly BasketItem[];
  readonly showsKeys: boolean;
  readonly showsSetUp: boolean;
  readonly slices: Readonly<Record<string, unknown>>;
}

let state: State = {
  session: null,
  signInReason: null,
  route: { view: 'search', argument: '', params: '' },
  places: {},
  language: 'en',
  theme: 'system',
  service: 'up',
  refusal: null,
  returns: 0,
  folder: {
    cache_dir: null,
    state: 'unknown',
    loaded: { media: 0, seconds: 0, transcripts: 0, people: 0 },
    error: null,
  },
  tasks: [],
  toasts: [],
  basket: [],
  showsKeys: false,
  showsSetUp: false,
  slices: {},
};
const listeners = new Set<() => void>();

export function get(): State {
  return state;
}

export function update(change: Partial<State> | ((before: State) => Partial<State>)): void {
  const given = typeof change === 'function' ? change(state) : change;
  state = { ...state, ...given };
  for (const listener of [...listeners]) listener();
}

/** Answers the function that ends it. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A part of the state; the component is drawn again when another value is selected. */
export function useStore<T>(select: (state: State) => T): T {
  const [, redraw] = useState(0);
  const value = select(state);
  const latest = useRef({ select, value });
  latest.current = { select, value };
  useLayoutEffect(() => {
    const look = () => {
      if (!Object.is(latest.current.select(state), latest.current.value)) redraw((before) => before + 1);
    };
    look();
    return subscribe(look);
  }, []);
  return value;
}

export interface Slice<S extends object> {
  get(): S;
  update(change: Partial<S> | ((before: S) => Partial<S>)): void;
  use<T>(select: (slice: S) => T): T;
}

/** State of one view, kept while another one is shown. */
export function createSlice<S extends object>(name: string, initial: S): Slice<S> {
  const read = (from: State) => (from.slices[name] as S | undefined) ?? initial;
  return {
    get: () => read(state),
    update: (change) => {
      const before = read(state);
      const given = typeof change === 'function' ? change(before) : change;
      update({ slices: { ...state.slices, [name]: { ...before, ...given } } });
    },
    use: (select) => useStore((whole) => select(read(whole))),
  };
}

// Content of the basket.

/** A moment with in and out, in the basket. Seconds from the start of the film. */
export interface BasketItem {
  readonly item_id: string;
  readonly media_path: string;
  readonly hash_str: string;
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly name?: string;
  readonly note?: string;
}

// Dark or light: as the system says, or as chosen.

const KEPT = 'framehound.theme';

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEPT, theme);
  apply(theme);
}

export function startTheme(): void {
  const storedTheme = localStorage.getItem(KEPT);
  apply(storedTheme === 'dark' || storedTheme === 'light' ? storedTheme : 'system');
}

function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  update({ theme });
}
