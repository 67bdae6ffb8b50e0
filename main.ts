// The composition root: starts the actors and hands them to the coordinators. It decides nothing.
import './runtime/process/no-telemetry.ts';
import { createAnalysis } from './actors/analysis/analysis.ts';
import { openJournal, withoutJournal } from './actors/analysis/recovery/journal.ts';
import { slotBytesFor } from './actors/analysis/stages/faces/file-faces.ts';
import { filesIn, indexIn, joinCluster } from './actors/cluster/join.ts';
import type { Engine, EngineHost } from './actors/engine.ts';
import { createDocumentExports, createMediaExports } from './actors/exporter/exporter.ts';
import { createLibrary } from './actors/library/library.ts';
import { openLists } from './actors/library/lists/lists.ts';
import { createPeople } from './actors/library/people/people.ts';
import { createRoots } from './actors/library/roots.ts';
import { modelChoices } from './actors/models/choices.ts';
import { createModelLibrary } from './actors/models/library.ts';
import { thisMachine } from './actors/models/machine.ts';
import { createSearch } from './actors/search/search.ts';
import { startActors } from './actors/start.ts';
import { createSummaries } from './actors/summarizer/stored/summaries.ts';
import { openWatchFolders } from './actors/watcher/folders/service.ts';
import { Budget } from './runtime/budget.ts';
import { systemClock } from './runtime/clock.ts';
import type { Contract } from './runtime/contract.ts';
import type { Log } from './runtime/log.ts';
import { processSpec } from './runtime/process/actor-process.ts';
import { usableMemory } from './runtime/process/limits.ts';
import { createSlotPool } from './runtime/slots.ts';
import { createSupervisor } from './runtime/supervisor.ts';
import { threadSpec } from './runtime/thread.ts';
import { folders, type SettingValues } from './settings.ts';

/** Memory of a process of an actor, besides what its turns reserve. */
const processBytes = 2 ** 30;

/** `decoders`: films decoded at the same time; 0 for an engine that only searches. */
export async function startEngine(
  values: SettingValues,
  decoders: number,
  log: Log,
  { previous = null, cluster: choice = null, onFatal = () => {}, ...host }: EngineHost = {},
): Promise<Engine> {
  const { models, journal: journalPath } = folders(values);
  const slots = 48 + 8 * decoders; // Pages of a slot that nothing touches cost no memory.
  const pool = createSlotPool(slots, slotBytesFor(slots, usableMemory() / 2));
  const budget = new Budget(values.still_memory_mb * 2 ** 20);
  const journal = decoders > 0 ? openJournal(journalPath, { log, before: previous }) : withoutJournal;
  const supervisor = createSupervisor({ clock: systemClock, log, pool, budget, onFatal });
  const spec = <C extends Contract>(
    contract: C,
    settings: unknown,
    name = contract.name,
    runs = 'thread',
  ) => {
    const options = { name, settings, memory: pool.memory, log };
    if (runs === 'process')
      return processSpec(contract, import.meta.url, { ...options, mostBytes: budget.limit + processBytes });
    return threadSpec(contract, import.meta.url, { ...options, isBackground: runs === 'background' });
  };
  const { device, hardware_decoding: hardware, face_side: faceSide } = values;
  const end = () => supervisor.stop().finally(() => journal.close());
  try {
    const actors = await startActors(supervisor, spec, { values, decoders });
    const { thumbnailDecoders, clipWriters, watcher, films: decoding, index, ...leaves } = actors;
    const homeFiles = filesIn(choice, () => cluster);
    const lists = openLists(values, systemClock, homeFiles);
    const roots = createRoots(values, index, () => tasks);
    const preview = { max_side: values.preview_side, quality: values.preview_quality };
    const modelLibrary = createModelLibrary(models, thisMachine(device), values.models_url, device);
    const shared = { ...leaves, index: indexIn(choice, index, () => cluster) };
    const parts = { ...shared, modelLibrary, pool, journal, preview, hardware, clock: systemClock, log };
    const summarizing = () => analysis.summarizing || cluster?.summarizing === true;
    const asking = { thumbnailDecoders, lists, summarizing };
    const search = createSearch({ ...parts, ...asking, decoder: leaves.prober });
    const choices = { ...modelChoices(models, device), models: search.models, decode: values.decode, roots };
    const { clips, proxies } = createMediaExports({ ...values, ...parts, clipWriters, search });
    const analysing = { ...parts, ...choices, index, clips, proxies, decoders: decoding, faceSide };
    const analysis = createAnalysis(analysing);
    const { tasks, cluster } = await joinCluster(choice, values, { ...analysing, analysis, ...host });
    const library = createLibrary({ ...parts, tasks, proxies, roots, modelsFolder: models });
    const [people, summaries] = [createPeople({ ...parts, tasks }), createSummaries(parts)];
    const asWatched = { homeFiles, shared: cluster?.watching ?? null };
    const watching = { ...analysing, ...asWatched, watcher, tasks, analysis };
    const watchFolders = openWatchFolders(values, decoders, watching);
    const { close, ...documents } = createDocumentExports({ ...parts, summaries, search, roots });
    const stop = () => {
      journal.stopping();
      return Promise.all([watchFolders.close(), tasks.stop(), close()]).then(end);
    };
    const exports = { ...documents, clips, proxies };
    const all = { analysis, tasks, search, library, roots, people, summaries, watchFolders, ...exports };
    return { ...all, cluster, lists, models: modelLibrary, slots: pool, states: supervisor.states, stop };
  } catch (error) {
    await end();
    throw error;
  }
}
