// An engine with one actor in a process: sends the id of that process, and is killed by the test. With `hang`
// the actor hangs meanwhile.
import { systemClock } from '../../../runtime/clock.ts';
import { createLog } from '../../../runtime/log.ts';
import { startProcess } from '../../../runtime/process/actor-process.ts';
import { createSupervisor } from '../../../runtime/supervisor.ts';
import { apartContract } from './apart.ts';

const log = createLog('test', () => {});
const options = { name: 'apart', contract: apartContract, settings: undefined, log, mostBytes: 2 ** 30 };
const module = new URL('./apart.ts', import.meta.url);
const start = () => startProcess({ ...options, module });
const supervisor = createSupervisor({ clock: systemClock, log });
const actor = supervisor.addOnDemand({ name: 'apart', contract: apartContract, start });
process.send!(await actor.ask('pid', {}));
if (process.argv.includes('hang')) await actor.ask('hang', { path: '/footage/film.mp4' });
