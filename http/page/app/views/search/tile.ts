// One match: its picture, which a pointer scrubs through, when it is, and why it was found.

import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Moment } from '../../../../../actors/search/moments/contract.ts';
import type { Band } from '../../../../../actors/search/visual/contract.ts';
import { api, isAbort } from '../../api.ts';
import { isInBasket, toggleInBasket } from '../../basket.ts';
import { go } from '../../navigation.ts';
import { Icon } from '../../parts.ts';
import { createBounded, usePicture } from '../../pictures.ts';
import { momentArgument } from '../../route.ts';
import { get, useStore } from '../../store.ts';
import { clock, fullClock, nameOf, secondsOf } from '../../times.ts';
import { searchWords } from '../../words/search.ts';
import { speakerText } from '../../words/shell.ts';
import { t } from '../../words.ts';
import { picturedSeconds } from '../player/frames.ts';
import { itemOf } from './chosen.ts';
import { copiesText } from './group-head.ts';
import { choose, isWhole, kindIcons, likeThis, search } from './state.ts';

export const tileId = (index: number) => `match-${index}`;
export const open = ({ hash_str, time_seconds: seconds }: Moment) =>
  go('player', momentArgument({ hash_str, seconds }));
export const putAside = (moment: Moment) => toggleInBasket(itemOf(moment));

interface TileProps {
  /** All that are shown, and which of them it is. */
  readonly moments: readonly Moment[];
  readonly index: number;
  readonly side: number;
}

export function Tile({ moments, index, side }: TileProps) {
  const moment = moments[index]!;
  const { moment_id, media_path, kind } = moment;
  const isSelected = search.use((state) => state.selected === moment_id);
  const isChosen = search.use((state) => state.chosen.has(moment_id));
  const showsName = search.use((state) => state.showsNames);
  const shownSecond = secondOf(moment);
  const picture = usePicture(media_path, shownSecond, side);
  // 0 to 1 along the scene; null while nothing points at it.
  const [pointed, setPointed] = useState<number | null>(null);
  const strip = useStrip(moment, pointed !== null);
  const at =
    strip && pointed !== null
      ? Math.min(strip.pictures.length - 1, Math.floor(pointed * strip.pictures.length))
      : -1;
  const shown = strip?.pictures[at] ?? picture;
  const seconds = strip?.seconds[at] ?? shownSecond;
  const time = kind === 'image' ? '' : clock(isWhole(moment) && at < 0 ? moment.end_seconds : seconds);
  const onPointerMove = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return;
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    setPointed(Math.max(0, Math.min(0.999, (event.clientX - left) / width)));
  };
  const touch = useTouch(() => search.update({ selected: moment_id, chosen: new Set() }));
  const onClick = (event: MouseEvent) => {
    if (touch.isTap()) {
      if (search.get().chosen.size > 0) choose(moments, index, false);
      else open(moment);
    } else if (touch.isHeld()) return;
    else if (event.shiftKey || event.ctrlKey || event.metaKey) choose(moments, index, event.shiftKey);
    else search.update({ selected: moment_id, chosen: new Set() });
  };
  const toggle = () => {
    search.update({ selected: moment_id });
    choose(moments, index, false);
  };
  const states = `${isSelected ? 'selected' : ''} ${isChosen ? 'chosen' : ''}`;
  return html`<div id=${tileId(index)} class=${`tile ${states}`} role="gridcell" aria-selected=${isChosen || isSelected}
    aria-label=${labelOf(moment, time, showsName)} draggable=${true} onDragStart=${(event: DragEvent) => dragOut(event, moments, moment)}
    ...${touch.handlers} onClick=${onClick} onDblClick=${() => open(moment)}
    onPointerMove=${onPointerMove} onPointerLeave=${() => setPointed(null)}>
    ${showsName && html`<p class="tile-name cut" title=${media_path}>${nameOf(media_path)} </p>`}
    <div class="tile-picture">
      ${shown ? html`<img src=${shown} alt="" draggable=${false} />` : html`<${NoPicture} moment=${moment} isAwaited=${picture === undefined} />`}
      ${shown && html`<${Frames} moment=${moment} src=${shown} seconds=${seconds} showsThings=${isSelected || pointed !== null} />`}
      ${time && html`<span class="tile-time">${time} </span>`}
      ${at >= 0 && html`<progress class="tile-scrub" max="1" value=${pointed} aria-hidden="true"></progress>`}
      ${(isSelected || pointed !== null) && html`<${Actions} moment=${moment} choose=${toggle} />`}
    </div>
    <${Reasons} moment=${moment} />
  </div>`;
}

