// `framehound serve`: answers other programs until it is stopped. A small guardian runs the engine as its
// child and starts it again when it ends by itself; `--no-guardian` is that child, and a way to debug.
import { Check } from 'typebox/value';
import {
  type ClusterChoice,
  clusterErrors,
  type Role,
  roles,
  tellingOf,
} from '../../actors/cluster/contract.ts';
import type { Engine } from '../../actors/engine.ts';
import { storeErrors } from '../../actors/index/store/contract.ts';
import { LoadedContext } from '../../actors/search/contract.ts';
import { SearchService } from '../../events/searches/searches.ts';
import { createEventServer, type EventServer } from '../../events/server.ts';
import { WebhookService } from '../../events/webhooks/webhooks.ts';
import { createGateway, type Gateway } from '../../http/gateway.ts';
import { openLicenses } from '../../http/license/open.ts';
import { Access } from '../../http/sessions/access.ts';
import { serverErrors } from '../../http/uws-native.ts';
import { engineErrors, toFields } from '../../runtime/errors.ts';
import { ownFiles } from '../../runtime/files/home-files.ts';
import { sweepParts } from '../../runtime/files/sweep.ts';
import type { Log } from '../../runtime/log.ts';
import { type HostRule, hostRule, isLoopback, pageAddress, signInAddress } from '../../runtime/origin.ts';
import { endOnFault } from '../../runtime/process/fault.ts';
import { engineCommand, guard } from '../../runtime/process/guardian.ts';
import { GuardianClient } from '../../runtime/process/guardian-client.ts';
import { programVersion } from '../../runtime/process/program.ts';
import { engineExit } from '../../runtime/restart.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { type Command, type Context, deviceHint, flagsOf, usageErrors } from '../context.ts';
import { testChangedModels } from '../model-tests.ts';
import { heedStop, keepServiceFile } from '../service-file.ts';
import { databaseAddress } from './cluster.ts';

/**
 * After the start: a part in the home folder that is older than the start and still there has no writer, as
 * writing one takes an instant.
 */
const SWEEP_AFTER_MS = 60_000;

/** How long requests in flight may take once the service was told to stop. */
const DRAIN_MS = 3_000;
/**
 * The same after the engine has stopped: requests that waited for it now fail, and their responses are still
 * sent.
 */
const FINAL_DRAIN_MS = 500;

export const serve: Command = async (args, context) => {
  const values = flagsOf(commandTable.serve, args);
  const { clock, log } = context;
  if (!values['no-guardian']) {
    return guard({ command: engineCommand(), clock, log: log.named('guardian'), stop: context.signal });
  }
  endOnFault(log, context.flushLog);
  const guardian = new GuardianClient({ stop: context.signal, clock });
  const hint = deviceHint(context.values);
  if (hint !== null) log.info(hint);
  try {
    return await serveUntilStopped(context, guardian, clusterOf(values, context));
  } catch (error) {
    const code = endsAgain.find(({ errors }) => errors.some((row) => row.is(error)))?.code;
    if (code === undefined) throw error;
    log.error((error as Error).message);
    return code;
  } finally {
    guardian.close();
    await context.flushLog();
  }
};

const { DATABASE_REFUSED, SHARED_FOLDER, CLUSTER_TOO_NEW, NODE_COPIED } = clusterErrors;

/** Errors of a start that another start would meet as well, with the exit code that says so. */
const endsAgain = [
  { errors: [serverErrors.PORT_TAKEN], code: engineExit.cannotStart },
  {
    errors: [DATABASE_REFUSED, SHARED_FOLDER, CLUSTER_TOO_NEW, NODE_COPIED, storeErrors.OTHER_LIBRARY],
    code: engineExit.usage,
  },
];

/** Cluster from the command line, else from the settings; null if neither names one. */
function clusterOf(given: ClusterOptions, { values }: Context): ClusterChoice | null {
  const url = databaseAddress(given.cluster, values);
  if (url === '') return null;
  const { 'cluster-folder': folder = values.cluster_folder, roles: named } = given;
  const asRole = (word: string): Role => {
    const role = roles.find((name) => name === word);
    if (role === undefined)
      throw usageErrors.USAGE(`--roles must be ${roles.join(', ')} or both, not ${word}`);
    return role;
  };
  return { url, folder, roles: named === undefined ? values.roles : named.split(',').map(asRole) };
}

interface ClusterOptions {
  readonly cluster?: string | undefined;
  readonly 'cluster-folder'?: string | undefined;
  readonly roles?: string | undefined;
}

