// One match: its picture, which a pointer scrubs through, when it is, and why it was found.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { isInBasket, toggleInBasket } from '../../basket.ts';
import { go } from '../../navigation.ts';
import { Icon } from '../../parts/icon.ts';
import { usePicture } from '../../pictures.ts';
import { momentArgument } from '../../route.ts';
import { useStore } from '../../store.ts';
import { clock, nameOf } from '../../times.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';
import { BandMark, bandOf } from './band.ts';
import { copiesText } from './copies.ts';
import { Frames } from './frames.ts';
import { type Found, kindIcons } from './moment.ts';
import { likeThis, search } from './state.ts';
import { useStrip } from './strips.ts';

export const tileId = (index: number) => `match-${index}`;
export const open = ({ hash_str, time_seconds: seconds }: Found) =>
  go('player', momentArgument({ hash_str, seconds }));
export const putAside = ({ hash_str, media_path, start_seconds, end_seconds }: Found) =>
  toggleInBasket({ hash_str, media_path, start_seconds, end_seconds });

export interface TileProps {
  readonly moment: Found;
  readonly index: number;
  readonly side: number;
}

export function Tile({ moment, index, side }: TileProps) {
  const { moment_id, media_path, time_seconds, kind } = moment;
  const isSelected = search.use((state) => state.selected === moment_id);
  const picture = usePicture(media_path, time_seconds, side);
  // 0 to 1 along the scene; null while nothing points at it.
  const [pointed, setPointed] = useState<number | null>(null);
  const strip = useStrip(moment, pointed !== null);
  const at =
    strip && pointed !== null
      ? Math.min(strip.pictures.length - 1, Math.floor(pointed * strip.pictures.length))
      : -1;
  const shown = strip?.pictures[at] ?? picture;
  const seconds = strip?.seconds[at] ?? time_seconds;
  const onPointerMove = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return;
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    setPointed(Math.max(0, Math.min(0.999, (event.clientX - left) / width)));
  };
  return html`<div id=${tileId(index)} class=${isSelected ? 'tile selected' : 'tile'} role="gridcell" aria-selected=${isSelected}
    aria-label=${labelOf(moment)} onClick=${() => search.update({ selected: moment_id })} onDblClick=${() => open(moment)}
    onPointerMove=${onPointerMove} onPointerLeave=${() => setPointed(null)}>
    <div class="tile-picture">
      ${shown ? html`<img src=${shown} alt="" draggable=${false} />` : html`<${NoPicture} moment=${moment} isAwaited=${picture === undefined} />`}
      ${shown && html`<${Frames} moment=${moment} src=${shown} seconds=${seconds} showsThings=${isSelected || pointed !== null} />`}
      ${kind !== 'image' && html`<span class="tile-time">${clock(seconds)}</span>`}
      ${at >= 0 && html`<progress class="tile-scrub" max="1" value=${pointed} aria-hidden="true"></progress>`}
      ${(isSelected || pointed !== null) && html`<${Actions} moment=${moment} />`}
    </div>
    <${Reasons} moment=${moment} />
  </div>`;
}

/** For a pointer; the same by keys, so they are not in the order of the tab key. */
function Actions({ moment }: { readonly moment: Found }) {
  const isIn = useStore(({ basket }) => isInBasket(basket, moment));
  const act = (run: (moment: Found) => void) => (event: Event) => {
    event.stopPropagation();
    run(moment);
  };
  const basket = t(isIn ? searchWords.outOfBasket : searchWords.basket);
  return html`<div class="tile-actions">
    <button tabindex="-1" title=${`${t(searchWords.open)} (Enter)`} aria-label=${t(searchWords.open)} onClick=${act(open)}><${Icon} name="play" /></button>
    <button tabindex="-1" title=${`${t(searchWords.like)} (M)`} aria-label=${t(searchWords.like)} onClick=${act(likeThis)}><${Icon} name="like" /></button>
    <button tabindex="-1" title=${`${basket} (B)`} aria-label=${basket} onClick=${act(putAside)}><${Icon} name=${isIn ? 'check' : 'plus'} /></button>
  </div>`;
}

function NoPicture({ moment, isAwaited }: { readonly moment: Found; readonly isAwaited: boolean }) {
  const said = moment.reasons.find(({ kind }) => kind === 'said');
  if (said) return html`<p class="tile-said">${toldOf(said)}</p>`;
  return isAwaited
    ? null
    : html`<span class="tile-none"><${Icon} name=${moment.kind === 'audio' ? 'speech' : 'picture'} /></span>`;
}

function Reasons({ moment }: { readonly moment: Found }) {
  const isIn = useStore(({ basket }) => isInBasket(basket, moment));
  const told = moment.reasons
    .map(toldOf)
    .filter((one) => one !== '')
    .join(' · ');
  const details = [told, moment.media_path, copiesText(moment)].filter((one) => one !== '').join('\n');
  return html`<div class="tile-reasons">
    ${moment.reasons.map(({ kind }) => html`<span class=${`reason ${kind}`} title=${t(searchWords[kind])}><${Icon} name=${kindIcons[kind]} /></span>`)}
    <${BandMark} band=${bandOf(moment)} />
    <span class="cut grow" title=${details}>${told}</span>
    ${isIn && html`<span class="reason in-basket" title=${t(searchWords.outOfBasket)}><${Icon} name="lists" /></span>`}
  </div>`;
}

function toldOf(reason: Found['reasons'][number]): string {
  if (reason.kind === 'seen') return '';
  if (reason.kind === 'person') return reason.name;
  if (reason.kind === 'written') return `“${reason.text}”`;
  const { speaker_name: name, text } = reason;
  return name === '' ? text : t(searchWords.saidBy, { name, text });
}

function labelOf(moment: Found): string {
  const why = moment.reasons.map((reason) => [t(searchWords[reason.kind]), toldOf(reason)].join(' ').trim());
  const band = bandOf(moment);
  const sure = band === null ? [] : [t(searchWords[band])];
  return [nameOf(moment.media_path), clock(moment.time_seconds), ...why, ...sure, copiesText(moment)]
    .filter((one) => one !== '')
    .join(', ');
}
