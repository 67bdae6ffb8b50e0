// Keys of models that other programs run and this one does not, each with the reason: whoever asks for one is
// told more than that nobody knows it.
import type { ModelRow } from './contract.ts';

export interface UnavailableModel {
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

/** What to use in its place, for each kind; behind the reason. */
export const instead: Readonly<Partial<Record<ModelRow['kind'], string>>> = {
  summary:
    '; `framehound models list` shows the models that write summaries on this machine, and without a key the recommended one is used',
};

export function unavailableModel(key: string): UnavailableModel | null {
  return unavailableModels.find((model) => model.key === key) ?? null;
}