// A finger: a tap opens, holding it selects the tile and shows what can be done with it.

const HOLD_MS = 450;

function useTouch(hold: () => void) {
  const touch = useRef({ kind: 'none' as 'none' | 'tap' | 'held', timer: 0 });
  const end = () => clearTimeout(touch.current.timer);
  useEffect(() => end, []);
  const begin = ({ pointerType }: PointerEvent) => {
    end();
    touch.current.kind = pointerType === 'touch' ? 'tap' : 'none';
    if (pointerType !== 'touch') return;
    touch.current.timer = window.setTimeout(() => {
      touch.current.kind = 'held';
      hold();
    }, HOLD_MS);
  };
  return {
    isTap: () => touch.current.kind === 'tap',
    isHeld: () => touch.current.kind === 'held',
    handlers: {
      onPointerDown: begin,
      onPointerUp: end,
      onPointerCancel: end,
      // Else the system offers what can be done with a picture, or begins to drag it.
      onContextMenu: (event: Event) => touch.current.kind !== 'none' && event.preventDefault(),
    },
  };
}

/** The middle of a whole film, because many begin with black. */
function secondOf(moment: Moment): number {
  const { kind, time_seconds, start_seconds, end_seconds } = moment;
  return isWhole(moment) && kind === 'video' ? Math.floor((start_seconds + end_seconds) / 2) : time_seconds;
}

/**
 * The paths of what is chosen, or of this one: as text, and as files for programs on the machine of the
 * service.
 */
function dragOut({ dataTransfer }: DragEvent, moments: readonly Moment[], moment: Moment): void {
  const { chosen } = search.get();
  const draggedMoments = chosen.has(moment.moment_id)
    ? moments.filter(({ moment_id }) => chosen.has(moment_id))
    : [moment];
  const paths = [...new Set(draggedMoments.map(({ media_path }) => media_path))];
  dataTransfer?.setData('text/plain', paths.join('\n'));
  dataTransfer?.setData('text/uri-list', paths.map(fileAddress).join('\r\n'));
}

export function fileAddress(path: string): string {
  const plain = path.startsWith('/') ? path : `/${path.replaceAll('\\', '/')}`;
  return `file://${encodeURI(plain).replace(/[?#]/g, encodeURIComponent)}`;
}

/** For a pointer; the same by keys, so they are not in the order of the tab key. */
function Actions({ moment, choose }: { readonly moment: Moment; choose(): void }) {
  const isIn = useStore(({ basket }) => isInBasket(basket, itemOf(moment)));
  const act = (run: (moment: Moment) => void) => (event: Event) => {
    event.stopPropagation();
    run(moment);
  };
  const basket = t(isIn ? searchWords.outOfBasket : searchWords.basket);
  const isChosen = search.use((state) => state.chosen.has(moment.moment_id));
  return html`<div class="tile-actions">
    <button tabindex="-1" aria-pressed=${isChosen} title=${`${t(searchWords.choose)} (␣)`} aria-label=${t(searchWords.choose)} onClick=${act(choose)}><${Icon} name="check" /></button>
    <button tabindex="-1" title=${`${t(searchWords.open)} (Enter)`} aria-label=${t(searchWords.open)} onClick=${act(open)}><${Icon} name="play" /></button>
    <button tabindex="-1" title=${`${t(searchWords.like)} (M)`} aria-label=${t(searchWords.like)} onClick=${act(likeThis)}><${Icon} name="like" /></button>
    <button tabindex="-1" title=${`${basket} (B)`} aria-label=${basket} onClick=${act(putAside)}><${Icon} name=${isIn ? 'lists' : 'plus'} /></button>
  </div>`;
}

