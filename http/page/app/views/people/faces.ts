// Pictures of faces, as they come from the service.
import { html } from 'htm/preact';

export const faceAddress = (jpeg: string) => `data:image/jpeg;base64,${jpeg}`;

export function Faces({ faces }: { readonly faces: readonly string[] }) {
  return html`<span class="faces">${faces.map((face) => html`<img src=${faceAddress(face)} alt="" draggable=${false} />`)}</span>`;
}