/** Names of the values that the guardian keeps for the engine that follows after a crash. */
const [LOADED, LICENSES] = ['loaded', 'licenses'];

interface Parts {
  readonly engine: Engine;
  readonly access: Access;
  readonly events: EventServer;
  readonly searches: SearchService;
  readonly webhooks: WebhookService;
  readonly gateway: Gateway;
}

async function serveUntilStopped(
  context: Context,
  guardian: GuardianClient,
  cluster: ClusterChoice | null,
): Promise<number> {
  const { config, values, clock, log } = context;
  // Wrong settings are found before anything is started: a started engine would keep the process alive.
  const isAllowedHost = hostRule(values.hosts, { host: values.host });
  const access = openAccess(context, guardian);
  const engine = await context
    .startEngine(values.decoders, {
      cluster,
      signal: guardian.signal,
      previous: guardian.previous,
      onFatal: (actor) => guardian.requestRestart(`${actor} has stopped responding for the second time`),
      onCutOff: () => guardian.requestRestart('this machine takes the whole library of the cluster again'),
    })
    .catch((error: unknown) => {
      access.close(true);
      if (error !== guardian.signal.reason) throw error;
      log.info('the start was ended');
      return null;
    });
  if (engine === null) return engineExit.stopped;
  engine.cluster?.home.onChange((names) => access.changedOutside(names));
  const { searches, events, webhooks } = followers(context, engine, isAllowedHost);
  const { restarts: engineRestarts } = guardian;
  const gateway = createGateway({
    engine,
    access,
    events,
    searches,
    webhooks,
    isAllowedHost,
    config,
    clock,
    log,
    engineRestarts,
    version: programVersion(),
  });
  const parts = { engine, access, events, searches, webhooks, gateway };
  let forget = () => {};
  try {
    forget = begin(context, parts, guardian);
    await aborted(guardian.signal);
  } finally {
    // Where another engine follows, the service runs on.
    const isLast = !guardian.restartRequested;
    await end(context, parts, isLast);
    if (isLast) forget();
  }
  return guardian.restartRequested ? engineExit.restart : engineExit.stopped;
}

/** Subscribers to events of the engine. */
function followers({ values, clock, log }: Context, engine: Engine, isAllowedHost: HostRule) {
  const { tasks, search, watchFolders } = engine;
  const { searches: searchFolder, webhooks: webhookFolder } = folders(values);
  const { cluster } = engine;
  const homeFiles = cluster?.home ?? ownFiles;
  const telling = cluster?.telling ?? tellingOf(tasks);
  const parts = { tasks, search, watchFolders, homeFiles, telling, clock, now: () => Date.now() / 1000 };
  const searches = new SearchService({ ...parts, folder: searchFolder, log: log.named('searches') });
  if (cluster !== null) searches.followHome(cluster.home);
  const { origins, webhook_hosts: hosts } = values;
  const events = createEventServer({ ...parts, searches, log: log.named('events'), isAllowedHost, origins });
  const named = { folder: webhookFolder, log: log.named('webhooks') };
  return { searches, events, webhooks: new WebhookService({ ...parts, ...named, searches, hosts }) };
}

/** Removes what killed processes left in the home folder. */
function sweepHome({ values, clock, log }: Context, signal: AbortSignal): void {
  const { home, cache } = folders(values);
  const started = Date.now();
  const cancel = clock.after(SWEEP_AFTER_MS, () => {
    void sweepParts(home, started, { deep: true, without: [cache] }).then((removed) => {
      if (removed.length > 0) log.info('removed parts of files left by killed processes', { removed });
    });
  });
  signal.addEventListener('abort', cancel, { once: true });
}

function testModels(context: Context, engine: Engine, signal: AbortSignal): void {
  testChangedModels(engine, context, { signal, again: false }).catch((error: unknown) => {
    if (!engineErrors.CANCELLED.is(error)) context.log.error('models cannot be tested', { error });
  });
}

/** Licenses, and the sessions that stand for them. */
function openAccess({ values, clock, log }: Context, guardian: GuardianClient): Access {
  const licenses = openLicenses(values, {
    clock,
    now: Date.now,
    log: log.named('license'),
    savedValue: guardian.kept(LICENSES),
    keep: (text) => guardian.keep(LICENSES, text),
  });
  return new Access({
    licenses,
    hasLicenseServer: values.license_url !== '',
    isLocal: isLoopback(values.host),
    folder: folders(values).sessions,
    clock,
    now: Date.now,
    log: log.named('sessions'),
  });
}

