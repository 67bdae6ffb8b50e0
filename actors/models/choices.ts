// Which models a task works with where the request does not say, or names one: asked before anything starts.
import { modelErrors } from './contract.ts';
import { chooseFaces, findRow, readRegistry } from './registry.ts';

export interface ModelChoices {
  /** Also where there is no face actor. Throws NO_FACE_MODEL. */
  expectFaceModel(): Promise<void>;
  /** Null: texts come from templates, as no language model can be run. Throws MODEL_UNKNOWN and MODEL_WRONG_KIND. */
  summaryModel(key: string | null): Promise<string | null>;
}

export function modelChoices(modelsDir: string): ModelChoices {
  return {
    expectFaceModel: async () => {
      await chooseFaces(modelsDir);
    },
    summaryModel: async (key) => {
      if (key === null) return null;
      const row = findRow(await readRegistry(modelsDir), key);
      throw modelErrors.MODEL_WRONG_KIND(`"${key}" is a ${row.kind} model, and writes no summaries`, { key });
    },
  };
}
