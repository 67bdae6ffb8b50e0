// The record of a model. When it is damaged, the stages of the model say again what it held.
import { countFrames } from '../visual/frames.ts';
import type { Environment } from './environment.ts';
import { readable } from './faults.ts';
import { modelRecordKey, stagePrefix } from './names.ts';
import { readRecord } from './read-record.ts';
import { Model, Visual } from './records.ts';
import { unseal } from './table.ts';

/** Null when there is none. */
export function readModel(environment: Environment | null, modelKey: string): Model | null {
  if (environment === null) return null;
  const read = readable(() => ({ model: readRecord(environment, Model, modelRecordKey(modelKey)) }));
  return read === null ? modelOfStages(environment, modelKey) : read.model;
}

/** Null when no stage can be read either. The vectors of the model have the length of those stored last. */
function modelOfStages(environment: Environment, modelKey: string): Model | null {
  const stages = Array.from(environment.entries(stagePrefix(modelKey)), ({ key, value }) =>
    readable(() => unseal(Visual, key, value, environment.file)),
  ).filter((stage) => stage !== null);
  const inOrder = stages.toSorted((a, b) => a.stored_ms - b.stored_ms);
  const last = inOrder.at(-1);
  if (last === undefined) return null;
  const { dimensions } = last;
  const own = stages.filter((stage) => stage.dimensions === dimensions);
  const rows = own.reduce((sum, { frame_runs }) => sum + countFrames(frame_runs), 0);
  return { model_key: modelKey, dimensions, rows, made_ms: inOrder[0]!.stored_ms };
}
