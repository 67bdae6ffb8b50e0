// All faults.
import { actorFaults } from './actors.ts';
import type { Fault } from './fault.ts';
import { frontFaults } from './fronts.ts';

export const faults: readonly Fault[] = [...frontFaults, ...actorFaults];
