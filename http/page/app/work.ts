// The thread that does what is heavy (`worker.ts`), and drawings that it keeps.
import { type Remote, transfer, wrap } from 'comlink';
import { useEffect, useRef } from 'preact/hooks';
import { useStore } from './store.ts';
import type { Surface, Work } from './worker.ts';

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): {
    createScriptURL(url: string): string;
  };
}

/** The one script that is loaded by its address; beside this module, with the suffix of this one. */
const script = new URL(`./worker${/\.\w+$/.exec(new URL(import.meta.url).pathname)![0]}`, import.meta.url)
  .href;
let thread: Remote<Work> | null = null;

/** Begun when it is first needed. */
export function work(): Remote<Work> {
  if (thread === null) {
    const { trustedTypes } = globalThis as { readonly trustedTypes?: Policies };
    const policy = trustedTypes?.createPolicy('framehound-worker', { createScriptURL: () => script });
    thread = wrap<Work>(new Worker(policy?.createScriptURL(script) ?? script, { type: 'module' }));
  }
  return thread;
}

/** Canvases have no more columns than this; beyond it they are stretched. */
const MOST_COLUMNS = 16_000;
let last = 0;

/**
 * The canvas to draw on; `draw` is called when the values, the size, the colours or
 * a dependency change.
 */
export function useDrawing(
  values: readonly number[] | null,
  draw: (id: number, surface: Surface) => void,
  dependencies: readonly unknown[] = [],
) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const workerCanvas = useRef<{ readonly element: HTMLCanvasElement; readonly id: number } | null>(null);
  const drawing = useRef(draw);
  drawing.current = draw;
  const theme = useStore((state) => state.theme);
  useEffect(() => {
    const element = canvas.current;
    if (element === null || values === null) return;
    if (workerCanvas.current?.element !== element) {
      // A canvas is handed over once, for as long as it is in the page.
      release(workerCanvas.current);
      workerCanvas.current = { element, id: ++last };
      const offscreen = element.transferControlToOffscreen();
      void work().adopt(last, transfer(offscreen, [offscreen]));
    }
    const { id } = workerCanvas.current;
    void work().setValues(id, values);
    const paint = () => element.isConnected && drawing.current(id, surfaceOf(element));
    const watch = new ResizeObserver(paint);
    watch.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: light)');
    scheme.addEventListener('change', paint);
    return () => {
      watch.disconnect();
      scheme.removeEventListener('change', paint);
    };
  }, [values, theme, ...dependencies]);
  useEffect(() => () => release(workerCanvas.current), []);
  return canvas;
}

function release(canvas: { readonly id: number } | null): void {
  if (canvas !== null) void work().release(canvas.id);
}

function surfaceOf(element: HTMLCanvasElement): Surface {
  const scale = devicePixelRatio;
  const size = (pixels: number) => Math.max(1, Math.round(pixels * scale));
  return {
    width: Math.min(MOST_COLUMNS, size(element.clientWidth)),
    height: size(element.clientHeight),
    colour: getComputedStyle(element).color,
    markColour: getComputedStyle(element.parentElement!).color,
    scale,
  };
}
