// The time line below the player: pictures of the shots, sound, chapters, who speaks and who is seen, all on
// one scale.
import { html } from 'htm/preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { usePicture } from '../../pictures.ts';
import { clock } from '../../times.ts';
import { player } from '../../words/player.ts';
import { t } from '../../words.ts';
import { useDrawing, work } from '../../work.ts';
import { picturedSeconds, type SecondsRange } from './frames.ts';
import { type Medium, type PlayerLane, pointed } from './media.ts';
import { type Transport, useEveryFrame, useSecond } from './transport.ts';

const MOST_ZOOM = 64;
/** Seconds that an arrow key moves on the time line. */
const STEP_SECONDS = 5;

interface TimelineProps {
  readonly medium: Medium;
  readonly transport: Transport;
  readonly scenes: readonly SecondsRange[];
  /** Edges of shots are known to the second only. */
  readonly isOnGrid: boolean;
  readonly peaks: readonly number[];
  readonly lanes: readonly PlayerLane[];
  readonly marks: { readonly in: number | null; readonly out: number | null };
}

export function Timeline({ medium, transport, scenes, isOnGrid, peaks, lanes, marks }: TimelineProps) {
  const { duration, media_path } = medium;
  const [zoom, setZoom] = useState(1);
  const outer = useRef<HTMLDivElement>(null);
  const scale = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const place = (seconds: number) => `${(100 * Math.max(0, Math.min(seconds, duration))) / duration}%`;
  useEveryFrame(transport, (seconds) => {
    if (head.current) head.current.style.left = place(seconds);
    if (transport.speed !== 0)
      keepInView(outer.current, (seconds / duration) * (scale.current?.clientWidth ?? 0));
  });
  useEffect(() => {
    const width = scale.current?.clientWidth ?? 0;
    const box = outer.current;
    if (box) box.scrollLeft = (transport.seconds / duration) * width - box.clientWidth / 2;
  }, [zoom]);
  const drag = useDrag(scale, (share) => transport.seek(share * duration));
  const part = { start: marks.in ?? 0, end: marks.out ?? duration };
  const isMarked = marks.in !== null || marks.out !== null;
  return html`<section class="timeline" aria-label=${t(player.timeline)}>
    <div class="labels" aria-hidden="true">
      <span class="of-ruler"></span>
      ${scenes.length > 0 && html`<span class="of-strip">${t(player.shots)}</span>`}
      ${peaks.length > 0 && html`<span class="of-sound">${t(player.sound)}</span>`}
      ${lanes.map(({ label, kind }) => html`<span class=${`of-lane ${kind}`} title=${label}>${label}</span>`)}
    </div>
    <div class="outer" ref=${outer}>
      <div class="scale" ref=${scale} style=${{ width: `${100 * zoom}%` }} ...${drag}>
        <${Ruler} transport=${transport} duration=${duration} zoom=${zoom} place=${place} />
        ${scenes.length > 0 && html`<${Strip} media_path=${media_path} scenes=${scenes} duration=${duration} zoom=${zoom} />`}
        ${peaks.length > 0 && html`<${Waveform} peaks=${peaks} />`}
        ${lanes.map((lane) => html`<${LaneOf} lane=${lane} duration=${duration} place=${place} transport=${transport} />`)}
        ${isMarked && html`<div class="part" style=${{ left: place(part.start), width: place(part.end - part.start) }}></div>`}
        <div class="head-line" ref=${head}></div>
      </div>
    </div>
    <footer class="row"><span class="grow quiet">${isOnGrid && scenes.length > 1 ? t(player.onGrid) : ''}</span><label>${t(player.zoom)}<input type="range" min="0" max=${Math.log2(MOST_ZOOM)} step="0.5" value=${Math.log2(zoom)}
        onInput=${(event: InputEvent) => setZoom(2 ** Number((event.target as HTMLInputElement).value))} /></label>
    </footer>
  </section>`;
}

