// The buttons and figures below the picture.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { stillPart, toggleInBasket } from '../../basket.ts';
import { useKeys } from '../../keys.ts';
import { goBack } from '../../navigation.ts';
import { download, Icon } from '../../parts.ts';
import { momentArgument } from '../../route.ts';
import { clock, nameOf } from '../../times.ts';
import { attempt, CopyLink, copyText } from '../../toasts.ts';
import { player } from '../../words/player.ts';
import { t } from '../../words.ts';
import { searchFor } from '../search/address.ts';
import { frameAt, neighbour, type SecondsRange, timecodeOf } from './frames.ts';
import type { Medium } from './media.ts';
import { shownPicture } from './screen.ts';
import { type Transport, useTransport } from './transport.ts';

interface Actions {
  shot(direction: 1 | -1): void;
  mark(which: 'in' | 'out'): void;
  step(count: number): void;
  clearMarks(): void;
  basket(): void;
  like(): void;
  copy(): void;
  save(): void;
  fullScreen(): void;
}

interface ControlsProps {
  readonly medium: Medium;
  readonly transport: Transport;
  readonly marks: { readonly in: number | null; readonly out: number | null };
  /** Range that the basket would take. */
  readonly part: SecondsRange;
  readonly actions: Actions;
}

export function Controls({ medium, transport, marks, part, actions }: ControlsProps) {
  const speed = useTransport(transport, (state) => state.speed);
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
      <${Rate} speed=${speed} transport=${transport} />
      <${Volume} transport=${transport} />
      <div class="row grow"></div>
      <div class="row">
        <button aria-pressed=${marks.in !== null} onClick=${() => actions.mark('in')}>${t(player.setIn)} <kbd>I</kbd></button>
        <button aria-pressed=${marks.out !== null} onClick=${() => actions.mark('out')}>${t(player.setOut)} <kbd>O</kbd></button>
        ${(marks.in !== null || marks.out !== null) && iconButton('close', t(player.clearMarks), actions.clearMarks)}
      </div>`
    }
    ${isStill && html`<div class="grow"></div>`}
    <button onClick=${actions.basket} title=${isStill ? undefined : t(player.basketPart, { start: from, end: until })}>
      <${Icon} name="plus" /><span class="tab-label">${t(player.basket)}</span></button>
    ${
      medium.kind !== 'audio' &&
      html`<button title=${t(player.like)} onClick=${actions.like}>
      <${Icon} name="like" /><span class="tab-label">${t(player.like)}</span></button>`
    }
    ${iconButton('copy', t(player.copy), actions.copy)}
    <${CopyLink} to=${() => linkTo(medium, transport.seconds)} />
    ${medium.kind !== 'audio' && iconButton('save', t(player.savePicture), actions.save)}
    ${medium.kind === 'video' && iconButton('fullScreen', t(player.fullScreen), actions.fullScreen)}
  </div>`;
}

const linkTo = ({ hash_str }: Medium, seconds: number) => ({
  view: 'player',
  argument: momentArgument({ hash_str, seconds }),
});

function iconButton(name: string, label: string, run: () => void) {
  return html`<button class="icon-only" aria-label=${label} title=${label} onClick=${run}><${Icon} name=${name} /></button>`;
}

const rates = [0.25, 0.5, 1, 1.5, 2, 4] as const;

interface RateProps {
  /** Current speed, also set by J and L; 0 while paused. */
  readonly speed: number;
  readonly transport: Transport;
}

function Rate({ speed, transport }: RateProps) {
  const [rate, setRate] = useState(1);
  const shown = speed === 0 ? rate : speed;
  const choose = (event: Event) => {
    const value = Number((event.target as HTMLSelectElement).value);
    setRate(value);
    transport.setRate(value);
  };
  const all = rates.some((rate) => rate === shown) ? rates : [...rates, shown].sort((a, b) => a - b);
  return html`<select aria-label=${t(player.rate)} title=${t(player.rate)} value=${shown} onChange=${choose}>
    ${all.map((rate) => html`<option value=${rate}>${t(player.speed, { speed: rate })}</option>`)}</select>`;
}

function Volume({ transport }: Pick<RateProps, 'transport'>) {
  const { volume, muted } = useTransport(transport, ({ sound }) => sound);
  const toggle = () => transport.setSound({ muted: !muted });
  const set = (event: Event) =>
    transport.setSound({ volume: Number((event.target as HTMLInputElement).value), muted: false });
  return html`<div class="row volume">
    ${iconButton(muted ? 'muted' : 'volume', t(muted ? player.unmute : player.mute), toggle)}
    <input type="range" min="0" max="1" step="0.05" value=${muted ? 0 : volume} aria-label=${t(player.volume)} title=${t(player.volume)} onInput=${set} /></div>`;
}

