// Where the medium is seen: the browser's own player, a still, or, where the browser cannot play the file,
// its stored previews.
import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, messageOf, useAsk } from '../../api.ts';
import { Loading } from '../../parts.ts';
import { usePicture } from '../../pictures.ts';
import { get, useStore } from '../../store.ts';
import { type TaskEnd, TaskProgress } from '../../tasks.ts';
import { nameOf } from '../../times.ts';
import { player } from '../../words/player.ts';
import { t } from '../../words.ts';
import { evenFrames } from './frames.ts';
import { type Medium, pointed } from './media.ts';
import { boxesAt } from './seen.ts';
import { type Playable, type Transport, useSecond, useTransport } from './transport.ts';

/** Longest side of a preview that stands in, px: what is stored. */
const PREVIEW_SIDE = 640;

interface ScreenProps {
  readonly medium: Medium;
  readonly transport: Transport;
}

/** Displayed element: the picture of the medium, or its substitute. */
export const shownPicture = () =>
  document.querySelector<HTMLVideoElement | HTMLImageElement>('.player .screen :is(video, img)');

export function Screen({ medium, transport }: ScreenProps) {
  const { hash_str, kind, available } = medium;
  const cache_dir = useStore((state) => state.folder.cache_dir)!;
  /** Raised when a version for browsers is there. */
  const [version, setVersion] = useState(0);
  /** The address that the browser could not play. */
  const [unplayable, setUnplayable] = useState<string | null>(null);
  const link = useAsk(
    (signal) => linkOf({ cache_dir, hash_str }, kind, signal),
    [cache_dir, hash_str, version],
  );
  if (link.state === 'loading' && link.value === null) return html`<div class="screen"><${Loading} /></div>`;
  const url = link.value?.url ?? null;
  if (kind === 'image')
    return html`<div class="screen"><${Still} medium=${medium} url=${url} transport=${transport} /><${Framed} transport=${transport} />
      ${!available && html`<${Away} medium=${medium} />`}</div>`;
  if (url !== null && url !== unplayable) {
    const lost = () => {
      // A link that is too old, or a service that has started anew: another link may be all it needs.
      if (link.value && Date.now() / 1000 > link.value.expires_at - 60) link.again();
      else setUnplayable(url);
    };
    return html`<div class="screen">
      <${Native} key=${url} medium=${medium} url=${url} transport=${transport} onLost=${lost} />
      <${Framed} transport=${transport} />
    </div>`;
  }
  return html`<div class="screen">
    ${kind === 'video' && html`<${Previews} medium=${medium} transport=${transport} /><${Framed} transport=${transport} />`}
    ${
      url === null
        ? html`<${Away} medium=${medium} />`
        : html`<${BrowserVersion} medium=${medium} ready=${() => setVersion((before) => before + 1)} />`
    }
  </div>`;
}

/** Frames in the picture what the lane shows that is pointed at, as far as it is seen now. */
function Framed({ transport }: Pick<ScreenProps, 'transport'>) {
  const boxes = pointed.use((state) => state.boxes);
  const seconds = useTransport(transport, (state) => Math.floor(state.seconds * 10) / 10);
  const now = boxes === null ? [] : boxesAt(boxes, seconds);
  const picture = now.length > 0 ? shownPicture() : null;
  if (picture === null) return null;
  const [width, height] =
    picture instanceof HTMLVideoElement
      ? [picture.videoWidth, picture.videoHeight]
      : [picture.naturalWidth, picture.naturalHeight];
  return html`<svg class="frames" viewBox=${`0 0 ${width} ${height}`} aria-hidden="true">${now.map(
    ([x, y, w, h]) => html`<rect x=${x * width} y=${y * height} width=${w * width} height=${h * height} />`,
  )}</svg>`;
}

/**
 * A version that was made for browsers before the file itself; null where the file cannot be read any more.
 */
async function linkOf(
  file: { cache_dir: string; hash_str: string },
  kind: Medium['kind'],
  signal: AbortSignal,
) {
  const original = await api.mediaLink(file, { signal }).catch(ifGone);
  // Stills have no version for browsers.
  if (kind === 'image' || (original?.playable_type && canPlay(original.playable_type))) return original;
  const proxy = await api.mediaLink({ ...file, proxy: true }, { signal }).catch(ifGone);
  return proxy ?? original;
}

function ifGone(error: unknown): null {
  if ((error as { status?: number }).status === 404) return null;
  throw error;
}

function canPlay(type: string): boolean {
  return document.createElement('video').canPlayType(type) !== '';
}

interface SourceProps extends ScreenProps {
  readonly url: string | null;
}

