// A part of a file to listen to; one at a time.
import { html } from 'htm/preact';
import { useEffect } from 'preact/hooks';
import { api, messageOf } from '../../api.ts';
import { Icon } from '../../parts/icon.ts';
import { createSlice, get } from '../../store.ts';
import { toast } from '../../toasts.ts';
import { voices } from '../../words/people.ts';
import { t } from '../../words.ts';

export interface Part {
  readonly hash_str: string;
  readonly start_seconds: number;
  readonly end_seconds: number;
}

const playing = createSlice<{ readonly key: string | null }>('listening', { key: null });
const audio = new Audio();
let end = 0;

audio.addEventListener('timeupdate', () => {
  if (audio.currentTime >= end) stop();
});
audio.addEventListener('ended', () => stop());
audio.addEventListener('error', () => {
  if (playing.get().key === null) return;
  stop();
  toast(t(voices.cannotPlay), { kind: 'error' });
});

export function stop(): void {
  audio.pause();
  playing.update({ key: null });
}

async function play(key: string, { hash_str, start_seconds, end_seconds }: Part): Promise<void> {
  stop();
  playing.update({ key });
  try {
    const { url } = await api.mediaLink({ cache_dir: get().folder.cache_dir!, hash_str });
    // Something else was asked for meanwhile.
    if (playing.get().key !== key) return;
    end = end_seconds;
    audio.src = `${url}#t=${start_seconds},${end_seconds}`;
    await audio.play();
  } catch (error) {
    if (playing.get().key !== key || audio.error) return;
    stop();
    toast(messageOf(error), { kind: 'error' });
  }
}

export interface ListenProps {
  readonly part: Part;
  readonly name: string;
}

export function Listen({ part, name }: ListenProps) {
  const key = `${part.hash_str} ${part.start_seconds} ${part.end_seconds}`;
  const isPlaying = playing.use((state) => state.key === key);
  useEffect(
    () => () => {
      if (playing.get().key === key) stop();
    },
    [key],
  );
  const label = isPlaying ? t(voices.stop) : t(voices.listen, { name });
  return html`<button class="icon-only" aria-label=${label} title=${label} aria-pressed=${isPlaying} onClick=${() => (isPlaying ? stop() : void play(key, part))}>
    <${Icon} name=${isPlaying ? 'pause' : 'play'} /></button>`;
}
