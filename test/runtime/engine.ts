// Starts fixtures for the tests of the engine.

import { createLog, type LogLine } from '../../runtime/log.ts';
import { createSlotPool } from '../../runtime/slots.ts';
import { createSupervisor, type SupervisorOptions } from '../../runtime/supervisor.ts';
import { startThread } from '../../runtime/thread.ts';
import { definition, fixtureContract } from './fixture.ts';
import { manualClock } from './manual-clock.ts';
import { startInMemory } from './memory.ts';

export function engine(options: Partial<SupervisorOptions> = {}) {
  const lines: LogLine[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const clock = manualClock();
  const pool = createSlotPool(4, 16);
  const supervisor = createSupervisor({ clock, log, pool, ...options });
  const inMemory = (capacity = 8) =>
    supervisor.add({
      name: 'fixture',
      contract: fixtureContract,
      capacity,
      turnLimitMs: 1_000,
      start: () => startInMemory(definition, { log, memory: pool.memory }),
    });
  const threaded = (name: string, settings: unknown, isSpare = false, isBackground = false) => ({
    name,
    contract: fixtureContract,
    capacity: 8,
    turnLimitMs: 1_000,
    isSpare,
    start: () =>
      startThread({
        name,
        module: new URL('./fixture.ts', import.meta.url),
        calls: fixtureContract.calls,
        settings,
        memory: pool.memory,
        isBackground,
        log,
      }),
  });
  const inThread = (name = 'fixture', settings: unknown = {}) => supervisor.add(threaded(name, settings));
  const onDemand = (name = 'fixture') => supervisor.addOnDemand(threaded(name, {}));
  const spare = () => supervisor.add(threaded('spare', {}, true));
  const inBackground = () => supervisor.add(threaded('background', {}, false, true));
  return { supervisor, clock, log, lines, pool, inMemory, inThread, inBackground, onDemand, spare };
}