function NoPicture({ moment, isAwaited }: { readonly moment: Moment; readonly isAwaited: boolean }) {
  const said = moment.reasons.find(({ kind }) => kind === 'said');
  // Shown as a picture: the line below has the text.
  if (said) return html`<p class="tile-said" data-said=${toldOf(said)} aria-hidden="true"></p>`;
  return isAwaited
    ? null
    : html`<span class="tile-none"><${Icon} name=${moment.kind === 'audio' ? 'speech' : 'picture'} /></span>`;
}

function Reasons({ moment }: { readonly moment: Moment }) {
  const isIn = useStore(({ basket }) => isInBasket(basket, itemOf(moment)));
  const showsName = search.use((state) => state.showsNames);
  const name = isWhole(moment) && !showsName ? nameOf(moment.media_path) : '';
  const text = [name, ...reasonTexts(moment, showsName)].filter((part) => part !== '').join(' · ');
  const details = [text, moment.media_path, copiesText(moment)].filter((part) => part !== '').join('\n');
  return html`<div class="tile-reasons">
    ${kindsOf(moment).map((kind) => html`<span class=${`reason ${kind}`} title=${t(searchWords[kind])}><${Icon} name=${kindIcons[kind]} /></span>`)}
    <${BandMark} band=${bandOf(moment)} />
    <span class="cut grow" title=${details}>${text}</span>
    ${isIn && html`<span class="reason in-basket" title=${t(searchWords.outOfBasket)}><${Icon} name="lists" /></span>`}
  </div>`;
}

export function toldOf(reason: Moment['reasons'][number]): string {
  if (reason.kind === 'seen') return '';
  if (reason.kind === 'person' || reason.kind === 'name') return reason.name;
  if (reason.kind === 'written') return t(searchWords.quoted, { text: reason.text });
  const { speaker_name: name, text } = reason;
  return name === '' ? text : `${speakerText(name)}: ${text}`;
}

/** A moment may be found several times by one kind: two pieces of music in one shot. */
const kindsOf = ({ reasons }: Pick<Moment, 'reasons'>) => [...new Set(reasons.map(({ kind }) => kind))];

/** A file that is found by its name is named once. */
function reasonTexts(moment: Moment, showsName: boolean): string[] {
  const texts = [...new Set(moment.reasons.map(toldOf))];
  const isNamed = showsName || isWhole(moment);
  return isNamed ? texts.filter((text) => text !== nameOf(moment.media_path)) : texts;
}

/** First what is seen of it, in that order, the time that is shown too: who speaks to the page says that. */
function labelOf(moment: Moment, time: string, showsName: boolean): string {
  const name = nameOf(moment.media_path);
  const place = isWhole(moment) && !showsName ? [time, name] : [name, time];
  const why = kindsOf(moment).map((kind) => t(searchWords[kind]));
  const band = bandOf(moment);
  const sure = band === null ? [] : [t(searchWords[band])];
  return [...place, ...reasonTexts(moment, showsName), ...why, ...sure, copiesText(moment)]
    .filter((text) => text !== '')
    .join(', ');
}

// How sure what is seen in a match is: one to three steps and their word, not colour alone.

const steps: Readonly<Record<Band, number>> = { weak: 1, likely: 2, strong: 3 };
const heights = [3, 6, 9] as const;

/** Band of the best visual reason; null if there is none. */
function bandOf({ reasons }: Pick<Moment, 'reasons'>): Band | null {
  const bands = reasons.flatMap((reason) =>
    reason.kind === 'seen' && reason.explanation ? [reason.explanation.band] : [],
  );
  return bands.reduce<Band | null>((best, band) => (best && steps[best] >= steps[band] ? best : band), null);
}

