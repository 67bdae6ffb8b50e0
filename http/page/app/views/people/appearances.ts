// Where a person is seen: the files, and in each the ranges of time; a click plays from there.
import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { useAsk } from '../../ask.ts';
import { go } from '../../navigation.ts';
import { Icon } from '../../parts/icon.ts';
import { Picture } from '../../parts/picture.ts';
import { Failed, Loading } from '../../parts/states.ts';
import { momentArgument } from '../../route.ts';
import { clock, nameOf } from '../../times.ts';
import { people } from '../../words/people.ts';
import { t } from '../../words.ts';
import { type Job, slice, useCacheDir } from './state.ts';

const FEW = 12;

export interface AppearancesProps {
  readonly job: Job;
  readonly cluster_id: string;
}

export function Appearances({ job, cluster_id }: AppearancesProps) {
  const cache_dir = useCacheDir();
  const changes = slice.use((state) => state.changes);
  const request = { cluster_job_name: job.name, people: [cluster_id] };
  const asked = useAsk(
    cache_dir === null ? null : (signal) => api.appearances({ cache_dir, ...request }, { signal }),
    [cache_dir, job.name, cluster_id, changes],
  );
  const media = asked.value?.people.flatMap((one) => one.media) ?? null;
  return html`<section class="column" aria-label=${t(people.seenIn)}><h2>${t(people.seenIn)}</h2>
    ${media === null && (asked.state === 'failed' ? html`<${Failed} error=${asked.error} again=${asked.again} />` : html`<${Loading} />`)}
    <ul class="seen-in">${media?.map((one) => html`<${SeenIn} key=${one.hash_str} media=${one} />`)}</ul>
  </section>`;
}

interface SeenInProps {
  readonly media: {
    readonly media_path: string;
    readonly hash_str: string;
    readonly faces: number;
    readonly ranges: readonly (readonly [number, number])[];
  };
}

function SeenIn({ media: { media_path, hash_str, faces, ranges } }: SeenInProps) {
  const [showsAll, setShowsAll] = useState(false);
  const name = nameOf(media_path);
  const shown = showsAll ? ranges : ranges.slice(0, FEW);
  const open = (seconds: number) => go('player', momentArgument({ hash_str, seconds }));
  return html`<li class="row">
    <${Picture} media_path=${media_path} seconds=${ranges[0]?.[0] ?? 0} icon="picture" />
    <div class="column grow"><p class="cut" title=${media_path}>${name} <span class="quiet">${t(people.size, { n: faces })}</span></p>
      <div class="row wrap">${shown.map(
        ([
          start,
          end,
        ]) => html`<button aria-label=${t(people.playAt, { name, time: timeOf([start, end]) })} onClick=${() => open(start)}>
          <${Icon} name="play" />${timeOf([start, end])}</button>`,
      )}
      ${shown.length < ranges.length && html`<button class="quiet" onClick=${() => setShowsAll(true)}>${t(people.more, { n: ranges.length - shown.length })}</button>`}</div>
    </div>
  </li>`;
}

function timeOf([start, end]: readonly [number, number]): string {
  return end - start > 1 ? `${clock(start)}–${clock(end)}` : clock(start);
}
