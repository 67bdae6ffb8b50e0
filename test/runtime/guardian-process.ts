// A guardian in a process of its own, to be killed: runs Node with the arguments it is given.
import { systemClock } from '../../runtime/clock.ts';
import { guard } from '../../runtime/guardian.ts';
import { createLog } from '../../runtime/log.ts';
import { formatLine } from '../../runtime/log-line.ts';

const log = createLog('guardian', (line) => process.stderr.write(formatLine(line)));
process.exitCode = await guard({
  command: [process.execPath, '--no-warnings', ...process.argv.slice(2)],
  clock: systemClock,
  log,
});