/** Saves the picture at the film's resolution, named by the file and the place. */
async function savePicture(name: string, place: string): Promise<void> {
  const picture = shownPicture();
  if (picture === null) return;
  const isFilm = picture instanceof HTMLVideoElement;
  const canvas = document.createElement('canvas');
  canvas.width = isFilm ? picture.videoWidth : picture.naturalWidth;
  canvas.height = isFilm ? picture.videoHeight : picture.naturalHeight;
  canvas.getContext('2d')!.drawImage(picture, 0, 0);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob) download(`${name.replace(/\.[^.]*$/, '')} ${place.replaceAll(':', '-')}.png`, blob, 'image/png');
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
function placeOf(medium: Counted, seconds: number): string {
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

/** Start of the visible frame, if there are frames with known times. */
function startOf({ frames }: Counted, seconds: number): number {
  return frames?.at(seconds)?.start_seconds ?? seconds;
}

/** From 0; null where frames are not counted. */
function numberOf({ rate, rateVaries }: Counted, seconds: number): number | null {
  return rate > 0 && !rateVaries ? frameAt(seconds, rate) : null;
}

// Actions of the player's buttons and keys.

interface Marks {
  readonly in: number | null;
  readonly out: number | null;
}

interface ActionParts {
  readonly medium: Medium;
  readonly transport: Transport;
  readonly shots: readonly SecondsRange[];
  setMarks(change: (before: Marks) => Marks): void;
  readonly part: SecondsRange;
}

export function useActions({ medium, transport, shots, setMarks, part }: ActionParts): Actions {
  const { hash_str, media_path, frames, duration } = medium;
  const actions: Actions = {
    shot: (direction) => {
      const target = neighbour(shots, transport.seconds, direction);
      transport.seek(target ?? (direction === 1 ? duration : 0));
    },
    mark: (which) => void attempt(() => mark(which)),
    step: (count) => void attempt(() => transport.step(count)),
    clearMarks: () => setMarks(() => ({ in: null, out: null })),
    basket: () => toggleInBasket({ media_path, hash_str, ...(duration > 0 ? part : stillPart) }),
    like: () => searchLike({ hash_str, media_path, seconds: transport.seconds }),
    save: () => void attempt(() => savePicture(nameOf(media_path), placeOf(medium, transport.seconds))),
    fullScreen: () => void attempt(toggleFullScreen),
    copy: () => void copyText(`${media_path}\t${placeOf(medium, transport.seconds)}`),
  };
  /** In is the start of the frame that is seen, out its end: what is marked holds both frames. */
  async function mark(which: 'in' | 'out'): Promise<void> {
    const { seconds } = transport;
    await frames?.load(seconds);
    const frame = frames?.at(seconds);
    const border = which === 'in' ? frame?.start_seconds : frame?.end_seconds;
    setMarks((before) => marked(before, which, border ?? seconds));
  }
  useKeys({
    play: () => transport.toggle(),
    faster: () => transport.shuttle(1),
    backward: () => transport.shuttle(-1),
    frameBack: () => actions.step(-1),
    frameOn: () => actions.step(1),
    shotBack: () => actions.shot(-1),
    shotOn: () => actions.shot(1),
    setIn: () => actions.mark('in'),
    setOut: () => actions.mark('out'),
    playerBasket: actions.basket,
    mute: () => transport.setSound({ muted: !transport.sound.muted }),
    fullScreen: actions.fullScreen,
    savePicture: actions.save,
    leavePlayer: goBack,
  });
  return actions;
}

async function toggleFullScreen(): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await shownPicture()?.closest('.screen')?.requestFullscreen();
}

/** A mark behind the other one takes its place: that one is no longer meant. */
function marked(marks: Marks, which: 'in' | 'out', seconds: number): Marks {
  const next = { ...marks, [which]: seconds };
  const isBackward = next.in !== null && next.out !== null && next.in >= next.out;
  return isBackward ? { in: null, out: null, [which]: seconds } : next;
}

// From a frame to the shots like it: the search begins with this moment.

function searchLike(moment: {
  readonly hash_str: string;
  readonly media_path: string;
  readonly seconds: number;
}): void {
  searchFor({ text: '', film: null, picture: { kind: 'like', ...moment } });
}
