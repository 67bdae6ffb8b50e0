// Ends this program when the launcher that started it is gone: a launcher that is killed can hand no signal
// on. To be imported by the entry of a program.

/**
 * Set by the launcher (launch.mjs), which holds a channel to the program; the channel closes when the
 * launcher ends.
 */
const VARIABLE = 'FRAMEHOUND_LAUNCHED';

if (process.env[VARIABLE] !== undefined && process.channel) {
  // Programs that this one starts have another parent.
  delete process.env[VARIABLE];
  process.once('disconnect', endAsAsked);
  // The channel alone does not keep the process running.
  process.channel.unref();
  if (!process.connected) endAsAsked();
}

/** Acts like SIGTERM. If nothing listens for that yet, nothing has to be stopped. */
function endAsAsked(): void {
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(1);
}
