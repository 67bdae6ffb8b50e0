// Keys of models that other programs run and this one does not, each with the reason: whoever asks for one is
// told more than that nobody knows it.
import type { ModelRow } from './contract.ts';
import { defaultModelKey } from './rows/list.ts';

interface UnavailableModel {
  readonly key: string;
  readonly kind: ModelRow['kind'];
  /** A sentence without its subject and full stop. */
  readonly reason: string;
}

const mlx = 'is a model for MLX on Apple silicon, but this program runs ONNX models';

export const unavailableModels: readonly UnavailableModel[] = [
  {
    key: 'x3-vl-4b-instruct',
    kind: 'summary',
    reason: 'is published for ONNX Runtime GenAI only, not as graphs that this program can run',
  },
  {
    key: 'x3-vl-8b-instruct',
    kind: 'summary',
    reason: 'is not published as graphs that this program can run',
  },
  { key: 'x3-vl-4b-instruct-8bit', kind: 'summary', reason: mlx },
  { key: 'x3-vl-8b-instruct-8bit', kind: 'summary', reason: mlx },
  { key: 'x3-vl-32b-instruct-8bit', kind: 'summary', reason: mlx },
];

/** Replacement for each kind, added to the reason. */
export const instead: Readonly<Partial<Record<ModelRow['kind'], string>>> = {
  summary:
    '; `framehound models list` shows the models that write summaries on this machine, and without a key the recommended one is used',
};

export function unavailableModel(key: string): UnavailableModel | null {
  return unavailableModels.find((model) => model.key === key) ?? null;
}

// Keys under which models were known before, and what they are now. A model that gives other vectors gets
// another key, so that what is stored of the one before is never compared with them.

const renamed: Readonly<Record<string, string>> = {
  'starter-visual': defaultModelKey,
  'starter-visual-2': defaultModelKey,
};

/** The keys under which vectors of older versions of the model are stored. */
export function olderKeys(key: string): string[] {
  return Object.keys(renamed).filter((older) => renamed[older] === key);
}

/** The key of today; every other key is answered as it is. */
export function currentKey(key: string): string {
  return Object.hasOwn(renamed, key) ? renamed[key]! : key;
}
