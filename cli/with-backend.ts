// Runs a command with its backend: a service when one is configured, else an engine in this process.
import type { Backend } from './backend.ts';
import { type Context, withEngine } from './context.ts';

/** `decoders`: films decoded at the same time by an engine of its own; 0 for one that only searches. */
export async function withBackend<T>(
  context: Context,
  decoders: number,
  work: (backend: Backend) => Promise<T>,
): Promise<T> {
  if (context.values.server !== '') {
    const { createRemote } = await import('./remote.ts');
    return work(createRemote(context));
  }
  const { createLocal } = await import('./local.ts');
  return withEngine(context, decoders, (engine) => work(createLocal(engine, context)));
}
