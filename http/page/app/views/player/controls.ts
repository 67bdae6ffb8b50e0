// The buttons and figures below the picture.
import { html } from 'htm/preact';
import { Icon } from '../../parts/icon.ts';
import { clock } from '../../times.ts';
import { player } from '../../words/player.ts';
import { t } from '../../words.ts';
import { frameAt, type Range, timecodeOf } from './frames.ts';
import type { Medium } from './media.ts';
import { useTransport } from './time.ts';
import type { Transport } from './transport.ts';

export interface Actions {
  shot(direction: 1 | -1): void;
  mark(which: 'in' | 'out'): void;
  step(count: number): void;
  clearMarks(): void;
  basket(): void;
  like(): void;
  copy(): void;
}

export interface ControlsProps {
  readonly medium: Medium;
  readonly transport: Transport;
  readonly marks: { readonly in: number | null; readonly out: number | null };
  /** What the basket would take. */
  readonly part: Range;
  readonly actions: Actions;
}

export function Controls({ medium, transport, marks, part, actions }: ControlsProps) {
  const speed = useTransport(transport, (one) => one.speed);
  const isStill = medium.kind === 'image';
  const from = clock(part.start_seconds, { decimals: 1 });
  const until = clock(part.end_seconds, { decimals: 1 });
  return html`<div class="controls row wrap">
    ${
      !isStill &&
      html`<div class="row" role="group" aria-label=${t(player.play)}>
        ${iconButton('earlier', t(player.shotBack), () => actions.shot(-1))}
        ${iconButton('frameBack', t(player.frameBack), () => actions.step(-1))}
        ${iconButton(speed === 0 ? 'play' : 'pause', t(speed === 0 ? player.play : player.stop), () => transport.toggle())}
        ${iconButton('frameOn', t(player.frameOn), () => actions.step(1))}
        ${iconButton('later', t(player.shotOn), () => actions.shot(1))}
      </div>
      <${Clock} medium=${medium} transport=${transport} />
      ${speed !== 0 && speed !== 1 && html`<span class="figures">${t(player.speed, { speed })}</span>`}
      <div class="row grow"></div>
      <button aria-pressed=${marks.in !== null} onClick=${() => actions.mark('in')}>${t(player.setIn)} <kbd>I</kbd></button>
      <button aria-pressed=${marks.out !== null} onClick=${() => actions.mark('out')}>${t(player.setOut)} <kbd>O</kbd></button>
      ${(marks.in !== null || marks.out !== null) && iconButton('close', t(player.clearMarks), actions.clearMarks)}`
    }
    ${isStill && html`<div class="grow"></div>`}
    <button onClick=${actions.basket} title=${isStill ? undefined : t(player.basketPart, { start: from, end: until })}>
      <${Icon} name="plus" />${t(player.basket)}</button>
    <button onClick=${actions.like}><${Icon} name="like" />${t(player.like)}</button>
    <button onClick=${actions.copy}>${t(player.copy)}</button>
  </div>`;
}

function iconButton(name: string, label: string, run: () => void) {
  return html`<button class="icon-only" aria-label=${label} title=${label} onClick=${run}><${Icon} name=${name} /></button>`;
}

/** Time, and of a film the frame. */
function Clock({ medium, transport }: Pick<ControlsProps, 'medium' | 'transport'>) {
  const { duration } = medium;
  const text = useTransport(transport, ({ seconds }) => shownPlace(medium, seconds));
  const frame = useTransport(transport, ({ seconds }) => numberOf(medium, seconds));
  return html`<p class="figures clock"><span class="unseen">${t(player.time)}: </span>
    <output>${text}</output> <span class="quiet">/ ${clock(duration)}</span>
    ${frame !== null && html`<span class="quiet frame" data-frame=${frame}>${t(player.frame, { frame: String(frame) })}</span>`}
  </p>`;
}

// Where one is in a medium, as it is told: by timecode and frame, or by its time where frames cannot be
// counted.

type Counted = Pick<Medium, 'rate' | 'rateVaries' | 'frames'>;

/** For other programs: `00:01:02:13`, else seconds, `62.345`. */
export function placeOf(medium: Counted, seconds: number): string {
  return timecodeAt(medium, seconds) ?? startOf(medium, seconds).toFixed(3);
}

/** For people: `00:01:02:13`, `1:02.345` where the rate varies, `1:02.3` of sound. */
function shownPlace(medium: Counted, seconds: number): string {
  const { frames } = medium;
  return timecodeAt(medium, seconds) ?? clock(startOf(medium, seconds), { decimals: frames ? 3 : 1 });
}

function timecodeAt({ rate, rateVaries }: Counted, seconds: number): string | null {
  return rate > 0 && !rateVaries ? timecodeOf(frameAt(seconds, rate), rate) : null;
}

/** Of the frame that is seen, where there are frames and their times are known. */
function startOf({ frames }: Counted, seconds: number): number {
  return frames?.at(seconds)?.start_seconds ?? seconds;
}

/** From 0; null where frames are not counted. */
function numberOf({ rate, rateVaries }: Counted, seconds: number): number | null {
  return rate > 0 && !rateVaries ? frameAt(seconds, rate) : null;
}