/** The label of the tile says the same, so readers need no second one. */
function BandMark({ band }: { readonly band: Band | null }) {
  if (band === null) return null;
  const bars = heights.map(
    (height, i) =>
      html`<rect x=${2 + i * 4.5} y=${12 - height} width="3" height=${height} class=${i < steps[band] ? 'full' : 'empty'} />`,
  );
  return html`<span class="reason band" title=${t(searchWords[band])} aria-hidden="true">
    <svg class="icon" viewBox="0 0 16 16">${bars}</svg>
  </span>`;
}

// Frames of the matched parts of a picture: lines of text, and things while the tile is pointed at or chosen.

interface Framed {
  readonly box: readonly [number, number, number, number];
  readonly start_seconds: number;
  readonly end_seconds: number;
}

interface FramesProps {
  readonly moment: Moment;
  /** The picture, and its second. */
  readonly src: string;
  readonly seconds: number;
  readonly showsThings: boolean;
}

function Frames({ moment, src, seconds, showsThings }: FramesProps) {
  const [size, setSize] = useState<{ readonly width: number; readonly height: number } | null>(null);
  const all: Framed[] = [...linesOf(moment).slice(0, 1), ...(showsThings ? thingsOf(moment) : [])];
  const framed = all.filter((span) => span.start_seconds <= seconds && seconds < span.end_seconds);
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
  // Same shape as the picture, so that it covers it exactly.
  return html`<svg class="frames" viewBox=${`0 0 ${size.width} ${size.height}`} aria-hidden="true">${framed.map(
    ({ box: [x, y, width, height] }) =>
      html`<rect x=${x * size.width} y=${y * size.height} width=${width * size.width} height=${height * size.height} />`,
  )}</svg>`;
}

function linesOf({ reasons, time_seconds: time }: Moment) {
  const lines = reasons.filter((reason) => reason.kind === 'written');
  // One that is there when the picture is.
  return lines.filter((line) => line.start_seconds <= time && time < line.end_seconds);
}

function thingsOf({ reasons }: Moment) {
  const parts = reasons.flatMap((reason) =>
    reason.kind === 'seen' ? (reason.explanation?.parts ?? []) : [],
  );
  return parts.flatMap((part) => (part.part === 'things' ? (part.boxes ?? []) : []));
}

// Strips of pictures of scenes, for scrubbing: asked for when a tile is pointed at for a moment, the latest
// ones kept.

const KEPT = 60;
const POINTED_MS = 120;

interface Strip {
  /** Addresses for an `img`, in order. */
  readonly pictures: readonly string[];
  readonly seconds: readonly number[];
}

const cache = createBounded<Strip>(KEPT);

/** Null until it is there, and for what has none. */
function useStrip(moment: Moment, isPointed: boolean): Strip | null {
  const { hash_str, start_seconds, end_seconds } = moment;
  const key = `${hash_str} ${start_seconds} ${end_seconds}`;
  const [strip, setStrip] = useState<Strip | null>(null);
  useEffect(() => {
    if (!isPointed || moment.kind !== 'video') return;
    const cached = cache.get(key);
    if (cached) return setStrip(cached);
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      load(moment, aborter.signal).then(
        (loaded) => {
          cache.set(key, loaded);
          if (!aborter.signal.aborted) setStrip(loaded);
        },
        (error: unknown) => {
          // A strip is an extra: the picture of the moment stays.
          if (!isAbort(error)) setStrip(null);
        },
      );
    }, POINTED_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [key, isPointed]);
  return isPointed ? strip : null;
}

async function load(
  { hash_str, media_path, start_seconds, end_seconds }: Moment,
  signal: AbortSignal,
): Promise<Strip> {
  const [first, last] = picturedSeconds(start_seconds, end_seconds);
  const input = {
    cache_dir: get().folder.cache_dir!,
    media_path,
    hash_str,
    start_time: fullClock(first),
    end_time: fullClock(last),
    max_size: 320,
  };
  // A shot between two seconds has the one picture that the tile shows already.
  const pairs = first > last ? [] : ((await api.sceneThumbnails(input, { signal })).scene_thumbnails ?? []);
  return {
    pictures: pairs.map(([picture]) => `data:image/jpeg;base64,${picture}`),
    seconds: pairs.map(([, time]) => secondsOf(time)!),
  };
}
