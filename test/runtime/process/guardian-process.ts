// A guardian in a process of its own, to be killed: runs Node with the arguments it is given.
import { systemClock } from '../../../runtime/clock.ts';
import { createLog } from '../../../runtime/log.ts';
import { guard } from '../../../runtime/process/guardian.ts';
import { formatLine } from '../../../runtime/process/log-sink.ts';
import { nodeCommand } from '../../node-command.ts';

const log = createLog('guardian', (line) => process.stderr.write(formatLine(line)));
process.exitCode = await guard({
  command: [...nodeCommand, ...process.argv.slice(2)],
  clock: systemClock,
  log,
});
