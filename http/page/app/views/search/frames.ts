// What a match was found by, framed in its picture: lines of text, and things while the tile is pointed at or chosen.
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import type { Found } from './moment.ts';

interface Framed {
  readonly box: readonly [number, number, number, number];
  readonly start_seconds: number;
  readonly end_seconds: number;
}

export interface FramesProps {
  readonly moment: Found;
  /** The picture, and its second. */
  readonly src: string;
  readonly seconds: number;
  readonly showsThings: boolean;
}

export function Frames({ moment, src, seconds, showsThings }: FramesProps) {
  const [size, setSize] = useState<{ readonly width: number; readonly height: number } | null>(null);
  const all: Framed[] = [...linesOf(moment).slice(0, 1), ...(showsThings ? thingsOf(moment) : [])];
  const framed = all.filter((one) => one.start_seconds <= seconds && seconds < one.end_seconds);
  const isAny = framed.length > 0;
  useEffect(() => {
    if (!isAny) return;
    const picture = new Image();
    picture.onload = () => setSize({ width: picture.naturalWidth, height: picture.naturalHeight });
    picture.src = src;
    return () => {
      picture.onload = null;
    };
  }, [src, isAny]);
  if (!isAny || size === null) return null;
  // Of the same shape as the picture, so that it lies where the picture does.
  return html`<svg class="frames" viewBox=${`0 0 ${size.width} ${size.height}`} aria-hidden="true">${framed.map(
    ({ box: [x, y, width, height] }) =>
      html`<rect x=${x * size.width} y=${y * size.height} width=${width * size.width} height=${height * size.height} />`,
  )}</svg>`;
}

function linesOf({ reasons, time_seconds: time }: Found) {
  const lines = reasons.filter((reason) => reason.kind === 'written');
  // One that is there when the picture is.
  return lines.filter((line) => line.start_seconds <= time && time < line.end_seconds);
}

function thingsOf({ reasons }: Found) {
  const seen = reasons.flatMap((reason) => (reason.kind === 'seen' ? (reason.explanation?.parts ?? []) : []));
  return seen.flatMap((part) => (part.part === 'things' ? (part.boxes ?? []) : []));
}
