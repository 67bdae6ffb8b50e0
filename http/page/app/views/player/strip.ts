// A film as a strip of pictures, one for each shot that has the room for one.
import { html } from 'htm/preact';
import { useMemo } from 'preact/hooks';
import { usePicture } from '../../pictures.ts';
import { clock } from '../../times.ts';
import { player } from '../../words/player.ts';
import { t } from '../../words.ts';
import type { Range } from './frames.ts';
import { picturesOfStrip } from './strip-plan.ts';

/** Pictures on the width of the window. */
const ON_A_WINDOW = 16;

export interface StripProps {
  readonly media_path: string;
  readonly scenes: readonly Range[];
  readonly duration: number;
  readonly zoom: number;
}

export function Strip({ media_path, scenes, duration, zoom }: StripProps) {
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
