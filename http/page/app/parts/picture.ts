// A small picture of a moment beside what is said of it; an icon where there is none, and while it is
// awaited.
import { html } from 'htm/preact';
import { usePicture } from '../pictures.ts';
import { Icon, type IconName } from './icon.ts';

const SIDE = 160;

export interface PictureProps {
  readonly media_path: string;
  readonly seconds: number;
  readonly icon: IconName;
}

export function Picture({ media_path, seconds, icon }: PictureProps) {
  const picture = usePicture(media_path, seconds, SIDE);
  return html`<span class="thumbnail">${picture ? html`<img src=${picture} alt="" draggable=${false} />` : html`<${Icon} name=${icon} />`}</span>`;
}
