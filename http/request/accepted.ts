// The answers of routes that have a task accepted, which may have to wait for its turn, or stop one.
import { Type } from 'typebox';
import type { Accepted } from '../../actors/analysis/contract.ts';
import { TaskId } from '../../actors/analysis/schemas.ts';
import { Message } from '../../runtime/answer.ts';
import { described, field } from '../../runtime/schema.ts';

export const AcceptedTask = {
  message: Message,
  task_id: TaskId,
  queue_position: Type.Optional(
    described(
      Type.Integer({ minimum: 1 }),
      'Position in the queue, 1 for the next task; omitted if the task is running.',
    ),
  ),
};

export const StillStopping = Type.Object({
  message: Message,
  still_stopping: field(
    'True while the task is still stopping. Repeat the request, or wait for the last event of the task.',
    Type.Boolean(),
  ),
});

/** `begun` and `waits` are what is said of a task that runs, and of one that does not yet. */
export function accepted(task: Accepted, begun: string, waits: string) {
  return { message: task.queue_position === undefined ? begun : waits, ...task };
}
