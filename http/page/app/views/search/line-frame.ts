// The line of text that a match was found by, framed in its picture.
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import type { Found } from './moment.ts';

export function LineFrame({ moment, src }: { readonly moment: Found; readonly src: string }) {
  const [size, setSize] = useState<{ readonly width: number; readonly height: number } | null>(null);
  const line = framedLine(moment);
  useEffect(() => {
    if (line === null) return;
    const picture = new Image();
    picture.onload = () => setSize({ width: picture.naturalWidth, height: picture.naturalHeight });
    picture.src = src;
    return () => {
      picture.onload = null;
    };
  }, [src, line === null]);
  if (line === null || size === null) return null;
  const [x, y, width, height] = line.box;
  // Of the same shape as the picture, so that it lies where the picture does.
  return html`<svg class="line-frame" viewBox=${`0 0 ${size.width} ${size.height}`} aria-hidden="true">
    <rect x=${x * size.width} y=${y * size.height} width=${width * size.width} height=${height * size.height} />
  </svg>`;
}

/** One that is there when the picture is. */
function framedLine({ reasons, time_seconds: time }: Found) {
  const lines = reasons.filter((reason) => reason.kind === 'written');
  return lines.find((line) => line.start_seconds <= time && time < line.end_seconds) ?? null;
}