function Native({ medium, url, transport, onLost }: SourceProps & { readonly url: string; onLost(): void }) {
  const element = useRef<HTMLVideoElement>(null);
  const { kind, frames, media_path } = medium;
  useEffect(() => {
    const playable = element.current!;
    const ready = () => {
      // Sound alone comes out of a film whose picture the browser cannot show.
      if (kind === 'video' && playable.videoWidth === 0) onLost();
      else transport.attach(playable, frames);
    };
    // Effects run after the next paint: on a busy machine the browser may have read the head of the file
    // before.
    if (playable.readyState >= playable.HAVE_METADATA) ready();
    else playable.addEventListener('loadedmetadata', ready, { once: true });
    return () => {
      transport.attach(null, null);
      playable.removeEventListener('loadedmetadata', ready);
      // Ends what is still being read of the file.
      playable.removeAttribute('src');
      playable.load();
    };
  }, []);
  return html`<video ref=${element} src=${url} playsinline preload="auto" aria-label=${nameOf(media_path)}
    onError=${onLost} onClick=${() => transport.toggle()} />`;
}

function Previews({ medium, transport }: ScreenProps) {
  const { duration, media_path } = medium;
  useEffect(() => {
    // A preview is stored of every second.
    transport.attach(createStandIn(duration), evenFrames(1, duration));
    return () => transport.attach(null, null);
  }, [duration]);
  const second = useSecond(transport);
  const picture = usePicture(media_path, second, PREVIEW_SIDE);
  // The one before stays until the next one has come.
  const lastPicture = useRef<string | null>(null);
  if (picture) lastPicture.current = picture;
  if (lastPicture.current)
    return html`<img src=${lastPicture.current} alt=${t(player.previewAt, { name: nameOf(media_path), second })} />`;
  return picture === null ? html`<${NoPreview} />` : html`<${Loading} />`;
}

function Still({ medium, url, transport }: SourceProps) {
  const { media_path } = medium;
  const [isBroken, setBroken] = useState(false);
  const preview = usePicture(media_path, 0, PREVIEW_SIDE);
  useEffect(() => transport.attach(null, null), []);
  const source = isBroken || url === null ? preview : url;
  if (!source) return source === null ? html`<${NoPreview} />` : html`<${Loading} />`;
  return html`<img src=${source} alt=${nameOf(media_path)} onError=${() => setBroken(true)} />`;
}

const NoPreview = () => html`<p class="no-preview quiet">${t(player.noPreview)}</p>`;

// Message where a file is away or cannot be played. The service can make a version for browsers, as a task.

interface BrowserVersionProps {
  readonly medium: Medium;
  ready(): void;
}

const awayWords = { video: player.awayFilm, audio: player.awaySound, image: player.awayStill } as const;

/** Where the file was, and what is shown instead of it. */
function Away({ medium: { kind, media_path } }: Pick<BrowserVersionProps, 'medium'>) {
  return html`<p class="stand-in" role="status">${t(player.away, { path: media_path })} ${t(awayWords[kind])}</p>`;
}

function BrowserVersion({ medium: { hash_str }, ready }: BrowserVersionProps) {
  const [task_id, setTask] = useState<string | null>(null);
  const [problem, setProblem] = useState('');
  const make = async () => {
    setProblem('');
    try {
      const answer = await api.makeProxy({ cache_dir: get().folder.cache_dir!, hash_str });
      if ('task_id' in answer && answer.task_id) setTask(answer.task_id);
      else ready();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const ended = ({ error, isCancelled }: TaskEnd) => {
    setTask(null);
    if (error !== null) setProblem(error);
    else if (!isCancelled) ready();
  };
  return html`<div class="stand-in row wrap">
    <p class="grow" role="status">${t(player.unplayable)}</p>
    ${problem !== '' && html`<p class="problem" role="alert">${problem}</p>`}
    ${
      task_id !== null
        ? html`<${TaskProgress} task_id=${task_id} label=${t(player.making)} onEnd=${ended} />`
        : html`<button onClick=${make}>${t(player.make)}</button>`
    }
  </div>`;
}

// Stands in where the browser cannot play a film: keeps the time of a player, while stored previews are
// shown.

function createStandIn(duration: number): Playable {
  return new StandIn(duration);
}

class StandIn implements Playable {
  readonly duration: number;
  readonly seeking = false;
  volume = 1;
  muted = false;
  #rate = 1;
  /** Where it stood, and when, ms; no time while it is stopped. */
  #from = { seconds: 0, since: null as number | null };

  constructor(duration: number) {
    this.duration = duration;
  }

  get paused(): boolean {
    return this.#from.since === null || this.currentTime >= this.duration;
  }

  get currentTime(): number {
    const { seconds, since } = this.#from;
    const elapsed = since === null ? 0 : ((performance.now() - since) / 1000) * this.#rate;
    return Math.min(this.duration, seconds + elapsed);
  }

  set currentTime(seconds: number) {
    this.#from = { seconds, since: this.#from.since === null ? null : performance.now() };
  }

  get playbackRate(): number {
    return this.#rate;
  }

  set playbackRate(rate: number) {
    this.#from = {
      seconds: this.currentTime,
      since: this.#from.since === null ? null : performance.now(),
    };
    this.#rate = rate;
  }

  play(): void {
    this.#from = { seconds: this.currentTime, since: performance.now() };
  }

  pause(): void {
    this.#from = { seconds: this.currentTime, since: null };
  }
}