/** Seconds between two marks of the ruler. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400] as const;
const MOST_MARKS = 10;

interface RulerProps {
  readonly transport: Transport;
  readonly duration: number;
  readonly zoom: number;
  place(seconds: number): string;
}

/** Above all that lies on its scale: times, and the thumb, which keys move too. */
function Ruler({ transport, duration, zoom, place }: RulerProps) {
  const second = useSecond(transport);
  const thumb = useRef<HTMLSpanElement>(null);
  useEveryFrame(transport, (seconds) => {
    if (thumb.current) thumb.current.style.left = place(seconds);
  });
  const onKey = (event: KeyboardEvent) => {
    const to = placeByKey(event.key, transport.seconds, duration);
    if (to === null) return;
    event.preventDefault();
    transport.seek(to);
  };
  const step = steps.find((seconds) => duration / seconds <= MOST_MARKS * zoom) ?? steps.at(-1)!;
  const marks = Array.from({ length: Math.ceil(duration / step) }, (_, at) => at * step);
  return html`<div class="ruler" role="slider" tabindex="0" aria-label=${t(player.position)} aria-valuemin="0" aria-valuemax=${Math.floor(duration)}
    aria-valuenow=${second} aria-valuetext=${`${clock(second)} / ${clock(duration)}`} onKeyDown=${onKey}>
    ${marks.map((at) => html`<span class="mark" style=${{ left: place(at) }}>${clock(at)}</span>`)}<span class="thumb" ref=${thumb}></span></div>`;
}

/** Null for a key that means no place. */
function placeByKey(key: string, seconds: number, duration: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -STEP_SECONDS,
    ArrowRight: STEP_SECONDS,
    PageDown: -duration / 10,
    PageUp: duration / 10,
    Home: -duration,
    End: duration,
  };
  const by = steps[key];
  return by === undefined ? null : Math.max(0, Math.min(duration, seconds + by));
}

interface LaneProps {
  readonly lane: PlayerLane;
  readonly duration: number;
  readonly transport: Transport;
  place(seconds: number): string;
}

function LaneOf({ lane: { kind, label, spans, boxes }, duration, place, transport }: LaneProps) {
  const words = kind === 'speaker' ? player.speaks : kind === 'person' ? player.seen : null;
  const text = words ? t(words, { name: label }) : label;
  const point = (shown: PlayerLane['boxes']) => () => pointed.update({ boxes: shown ?? null });
  useEffect(() => point(undefined), []);
  const element = useRef<HTMLDivElement>(null);
  const spanAt = ({ clientX }: MouseEvent) => {
    const { left, width } = element.current!.getBoundingClientRect();
    const seconds = (duration * (clientX - left)) / width;
    return spans.find(({ start, end }) => start <= seconds && seconds < end);
  };
  const onPointerMove = (event: PointerEvent) => {
    const span = spanAt(event);
    element.current!.title = span ? `${clock(span.start)} ${span.text}` : '';
  };
  const onDblClick = (event: MouseEvent) => {
    const span = spanAt(event);
    if (span) transport.seek(span.start);
  };
  return html`<div ref=${element} class=${`lane ${kind}`} role="img" aria-label=${text} onPointerEnter=${point(boxes)} onPointerLeave=${point(undefined)}
    onPointerMove=${onPointerMove} onDblClick=${onDblClick}>${
      kind === 'chapters'
        ? spans.map(
            ({ start, end, text }) =>
              html`<span style=${{ left: place(start), width: place(end - start) }}>${text}</span>`,
          )
        : html`<${Spans} spans=${spans} duration=${duration} />`
    }</div>`;
}

/** Drawn, not built: a film of ten hours has thousands. */
function Spans({ spans, duration }: { readonly spans: PlayerLane['spans']; readonly duration: number }) {
  const shares = useMemo(
    () => spans.flatMap(({ start, end }) => [start / duration, Math.min(end, duration) / duration]),
    [spans, duration],
  );
  const canvas = useDrawing(shares, (id, surface) => void work().drawSpans(id, surface));
  return html`<canvas ref=${canvas}></canvas>`;
}

/** Scrolls on when the head leaves what is seen. */
function keepInView(box: HTMLElement | null, left: number): void {
  if (!box || box.scrollWidth <= box.clientWidth) return;
  if (left < box.scrollLeft || left > box.scrollLeft + box.clientWidth) box.scrollLeft = left - 20;
}

