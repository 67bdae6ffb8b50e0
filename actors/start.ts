// Starts the actors of an engine, each in a thread of its own, or in a process of its own.
import type { ChildSpec } from '../runtime/child.ts';
import type { Contract } from '../runtime/contract.ts';
import { leastBusy } from '../runtime/least-busy.ts';
import type { Supervisor } from '../runtime/supervisor.ts';
import { folders, type SettingValues } from '../settings.ts';
import { newEncoderFailures } from './decoder/clips/contract.ts';
import { decoderContract } from './decoder/contract.ts';
import { diarizerContract } from './diarizer/contract.ts';
import { embedderContract } from './embedder/contract.ts';
import { facesContract } from './faces/contract.ts';
import { indexContract } from './index/contract.ts';
import { mayUseGraphics, partsOf } from './models/device.ts';
import { graphicsHere } from './models/machine.ts';
import { defaultModelKey } from './models/rows/list.ts';
import { shareWebgpuLock } from './models/webgpu-lock.ts';
import { summarizerContract } from './summarizer/contract.ts';
import { textReaderContract } from './text-reader/contract.ts';
import { thingsContract } from './things/contract.ts';
import { transcriberContract } from './transcriber/contract.ts';
import { watcherContract } from './watcher/contract.ts';

/**
 * Where the code of an actor lies, and what it is started with. `name`: that of the contract by default.
 * `runs`: in a `thread` by default; a `background` thread lets others go first, so that searches do not wait
 * for the models of analyses.
 */
type Spec = <C extends Contract>(
  contract: C,
  settings: unknown,
  name?: string,
  runs?: 'thread' | 'background' | 'process',
) => ChildSpec<C>;

/**
 * Film decoders that use a device; those after them decode in software. A device has one or two engines for
 * all of them, which do some 700 to 1,000 pictures a second (an estimate, not measured here): with more than
 * these waiting for it, the cores of a large machine would have nothing to do.
 */
export const mostOnDevice = 4;

/**
 * Every file is first read by a prober, and stills are decoded there. One that takes long to open holds up
 * one of them; those after the first start when it is busy.
 */
const probers = (decoders: number) => Array.from({ length: 1 + Math.max(2, decoders) }, (_, i) => i);

/** The included model has no file that could be damaged, and only a graphics device can refuse it. */
const mayFail = (key: string, device: SettingValues['device']) =>
  key !== defaultModelKey || mayUseGraphics(device, graphicsHere());

/** `decoders`: films decoded at the same time; 0 for an engine that only searches. */
export async function startActors(
  supervisor: Supervisor,
  spec: Spec,
  { values, decoders }: { readonly values: SettingValues; readonly decoders: number },
) {
  const { device, model_threads: threads, hardware_decoding: hardware, speaker_model: speakerModel } = values;
  const { card } = partsOf(device);
  if (device === 'webgpu') shareWebgpuLock();
  const encoderFailures = values.hardware_encoding === 'off' ? null : newEncoderFailures();
  const softwareEncoding = values.hardware_encoding !== 'only';
  const running = { modelsDir: folders(values).models, device, threads, defaultModel: defaultModelKey };
  // An engine that only searches may be asked for a list alone, which needs no model.
  const opensPictures = (key: string) => decoders > 0 && mayFail(key, device);
  const add = decoders > 0 ? supervisor.add : supervisor.addOnDemand;
  // In start order: the index first, so that it stops last and flushed.
  const [index, textEmbedder] = await Promise.all([
    supervisor.add(spec(indexContract, { rootsFile: folders(values).roots })),
    add(spec(embedderContract, { ...running, sides: 'texts' }, 'text-embedder')),
  ]);
  // A thread costs memory and takes a third of a second to load its code: these start when they are needed.
  const behind: Spec = (contract, settings, name) => spec(contract, settings, name, 'background');
  const embedder = supervisor.addOnDemand(behind(embedderContract, { ...running, sides: 'pictures' }));
  const several = (count: number, name: string, start = behind) =>
    Array.from({ length: count }, (_, i) => {
      const decoding = { hardware: i < mostOnDevice ? hardware : 'off', card };
      const settings = { ...decoding, encoderFailures, softwareEncoding };
      return supervisor.addOnDemand(start(decoderContract, settings, `${name}-${i}`));
    });
  // Files are read for the first time, or for a person who views them, in separate processes.
  const apart = (name: string) =>
    supervisor.addOnDemand(spec(decoderContract, { hardware: 'off' }, name, 'process'));
  const prober = leastBusy(
    'prober',
    probers(decoders).map((i) => apart(`prober-${i}`)),
  );
  const thumbnailDecoders = decoders === 0 ? [] : [apart('thumbnail-decoder-0')];
  const speech =
    decoders === 0
      ? null
      : {
          audioDecoders: several(2, 'audio-decoder'),
          transcriber: supervisor.addOnDemand(behind(transcriberContract, running)),
          diarizer: supervisor.addOnDemand(behind(diarizerContract, { ...running, speakerModel })),
        };
  const faces = decoders === 0 ? null : supervisor.addOnDemand(behind(facesContract, running));
  const textReader = decoders === 0 ? null : supervisor.addOnDemand(behind(textReaderContract, running));
  const things = decoders === 0 ? null : supervisor.addOnDemand(behind(thingsContract, running));
  const summarizer = decoders === 0 ? null : supervisor.addOnDemand(behind(summarizerContract, running));
  const clipWriters = several(Math.max(1, Math.min(decoders, 2)), 'clip-writer', spec);
  // There may be hundreds.
  const films = several(decoders, 'decoder');
  // Last, so that it stops first.
  const listing = { ...spec(watcherContract, {}), isSpare: true };
  const watcher = decoders === 0 ? null : supervisor.addOnDemand(listing);
  const models = { embedder, textEmbedder, opensPictures, faces, textReader, things, summarizer };
  return { index, prober, thumbnailDecoders, clipWriters, films, speech, watcher, ...models };
}
