// One cluster as a card: its best faces, its name to be written in place, and a box to choose it by.
import { html } from 'htm/preact';
import { go } from '../../navigation.ts';
import { people } from '../../words/people.ts';
import { t } from '../../words.ts';
import { type Cluster, nameCluster, slice } from './change.ts';
import { toggled } from './choice.ts';
import { Name } from './name.ts';

export const calledOf = ({ name, size }: { readonly name: string; readonly size: number }) =>
  name || t(people.unnamed, { n: size });

export interface CardProps {
  readonly job: string;
  readonly cluster: Cluster;
}

export function Card({ job, cluster }: CardProps) {
  const { cluster_id, name, size, sample_faces } = cluster;
  const isChosen = slice.use(({ chosen }) => chosen.includes(cluster_id));
  const called = calledOf(cluster);
  const choose = () => slice.update(({ chosen }) => ({ chosen: toggled(chosen, cluster_id) }));
  const save = (text: string) => nameCluster(job, cluster_id, text, name);
  return html`<button class="quiet open" aria-label=${t(people.open, { name: called })} onClick=${() => go('people', `face/${cluster_id}`)}>
      <${Faces} faces=${sample_faces} /></button>
    <div class="row">
      <input type="checkbox" aria-label=${t(people.choose, { name: called })} checked=${isChosen} onChange=${choose} />
      <${Name} label=${t(people.nameOf, { n: size })} hint=${t(people.who)} name=${name} save=${save} />
    </div>
    <p class="quiet">${t(people.size, { n: size })}</p>`;
}

// Pictures of faces, as they come from the service.

export const faceAddress = (jpeg: string) => `data:image/jpeg;base64,${jpeg}`;

export function Faces({ faces }: { readonly faces: readonly string[] }) {
  return html`<span class="faces">${faces.map((face) => html`<img src=${faceAddress(face)} alt="" draggable=${false} />`)}</span>`;
}
