// Pairs of clusters that may be one person, most alike first, each with a question.
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { api } from '../../api.ts';
import { Icon } from '../../parts/icon.ts';
import { Empty, Failed, Loading } from '../../parts/states.ts';
import { people } from '../../words/people.ts';
import { t } from '../../words.ts';
import { calledOf } from './card.ts';
import { correct, merge } from './change.ts';
import { percent } from './choice.ts';
import { Faces } from './faces.ts';
import { useQuestions } from './questions.ts';
import { type Job, useCacheDir } from './state.ts';

type Pair = Awaited<ReturnType<typeof api.suggestClusters>>['suggestions'][number];
const PAIRS = 20;
const FACES = 4;

export function Alike({ job }: { readonly job: Job }) {
  const cache_dir = useCacheDir();
  const list = useRef<HTMLOListElement>(null);
  const answered = useRef(false);
  const request = { cluster_job_name: job.name, limit: PAIRS, limit_per_cluster: FACES };
  const asked = useQuestions(
    cache_dir === null ? null : (signal) => api.suggestClusters({ cache_dir, ...request }, { signal }),
    [cache_dir, job.name],
  );
  // The next question has the focus when one was answered: by keys it goes on at once.
  useEffect(() => {
    if (asked.state !== 'ready' || !answered.current) return;
    answered.current = false;
    list.current?.querySelector('button')?.focus();
  }, [asked.value]);
  if (asked.state === 'failed') return html`<${Failed} error=${asked.error} again=${asked.again} />`;
  if (asked.value === null) return html`<${Loading} />`;
  const { suggestions, warning } = asked.value;
  if (suggestions.length === 0)
    return html`<${Empty} icon="check" title=${t(people.noPairs)}><p class="quiet">${warning ?? t(people.noPairsHow)}</p><//>`;
  const { isBusy } = asked;
  const onAnswer = (pair: Pair, isSame: boolean) =>
    asked.answer(async () => {
      answered.current = await answer(job.name, pair, isSame);
      return answered.current;
    });
  return html`<p class="quiet">${t(people.pairs)}</p>${warning && html`<p class="quiet">${warning}</p>`}
    <ol ref=${list} class="pairs" aria-busy=${isBusy}>${suggestions.map(
      (pair) =>
        html`<${Question} key=${pair.cluster_ids.join()} pair=${pair} isBusy=${isBusy} onAnswer=${onAnswer} />`,
    )}</ol>`;
}

function answer(job: string, { cluster_ids }: Pair, isSame: boolean): Promise<boolean> {
  if (isSame) return merge(job, cluster_ids);
  return correct(job, { apart: [{ cluster_ids: [...cluster_ids] }] }, t(people.heldApart));
}

interface QuestionProps {
  readonly pair: Pair;
  readonly isBusy: boolean;
  onAnswer(pair: Pair, isSame: boolean): void;
}

function Question({ pair, isBusy, onAnswer }: QuestionProps) {
  const [one, other] = pair.samples;
  if (!one || !other) return null;
  const values = { one: calledOf(one), other: calledOf(other) };
  const side = (sample: typeof one) => html`<div class="column grow"><${Faces} faces=${sample.sample_faces} />
    <p class="cut">${sample.name || html`<span class="quiet">${t(people.who)}</span>`} <span class="quiet">${t(people.size, { n: sample.size })}</span></p></div>`;
  return html`<li class="pair">
    <div class="row sides">${side(one)}${side(other)}</div>
    <div class="row answers"><span class="quiet">${t(people.likeness, { n: percent(pair.similarity) })}</span>
      <button class="primary" aria-disabled=${isBusy} aria-label=${t(people.ofPair, { answer: t(people.same), ...values })} onClick=${() => onAnswer(pair, true)}><${Icon} name="check" />${t(people.same)}</button>
      <button aria-disabled=${isBusy} aria-label=${t(people.ofPair, { answer: t(people.notSame), ...values })} onClick=${() => onAnswer(pair, false)}><${Icon} name="close" />${t(people.notSame)}</button></div>
  </li>`;
}
