// The decoder's shell: what it answers and what it runs on. Everything is asked for by path, so it keeps no state.
import { actor } from '../../runtime/actor.ts';
import { decoderContract } from './contract.ts';
import { frames, picture } from './frames.ts';
import { identify } from './hash.ts';
import { probe } from './probe.ts';

export const definition = actor({
  contract: decoderContract,
  create: () => ({
    handlers: {
      probe: ({ path }) => probe(path),
      identify: ({ path }) => identify(path),
      frames,
      picture,
    },
  }),
});
