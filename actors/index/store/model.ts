// The record of a model. When it is damaged, the stages of the model say again what it held.
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

/** Null when no stage can be read either: then the next one starts new packs. */
function modelOfStages(environment: Environment, modelKey: string): Model | null {
  const stages: Visual[] = [];
  for (const { key, value } of environment.entries(stagePrefix(modelKey))) {
    const visual = readable(() => unseal(Visual, key, value, environment.file));
    if (visual !== null) stages.push(visual);
  }
  const newest = stages.reduce<Visual | null>(
    (found, stage) => (found === null || stage.generation > found.generation ? stage : found),
    null,
  );
  if (newest === null) return null;
  const { generation, dimensions } = newest;
  const extents = stages.filter((stage) => stage.generation === generation).flatMap((stage) => stage.extents);
  return {
    model_key: modelKey,
    dimensions,
    generation,
    next_generation: generation + 1,
    rows: extents.reduce((end, { row, count }) => Math.max(end, row + count), 0),
    live: extents.reduce((sum, { count }) => sum + count, 0),
    made_ms: stages.reduce((first, { stored_ms }) => Math.min(first, stored_ms), newest.stored_ms),
  };
}
