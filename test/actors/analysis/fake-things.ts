// A fake object detector: a slot says which things its picture shows. It keeps books on what is loaded, and
// fails on demand.

import type { Result } from '../../../actors/index/store/results.ts';
import { modelErrors, noModelErrors } from '../../../actors/models/contract.ts';
import { type ObjectDetector, type Thing, thingsContract } from '../../../actors/things/contract.ts';
import type { ThingTrack } from '../../../actors/things/tracks.ts';
import { actor } from '../../../runtime/actor.ts';

export interface ThingsWorld {
  /** The things in a picture whose slot begins with this byte. */
  shown: (byte: number) => readonly Thing['class'][];
  downloaded: boolean;
  model: string;
  loaded: boolean;
  /**
   * Pictures that were looked at: the byte, that of the picture before in the same film, and the size.
   */
  readonly looked: { byte: number; before: number | null; size: string }[];
  /** How it wants pictures. */
  form: Pick<ObjectDetector, 'side' | 'fit'>;
  /** Results that the index has stored, by content. */
  readonly stored: Map<string, Result<ThingTrack>>;
  /** Told of each picture before it is looked at. */
  onLook: (byte: number) => void;
}

export function noThings(): ThingsWorld {
  return {
    shown: () => [],
    downloaded: false,
    model: 'eyes',
    loaded: false,
    looked: [],
    form: { side: 416, fit: 'inside' },
    stored: new Map(),
    onLook: () => {},
  };
}

export function fakeDetector(world: ThingsWorld) {
  return actor<typeof thingsContract, unknown>({
    contract: thingsContract,
    create: () => ({
      handlers: {
        load: () => {
          if (!world.downloaded) throw noModelErrors.NO_OBJECT_DETECTOR('framehound models pull nanodet-416');
          world.loaded = true;
          return { model_key: world.model, device: 'cpu', device_reason: null, ...world.form };
        },
        unload: () => {
          world.loaded = false;
          return {};
        },
        find: ({ picture, width, height, before }, turn) => {
          const byte = turn.slot(picture)[0]!;
          world.onLook(byte);
          if (!world.loaded) throw modelErrors.MODEL_NOT_LOADED('no model is loaded');
          world.looked.push({ byte, before: before?.blocks[0] ?? null, size: `${width}×${height}` });
          const things = world.shown(byte).map((name, i): Thing => {
            return { class: name, score: 0.8, box: [0.3 * i, 0.2, 0.2, 0.5], colours: [] };
          });
          return { things, blocks: Uint8Array.of(byte), columns: 1 };
        },
      },
    }),
  });
}

/** Answers of the index about it. */
export function thingHandlers({ stored }: ThingsWorld) {
  return {
    things_of: ({ hash_str }: { hash_str: string }) => {
      const { model_key = null, from_previews = false, items: tracks = [] } = stored.get(hash_str) ?? {};
      return { model_key, from_previews, tracks: [...tracks], shots: [], faces: [] };
    },
    things_at: ({ frames }: { frames: unknown[] }) => ({ seen: frames.map(() => []) }),
    find_things: () => ({ done: true, matches: [], ranges: {}, likely: {}, strong: {}, looked: stored.size }),
  };
}
