// The loudness of a film along its time line, drawn on a canvas as wide as it is shown.
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { useStore } from '../../store.ts';
import { player } from '../../words/player.ts';
import { t } from '../../words.ts';
import { columnsOf } from './columns.ts';

const HEIGHT = 40;
/** Canvases have no more columns than this; beyond it they are stretched. */
const MOST_COLUMNS = 16_000;

export function Waveform({ peaks }: { readonly peaks: readonly number[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useStore((state) => state.theme);
  useEffect(() => {
    const element = canvas.current!;
    const paint = () => draw(element, peaks);
    const watch = new ResizeObserver(paint);
    watch.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: light)');
    scheme.addEventListener('change', paint);
    paint();
    return () => {
      watch.disconnect();
      scheme.removeEventListener('change', paint);
    };
  }, [peaks, theme]);
  return html`<canvas class="waveform" ref=${canvas} height=${HEIGHT} role="img" aria-label=${t(player.sound)}></canvas>`;
}

function draw(canvas: HTMLCanvasElement, peaks: readonly number[]): void {
  const width = Math.min(MOST_COLUMNS, Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio)));
  if (canvas.width !== width) canvas.width = width;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.clearRect(0, 0, width, HEIGHT);
  context.fillStyle = getComputedStyle(canvas).color;
  const middle = HEIGHT / 2;
  for (const [x, peak] of columnsOf(peaks, width).entries()) {
    const half = Math.max(0.5, peak * (middle - 1));
    context.fillRect(x, middle - half, 1, 2 * half);
  }
}
