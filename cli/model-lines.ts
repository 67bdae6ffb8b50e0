// The models of a machine as lines of text, by what they are for.
import { downloadSize, modelsInUse, sizeText } from '../actors/models/advice.ts';
import type { ListedModel, ModelRow } from '../actors/models/contract.ts';
import { unavailableModels } from '../actors/models/unavailable.ts';

export const purposes: Readonly<Record<ModelRow['kind'], string>> = {
  visual: 'recognizes what pictures show',
  speech: 'transcribes speech',
  voice: 'detects where somebody speaks',
  speaker: 'tells voices apart',
  turns: 'detects who speaks when, even when voices overlap',
  'face-detector': 'finds faces',
  'face-embedder': 'tells faces apart',
  summary: 'writes summaries',
  'object-detection': 'finds things in pictures',
  'text-recognition': 'reads printed words in pictures',
};

/** `visualKey`: the visual model of the settings. A headline for each purpose, then a line for each model. */
export function modelLines(models: readonly ListedModel[], visualKey: string): string[] {
  const used = modelsInUse(models, visualKey);
  const kinds = [...new Set(models.map(({ row }) => row.kind))];
  return kinds.flatMap((kind) => [
    `${kind}: ${purposes[kind]}`,
    ...models
      .filter(({ row }) => row.kind === kind)
      .map((model) => modelLine(model, used.has(model.row.key))),
    ...unavailableModels
      .filter((model) => model.kind === kind)
      .map(({ key, reason }) => `  ${key.padEnd(24)} not available: it ${reason}`),
  ]);
}

function modelLine({ row, builtIn, downloaded, supported, advised }: ListedModel, used: boolean): string {
  const where = builtIn
    ? 'built in'
    : downloaded
      ? 'downloaded'
      : supported
        ? 'not downloaded'
        : 'not for this system';
  const state = [where, used && 'in use', advised && !used && 'advised'].filter(Boolean).join(', ');
  const size = sizeText(downloaded ? row.size_gb : downloadSize(row)).padStart(7);
  return `  ${row.key.padEnd(24)} ${state.padEnd(24)} ${size}  ${languagesOf(row).padEnd(15)} ${row.license}`;
}

function languagesOf({ kind, languages }: ModelRow): string {
  if (languages.length === 0) return '';
  // A voice is heard in any language.
  if (languages.includes('*'))
    return ['visual', 'speech', 'summary', 'text-recognition'].includes(kind)
      ? 'many languages'
      : 'any language';
  return languages.length <= 3 ? languages.join(', ') : `${languages.length} languages`;
}