function begin(
  context: Context,
  { engine, access, gateway, webhooks }: Parts,
  guardian: GuardianClient,
): () => void {
  const { values, log, clock } = context;
  const { host, port } = gateway.listen();
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  log.info('listening', { api: `${address}/api/v1`, docs: `${address}/docs` });
  guardian.ready();
  const listening = { host, port, owner: access.owner, guarded: guardian.guarded };
  const { home } = folders(values);
  const forget = keepServiceFile(home, listening, context);
  if (process.platform === 'win32') {
    const { guarded, signal } = guardian;
    const ignore = heedStop(home, { guarded, clock }, () => process.emit('SIGTERM', 'SIGTERM'));
    signal.addEventListener('abort', ignore, { once: true });
  }
  sweepHome(context, guardian.signal);
  tellPage(context, pageAddress(host, port), access);
  engine.tasks.endInterrupted().then(
    (tasks) => webhooks.interrupted(tasks),
    (error) => log.error('tasks of an earlier engine cannot be read', { error: toFields(error).message }),
  );
  testModels(context, engine, guardian.signal);
  const restored = keptContext(guardian, log);
  engine.search.onLoaded((context) => guardian.keep(LOADED, JSON.stringify(context)));
  const model_key = restored?.model_key ?? values.model;
  // Not awaited: requests that need the model are answered that it loads; /models/loaded and /readyz say if
  // it fails.
  const model = engine.search.models.load(model_key);
  if (restored) loadAgain(engine, restored, model, log);
  model.then(
    ({ model_key, device, device_reason, fallback_from }) =>
      log.info('visual model in use', {
        model_key,
        device,
        ...(device_reason && { device_reason }),
        ...(fallback_from && { fallback_from }),
      }),
    (error) =>
      log.error('the visual model could not be loaded', { model: model_key, error: toFields(error).message }),
  );
  // Files that come before the model is ready wait for it.
  void engine.watchFolders.resume();
  return forget;
}

/** How long a person may take to click on the address of a service that was just started. */
const CLICK_MS = 10 * 60_000;

/** On a terminal only: whoever reads a log or a pipe later could sign in. */
function tellPage({ screen }: Context, page: string, access: Access): void {
  if (!screen.isTerminal) return;
  const ticket = access.ownerTicket(CLICK_MS);
  const how =
    ticket === null
      ? 'sign in with a license key'
      : 'works once, within 10 minutes; later use: framehound open';
  screen.write(`Page: ${ticket === null ? page : signInAddress(page, ticket)} (${how})\n`);
}

/** Context that the previous engine had loaded; null for none. */
function keptContext(guardian: GuardianClient, log: Log): LoadedContext | null {
  const saved = guardian.kept(LOADED);
  if (saved === undefined) return null;
  try {
    const context: unknown = JSON.parse(saved.value);
    if (Check(LoadedContext, context)) return context;
  } catch {
    // Said below.
  }
  log.warn('the record of previously loaded data cannot be read');
  return null;
}

/** Not awaited: searches wait for what they need, and /readyz says that it loads. */
function loadAgain(engine: Engine, context: LoadedContext, model: Promise<unknown>, log: Log): void {
  const facts = { visual: context.visual?.cache_dir, transcripts: context.transcripts?.cache_dir };
  log.info('reloading previously loaded data', facts);
  engine.search.restore(context, model).then(
    () => log.info('reloaded previously loaded data', facts),
    (error) =>
      log.error('previously loaded data could not be reloaded', { ...facts, error: toFields(error).message }),
  );
}

/**
 * Within the stop limit of the guardian: requests drained, the running task at its checkpoint, actors flushed
 * and stopped.
 */
async function end(
  { log, flushLog }: Context,
  { engine, access, events, searches, webhooks, gateway }: Parts,
  isLast: boolean,
): Promise<void> {
  log.info('stopping');
  gateway.stopAdmitting();
  // The folders first, so that no other task is begun when the running one is stopped.
  await Promise.all([gateway.drain(DRAIN_MS), engine.watchFolders.close(), engine.tasks.stop()]);
  const late = await engine.stop();
  await gateway.drain(FINAL_DRAIN_MS);
  searches.close();
  webhooks.close();
  await events.close();
  await gateway.close();
  access.close(isLast);
  if (late.length === 0) {
    log.info('stopped');
    return;
  }
  // A thread inside native code can only be ended with the process; everything that was stored is flushed.
  log.error('did not stop in time', { actors: late });
  await flushLog();
  process.kill(process.pid, 'SIGKILL');
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
