// The decoder, with files by which native code crashes or takes all memory.
import { definition as decoder } from '../../../actors/decoder/actor.ts';
import { mediaErrors } from '../../../actors/decoder/contract.ts';
import { type ActorEnv, actor } from '../../../runtime/actor.ts';

export const definition = actor({
  contract: decoder.contract,
  create: async (env: ActorEnv<undefined>) => {
    const instance = await decoder.create(env);
    const { probe } = instance.handlers;
    return {
      ...instance,
      handlers: {
        ...instance.handlers,
        probe: (request, turn) => {
          if (request.path.includes('crash')) process.kill(process.pid, 'SIGSEGV');
          return request.path.includes('memory') ? fill(request.path) : probe(request, turn);
        },
      },
    };
  },
});

/** FFmpeg and libvips say as much when they get no memory. */
function fill(path: string): never {
  const held: Buffer[] = [];
  try {
    for (;;) held.push(Buffer.alloc(2 ** 26, 1));
  } catch (error) {
    throw mediaErrors.TOO_LARGE(`${path}: ${String(error)}`, { path }, error);
  }
}
