// An engine without media for the tests of the guardian: each word of its command line says what one engine
// process does.
import { systemClock } from '../../../runtime/clock.ts';
import { GuardianClient, RESTARTS_VARIABLE } from '../../../runtime/process/guardian-client.ts';
import { engineExit } from '../../../runtime/restart.ts';

const act = process.argv[2 + Number(process.env[RESTARTS_VARIABLE] ?? 0)];
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
const client = new GuardianClient({ stop: stop.signal, clock: systemClock, stopLimitMs: 2 ** 30 });

const acts: Record<string, (client: GuardianClient) => void> = {
  serve: () => {
    client.signal.addEventListener('abort', () => {
      client.close();
      clearInterval(stay);
    });
    const stay = setInterval(() => {}, 2 ** 30);
    client.ready();
  },
  crash: () => process.kill(process.pid, 'SIGKILL'),
  /** As Node ends after an error that nobody caught. */
  fault: () => process.exit(1),
  /** Keeps one thing more than it was given, and crashes when that was taken. */
  keep: () => {
    client.keep('lives', `${client.kept('lives')?.value ?? ''}i`);
    client.keep('large', 'x'.repeat(client.kept('lives') === undefined ? 10 : 30_000));
    process.send?.({ type: 'ready' }, () => process.kill(process.pid, 'SIGKILL'));
  },
  /** Says what it was given, and crashes. */
  tell: () => {
    const reason = JSON.stringify([client.kept('lives'), client.kept('large')]);
    process.send?.({ type: 'restart', reason }, () => process.kill(process.pid, 'SIGKILL'));
  },
  usage: () => process.exit(engineExit.usage),
  port: () => process.exit(engineExit.cannotStart),
  /**
   * Says it is ready, then its event loop does not turn for a minute: a test that fails does not leave it
   * behind for ever.
   */
  hang: () => {
    process.send?.({ type: 'ready' }, () => {
      const end = Date.now() + 60_000;
      while (Date.now() < end);
      process.exit();
    });
  },
  deaf: () => {
    process.on('message', () => {});
    client.ready();
  },
  chatty: () => {
    setInterval(() => client.ready(), 5);
    client.signal.addEventListener('abort', () => process.exit(0));
  },
  restart: () => {
    client.requestRestart('an actor is stuck');
    process.disconnect();
    process.exitCode = engineExit.restart;
  },
  stuck: () => {
    client.requestRestart('an actor is stuck');
    setInterval(() => {}, 2 ** 30);
    process.on('disconnect', () => process.exit());
  },
};
acts[act ?? '']!(client);
