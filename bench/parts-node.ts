// A process of bench/parts.ts: a node that holds a part of a library and answers others about it.
import { HeldVectors } from '../actors/cluster/held-vectors.ts';
import { PartServer } from '../actors/cluster/part-server.ts';
import { indexContract } from '../actors/index/contract.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLog } from '../runtime/log.ts';
import { startBench } from './actors.ts';
import { asked, type PartLibrary, secret } from './parts-library.ts';

const { cacheDir, model, address, part, of } = JSON.parse(process.argv[2]!) as PartLibrary & {
  readonly address: string;
  readonly part: number;
  readonly of: number;
};
const bench = startBench(1, 4096);
const index = await bench.actor(indexContract, {});
const log = createLog('bench', () => {});
const held = new HeldVectors({
  ...{ index, cacheDir, hold: { part, of }, clock: systemClock, log },
  follower: { until: async () => {} },
  model: () => model,
});
const server = new PartServer({
  ...{ address, log },
  secret: () => secret,
  answer: (message, signal) => held.answer(message, signal),
});
await server.begin();

/** Answers how long its own part takes. */
process.on('message', async (question: number) => {
  const began = performance.now();
  await index.ask('search', asked(cacheDir, model, question), { lane: 'now' });
  process.send!(performance.now() - began);
});
process.on('disconnect', () => process.exit());
process.send!('ready');
