// The face actor: finds faces in pictures and clusters their vectors. Runs of its models block its thread.
import { type ActorEnv, actor } from '../../runtime/actor.ts';
import { chooseFaces } from '../models/registry.ts';
import { clusteringHandlers } from './clustering/handlers.ts';
import { facesContract } from './contract.ts';
import { type FacesSettings, findingHandlers } from './finder.ts';

export const definition = actor({
  contract: facesContract,
  create: (env: ActorEnv<FacesSettings>) => {
    const finding = findingHandlers({ ...env, choose: chooseFaces });
    const clustering = clusteringHandlers({ threads: env.settings.threads, log: env.log });
    return {
      handlers: { ...finding.handlers, ...clustering.handlers },
      close: async () => {
        await finding.close();
        await clustering.close();
      },
    };
  },
});
