// The time line below the player: pictures of the shots, sound, chapters, who speaks and who is seen, all on one scale.
import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { clock } from '../../times.ts';
import { player } from '../../words/player.ts';
import { t } from '../../words.ts';
import type { Range } from './frames.ts';
import type { Lane } from './lanes.ts';
import type { Medium } from './media.ts';
import { Strip } from './strip.ts';
import { useEveryFrame, useSecond } from './time.ts';
import type { Transport } from './transport.ts';
import { Waveform } from './waveform.ts';

const MOST_ZOOM = 64;
/** Seconds that an arrow key moves on the time line. */
const STEP_SECONDS = 5;

export interface TimelineProps {
  readonly medium: Medium;
  readonly transport: Transport;
  readonly scenes: readonly Range[];
  readonly peaks: readonly number[];
  readonly lanes: readonly Lane[];
  readonly marks: { readonly in: number | null; readonly out: number | null };
}

export function Timeline({ medium, transport, scenes, peaks, lanes, marks }: TimelineProps) {
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
      ${scenes.length > 0 && html`<span class="of-strip">${t(player.shots)}</span>`}
      ${peaks.length > 0 && html`<span class="of-sound">${t(player.sound)}</span>`}
      ${lanes.map(({ label, kind }) => html`<span class=${`of-lane ${kind}`} title=${label}>${label}</span>`)}
    </div>
    <div class="outer" ref=${outer}>
      <div class="scale" ref=${scale} style=${{ width: `${100 * zoom}%` }} ...${drag}>
        ${scenes.length > 0 && html`<${Strip} media_path=${media_path} scenes=${scenes} duration=${duration} zoom=${zoom} />`}
        ${peaks.length > 0 && html`<${Waveform} peaks=${peaks} />`}
        ${lanes.map((lane) => html`<${LaneOf} lane=${lane} place=${place} transport=${transport} />`)}
        ${isMarked && html`<div class="part" style=${{ left: place(part.start), width: place(part.end - part.start) }}></div>`}
        <div class="head-line" ref=${head}></div>
      </div>
    </div>
    <footer class="row"><${Position} transport=${transport} duration=${duration} />
      <label>${t(player.zoom)}<input type="range" min="0" max=${Math.log2(MOST_ZOOM)} step="0.5" value=${Math.log2(zoom)}
        onInput=${(event: InputEvent) => setZoom(2 ** Number((event.target as HTMLInputElement).value))} /></label>
    </footer>
  </section>`;
}

/** The same place for who uses no mouse. */
function Position({ transport, duration }: { readonly transport: Transport; readonly duration: number }) {
  const second = useSecond(transport);
  const onKey = (event: KeyboardEvent) => {
    const direction = ({ ArrowLeft: -1, ArrowRight: 1 } as Record<string, number>)[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    transport.seek(Math.max(0, Math.min(duration, transport.seconds + direction * STEP_SECONDS)));
  };
  return html`<input class="grow" type="range" min="0" max=${Math.floor(duration)} value=${second} aria-label=${t(player.position)}
    aria-valuetext=${`${clock(second)} / ${clock(duration)}`} onKeyDown=${onKey}
    onInput=${(event: InputEvent) => transport.seek(Number((event.target as HTMLInputElement).value))} />`;
}

interface LaneProps {
  readonly lane: Lane;
  readonly transport: Transport;
  place(seconds: number): string;
}

function LaneOf({ lane: { kind, label, spans }, place, transport }: LaneProps) {
  const words = { speaker: player.speaks, person: player.seen, chapters: null }[kind];
  const told = words ? t(words, { name: label }) : label;
  return html`<div class=${`lane ${kind}`} role="img" aria-label=${told}>${spans.map(
    ({ start, end, text }) =>
      html`<span style=${{ left: place(start), width: place(end - start) }} title=${`${clock(start)} ${text}`}
        onDblClick=${() => transport.seek(start)}>${kind === 'chapters' && text}</span>`,
  )}</div>`;
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
