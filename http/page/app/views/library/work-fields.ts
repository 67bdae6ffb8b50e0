// Fields to choose kinds of work, and what each of them needs on this machine.
import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import type { Api } from '../../api.ts';
import { SetUpButton } from '../../parts/set-up.ts';
import { routeHash } from '../../route.ts';
import { library } from '../../words/library.ts';
import { t } from '../../words.ts';
import { defaultWork, type KindCounts, type WorkOptions } from './request.ts';

const KEPT = 'framehound.wishes';

type Models = Awaited<ReturnType<Api['availableModels']>>;
/** What of them decides which work is possible. */
interface WorkModels {
  readonly speech: Pick<Models['speech'], 'model_key'>;
  readonly faces: Pick<Models['faces'], 'command'>;
}

/** What a person chose the last time; doing again what is stored is never kept. */
export function savedWork(): Partial<WorkOptions> {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Partial<WorkOptions>;
  } catch {
    return {};
  }
}

export function saveWork({ again: _, ...options }: Partial<WorkOptions>): void {
  localStorage.setItem(KEPT, JSON.stringify(options));
}

/**
 * Where nothing was chosen: speech only with a model that writes it down, or every file without subtitles would fail. Faces
 * that were wished for before wait until their models are there again.
 */
export function workOptions(kept: Partial<WorkOptions>, models: WorkModels | null): WorkOptions {
  const speech = models !== null && models.speech.model_key !== null;
  const options = { ...defaultWork, speech, ...kept };
  return { ...options, faces: options.faces && canFindFaces(models) };
}

function canFindFaces(models: WorkModels | null): boolean {
  return models === null || models.faces.command === null;
}

export interface WorkFieldsProps {
  readonly options: WorkOptions;
  /** Null while they are asked for. */
  readonly models: Models | null;
  readonly kinds: KindCounts;
  set(options: Partial<WorkOptions>): void;
}

export function WorkFields({ options, models, kinds, set }: WorkFieldsProps) {
  const hasPicture = kinds.video + kinds.image > 0;
  const hasSound = kinds.video + kinds.audio > 0;
  const canFaces = canFindFaces(models);
  const canSee = models === null || (models.sight.things_key !== null && models.sight.words_key !== null);
  const text = (name: 'language' | 'people', label: string, how: string, isNeeded: boolean) =>
    html`<label class="wish-detail">${label}<input required=${isNeeded} maxlength="200" value=${options[name]} placeholder=${how}
      onInput=${(event: Event) => set({ [name]: (event.target as HTMLInputElement).value })} /></label>`;
  const wish = (name: WishName, label: string, isAble: boolean, more: ComponentChildren) =>
    html`<div class="wish"><label><input type="checkbox" checked=${options[name] && isAble} disabled=${!isAble}
      onChange=${() => set({ [name]: !options[name] })} />${label}</label>${options[name] && isAble ? more : null}</div>`;
  return html`<fieldset class="wishes"><legend class="unseen">${t(library.analyseTitle)}</legend>
    ${wish('picture', t(library.wishPicture, { model: models?.loaded_model ?? '…' }), hasPicture, !canSee && html`<${Lacking} text=${t(library.noSight)} />`)}
    ${wish(
      'speech',
      t(library.wishSpeech),
      hasSound,
      html`${text('language', t(library.language), t(library.languageHow), true)}
        ${models?.speech.model_key === null && html`<${Lacking} text=${t(library.onlySubtitles)} />`}`,
    )}
    ${wish('faces', t(library.wishFaces), hasPicture && canFaces, text('people', t(library.people), t(library.peopleHow), true))}
    ${!canFaces && html`<${Lacking} text=${t(library.noFaceModel)} />`}
    ${wish('summary', t(library.wishSummary), hasSound, models?.summaries.recommended_key === null && html`<${Lacking} text=${t(library.templates)} isOfSettings />`)}
    <label><input type="checkbox" checked=${options.again} onChange=${() => set({ again: !options.again })} />${t(library.again)}</label>
  </fieldset>`;
}

type WishName = 'picture' | 'speech' | 'faces' | 'summary';

function Lacking({ text, isOfSettings }: { readonly text: string; readonly isOfSettings?: boolean }) {
  const link = html`<a href=${routeHash({ view: 'settings', argument: '' })}>${t(library.toSettings)}</a>`;
  return html`<p class="wish-detail quiet">${text} ${isOfSettings ? link : html`<${SetUpButton} />`}</p>`;
}
