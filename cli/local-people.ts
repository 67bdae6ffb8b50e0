// The faces and people of an engine in this process.
import type { Engine } from '../actors/engine.ts';
import type { PeopleBackend } from './backend.ts';
import type { ProgressView } from './progress-view.ts';
import type { Report } from './report.ts';

/** Starts a task and resolves when it has ended. */
export type Follow = (
  start: () => Promise<{ readonly task_id: string }>,
  view: ProgressView,
) => Promise<Report>;

export function localPeople(engine: Engine, signal: AbortSignal, follow: Follow): PeopleBackend {
  const people = () => engine.people;
  return {
    jobs: (cacheDir) => people().jobs(cacheDir, signal),
    samples: (request) => people().samples(request, signal),
    faces: (request) => people().faces(request, signal),
    name: (request) => people().name(request, signal),
    modify: (request) => people().modify(request, signal),
    undo: (request) => people().undo(request, signal),
    recluster: (request, view) => follow(() => people().recluster(request, signal), view),
    remove: (request) => people().remove(request, signal),
    appearances: (request) => people().appearances(request, signal),
  };
}
