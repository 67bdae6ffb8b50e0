// The library below an empty search box: its newest files and its people.

import { html } from 'htm/preact';
import type { Moment } from '../../../../../actors/search/moments/contract.ts';
import { api, useAsk } from '../../api.ts';
import { Icon } from '../../parts.ts';
import { usePicture } from '../../pictures.ts';
import { momentArgument, routeHash } from '../../route.ts';
import { useStore } from '../../store.ts';
import { clock, nameOf } from '../../times.ts';
import { searchWords } from '../../words/search.ts';
import { t } from '../../words.ts';

const MOST_FILES = 12;
const MOST_PEOPLE = 8;
/** Every file passes it: filters alone select files, those that were recorded last first. */
const everyFile = {
  facet_id: 'technical.media_kind',
  operator: 'include_any_of' as const,
  values: ['video', 'image', 'audio'],
};

export function Newest() {
  const cache_dir = useStore(({ folder }) => (folder.state === 'ready' ? folder.cache_dir : null));
  const loaded = useStore(({ folder }) => folder.loaded);
  const files = useAsk(
    cache_dir === null
      ? null
      : (signal) =>
          api.searchMoments(
            {
              cache_dir,
              search_all: true,
              metadata_filter_request: { filters: [everyFile] },
              limit: MOST_FILES,
              max_per_media: 1,
            },
            { signal },
          ),
    [cache_dir, loaded],
  );
  const people = useAsk(cache_dir === null ? null : (signal) => largest(cache_dir, signal), [
    cache_dir,
    loaded,
  ]);
  const moments = files.value?.moments ?? [];
  const groups = people.value ?? [];
  return html`${
    groups.length > 0 &&
    html`<section class="newest"><h2>${t(searchWords.peopleHere)}</h2>
      <ul class="faces">${groups.map((face) => html`<li key=${face.hash}><${Face} ...${face} /></li>`)}</ul></section>`
  }${
    moments.length > 0 &&
    html`<section class="newest"><h2>${t(searchWords.newest)}</h2>
      <ul class="files">${moments.map((file) => html`<li key=${file.moment_id}><${File} file=${file} /></li>`)}</ul></section>`
  }`;
}

function File({ file }: { readonly file: Moment }) {
  const { hash_str, media_path, kind, end_seconds } = file;
  // Many films begin with black.
  const seconds = kind === 'video' ? Math.floor(end_seconds / 2) : 0;
  const picture = usePicture(media_path, seconds);
  const place = routeHash({ view: 'player', argument: momentArgument({ hash_str, seconds: 0 }) });
  return html`<a href=${place} title=${media_path}>
    <span class="picture">${picture ? html`<img src=${picture} alt="" />` : html`<${Icon} name=${kind === 'audio' ? 'speech' : 'picture'} />`}
      ${kind !== 'image' && html`<span class="tile-time">${clock(end_seconds)}</span>`}</span>
    <span class="cut">${nameOf(media_path)}</span></a>`;
}

interface Group {
  readonly hash: string;
  readonly name: string;
  readonly face: string;
}

function Face({ hash, name, face }: Group) {
  return html`<a href=${hash}><img src=${`data:image/jpeg;base64,${face}`} alt="" />
    <span class="cut">${name || t(searchWords.unnamed)}</span></a>`;
}

/** People of the first clustering, named ones first. */
async function largest(cache_dir: string, signal: AbortSignal): Promise<Group[]> {
  const { jobs } = await api.faceClusters({ cache_dir }, { signal });
  const [job] = jobs;
  if (!job) return [];
  const answer = await api.clusterSamples(
    { cache_dir, cluster_job_name: job.name, max_clusters: 5 * MOST_PEOPLE, limit_per_cluster: 1 },
    { signal },
  );
  const clusters = 'clusters' in answer ? answer.clusters : [];
  const params = new URLSearchParams({ job: job.name }).toString();
  return clusters
    .toSorted((a, b) => Number(b.name !== '') - Number(a.name !== ''))
    .flatMap(({ cluster_id, name, sample_faces: [face] }): Group[] => {
      const hash = routeHash({ view: 'people', argument: `face/${cluster_id}`, params });
      return face === undefined ? [] : [{ hash, name, face }];
    })
    .slice(0, MOST_PEOPLE);
}
