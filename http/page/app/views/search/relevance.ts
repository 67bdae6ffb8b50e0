// The bar along each film: how well each second fits what is looked for. Asked for films in sight, two at a time.
import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { createBounded } from '../../bounded.ts';
import { go } from '../../navigation.ts';
import { momentArgument } from '../../route.ts';
import { useStore } from '../../store.ts';
import { clock } from '../../times.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import { relevanceRequest } from './request.ts';
import { search } from './state.ts';

const KEPT = 300;
/** A film that is scrolled by is not asked for. */
const IN_SIGHT_MS = 120;
const AT_ONCE = 2;

type Asked = NonNullable<ReturnType<typeof relevanceRequest>>;

interface Relevance {
  readonly values: readonly number[];
}

const kept = createBounded<Relevance>(KEPT);
const waiting: (() => void)[] = [];
let running = 0;

export interface BarProps {
  readonly hash_str: string;
  /** Seconds of its matches. */
  readonly marks: readonly number[];
}

export function RelevanceBar({ hash_str, marks }: BarProps) {
  const query = search.use((state) => state.query);
  const cache_dir = useStore(({ folder }) => folder.cache_dir);
  const theme = useStore((state) => state.theme);
  const request = cache_dir === null ? null : relevanceRequest(query, cache_dir, hash_str);
  const key = request === null ? '' : JSON.stringify(request);
  const [found, setFound] = useState<Relevance | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const known = kept.get(key) ?? null;
    setFound(known);
    return known || key === '' ? undefined : ask(key, setFound);
  }, [key]);
  useEffect(() => {
    if (found && canvas.current) draw(canvas.current, found.values, marks);
  }, [found, marks, theme]);
  if (!found || found.values.length < 2) return html`<div class="relevance"></div>`;
  const secondAt = (event: MouseEvent) => {
    const { left, width } = canvas.current!.getBoundingClientRect();
    return Math.max(
      0,
      Math.min(found.values.length - 1, ((event.clientX - left) / width) * found.values.length),
    );
  };
  return html`<div class="relevance">
    <canvas ref=${canvas} role="img" aria-label=${t(searchWords.relevance)}
      onPointerMove=${(event: PointerEvent) => setPointed(secondAt(event))} onPointerLeave=${() => setPointed(null)}
      onClick=${(event: MouseEvent) => go('player', momentArgument({ hash_str, seconds: secondAt(event) }))}></canvas>
    ${pointed !== null && html`<span class="relevance-time" aria-hidden="true">${clock(pointed)}</span>`}
  </div>`;
}

function ask(key: string, found: (relevance: Relevance) => void): () => void {
  const aborter = new AbortController();
  const { signal } = aborter;
  const run = () => {
    if (signal.aborted) return next();
    running++;
    api
      .searchRelevance(JSON.parse(key) as Asked, { signal })
      .then((relevance) => {
        kept.set(key, relevance);
        if (!signal.aborted) found(relevance);
      })
      // A bar is an extra: a film without one has its matches all the same.
      .catch(() => {})
      .finally(() => {
        running--;
        next();
      });
  };
  const timer = setTimeout(() => {
    waiting.push(run);
    next();
  }, IN_SIGHT_MS);
  return () => {
    clearTimeout(timer);
    aborter.abort();
  };
}

function next(): void {
  if (running < AT_ONCE) waiting.shift()?.();
}

function draw(canvas: HTMLCanvasElement, values: readonly number[], marks: readonly number[]): void {
  const { clientWidth, clientHeight } = canvas;
  const scale = devicePixelRatio;
  canvas.width = Math.max(1, Math.round(clientWidth * scale));
  canvas.height = Math.max(1, Math.round(clientHeight * scale));
  const context = canvas.getContext('2d');
  if (!context) return;
  const { width, height } = canvas;
  context.fillStyle = getComputedStyle(canvas).color;
  for (let x = 0; x < width; x++) {
    const from = Math.floor((x * values.length) / width);
    const to = Math.max(from + 1, Math.floor(((x + 1) * values.length) / width));
    const value = Math.max(...values.slice(from, to));
    const bar = Math.max(1, Math.round(value * (height - 4 * scale)));
    context.globalAlpha = 0.25 + 0.6 * value;
    context.fillRect(x, height - bar, 1, bar);
  }
  context.globalAlpha = 1;
  context.fillStyle = getComputedStyle(canvas.parentElement!).color;
  for (const mark of marks)
    context.fillRect((mark / values.length) * width, 0, Math.max(1, scale), 3 * scale);
}