/** Tells the share of the width at which the pointer is, while it is down. */
function useDrag(element: { readonly current: HTMLElement | null }, to: (share: number) => void) {
  const move = (event: PointerEvent) => {
    const box = element.current?.getBoundingClientRect();
    if (box && box.width > 0) to(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)));
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      move(event);
    },
    onPointerMove: (event: PointerEvent) => {
      if ((event.currentTarget as HTMLElement).hasPointerCapture(event.pointerId)) move(event);
    },
  };
}

// A film as a strip of pictures, one for each shot that has the room for one.

/** Pictures on the width of the window. */
const ON_A_WINDOW = 16;

interface StripProps {
  readonly media_path: string;
  readonly scenes: readonly SecondsRange[];
  readonly duration: number;
  readonly zoom: number;
}

function Strip({ media_path, scenes, duration, zoom }: StripProps) {
  const parts = useMemo(
    () => picturesOfStrip(scenes, duration, Math.round(ON_A_WINDOW * zoom)),
    [scenes, duration, zoom],
  );
  return html`<div class="strip">${parts.map(
    ({ start, end, second, isShot }) =>
      html`<${Cell} key=${start} media_path=${media_path} second=${second} isShot=${isShot} start=${start}
        left=${start / duration} width=${(end - start) / duration} />`,
  )}</div>`;
}

interface CellProps {
  readonly media_path: string;
  readonly second: number;
  readonly start: number;
  readonly left: number;
  readonly width: number;
  readonly isShot: boolean;
}

function Cell({ media_path, second, start, left, width, isShot }: CellProps) {
  const picture = usePicture(media_path, second, 160);
  const style = { left: `${100 * left}%`, width: `${100 * width}%` };
  return html`<div class=${isShot ? 'cell shot' : 'cell'} style=${style} title=${t(player.shotAt, { time: clock(start) })}>
    ${picture && html`<img src=${picture} alt="" draggable=${false} />`}
  </div>`;
}

// Which pictures a strip of a film shows: of its shots, joined where they are too short to be seen, cut where
// they are longer than a picture is wide.

interface StripCell {
  /** Seconds of the film that the cell covers. */
  readonly start: number;
  readonly end: number;
  /** Its picture stands for the cell: a whole second, unless none lies in a shot that short. */
  readonly second: number;
  /** A shot begins with it. */
  readonly isShot: boolean;
}

/**
 * `most`: cells of equal width that the strip has room for. Shots ascend; gaps between them belong to the one
 * before.
 */
export function picturesOfStrip(shots: readonly SecondsRange[], duration: number, most: number): StripCell[] {
  if (duration <= 0 || most < 1) return [];
  const width = duration / most;
  const cells: StripCell[] = [];
  const starts = [
    0,
    ...shots.map((shot) => shot.start_seconds).filter((start) => start > 0 && start < duration),
  ];
  let from = 0;
  for (let at = 0; at < starts.length; at++) {
    const end = starts[at + 1] ?? duration;
    // Short shots share the cell of the first of them.
    if (end - from < width && at + 1 < starts.length) continue;
    cells.push(...cellsOf(from, end, width));
    from = end;
  }
  return cells;
}

function cellsOf(from: number, end: number, width: number): StripCell[] {
  const count = Math.max(1, Math.round((end - from) / width));
  const [first, last] = picturedSeconds(from, end);
  return Array.from({ length: count }, (_, i) => {
    const start = from + (i * (end - from)) / count;
    const stop = from + ((i + 1) * (end - from)) / count;
    const middle = (start + stop) / 2;
    const second = Math.max(first, Math.min(Math.floor(middle), last));
    return { start, end: stop, second: first > last ? middle : second, isShot: i === 0 };
  });
}

// The loudness of a film along its time line.

function Waveform({ peaks }: { readonly peaks: readonly number[] }) {
  const canvas = useDrawing(peaks, (id, surface) => void work().drawSound(id, surface));
  return html`<canvas class="waveform" ref=${canvas} role="img" aria-label=${t(player.sound)}></canvas>`;
}
