// A fake text reader: a slot says which lines its picture shows. It keeps books on what is loaded, and fails
// on demand.

import type { Result } from '../../../actors/index/store/results.ts';
import type { WrittenLine } from '../../../actors/index/written/contract.ts';
import { modelErrors, noModelErrors } from '../../../actors/models/contract.ts';
import { textReaderContract } from '../../../actors/text-reader/contract.ts';
import { actor } from '../../../runtime/actor.ts';

export interface TextWorld {
  /** The lines in a picture whose slot begins with this byte. */
  shown: (byte: number) => readonly string[];
  downloaded: boolean;
  model: string;
  loaded: boolean;
  /** Pictures that were read: the byte, its size, and whether the reading before it came along. */
  readonly read: { byte: number; size: string; side: number; before: boolean }[];
  /** Results that the index has stored, by content. */
  readonly stored: Map<string, Result<WrittenLine>>;
  /** Told of each picture before it is read. */
  onRead: (byte: number) => void;
}

export function noText(): TextWorld {
  return {
    shown: () => [],
    downloaded: false,
    model: 'letters',
    loaded: false,
    read: [],
    stored: new Map(),
    onRead: () => {},
  };
}

export function fakeTextReader(world: TextWorld) {
  return actor<typeof textReaderContract, unknown>({
    contract: textReaderContract,
    create: () => ({
      handlers: {
        load: () => {
          if (!world.downloaded) throw noModelErrors.NO_TEXT_MODEL('framehound models pull pp-ocr-v4');
          world.loaded = true;
          return { model_key: world.model, device: 'cpu', device_reason: null };
        },
        unload: () => {
          world.loaded = false;
          return {};
        },
        read: ({ picture, width, height, side, before }, turn) => {
          const byte = turn.slot(picture)[0]!;
          world.onRead(byte);
          if (!world.loaded) throw modelErrors.MODEL_NOT_LOADED('no model is loaded');
          world.read.push({ byte, size: `${width}x${height}`, side, before: before !== null });
          const lines = world.shown(byte).map((text, i) => ({
            text,
            score: 0.95,
            box: [0.1, 0.1 + 0.2 * i, 0.5, 0.1] as [number, number, number, number],
          }));
          return {
            reading: { lines, blocks: new Uint8Array([byte]), columns: 1 },
            looked: 1,
            read: lines.length,
          };
        },
      },
    }),
  });
}

/** Answers of the index about it. */
export function writtenHandlers({ stored }: TextWorld) {
  return {
    search_written: () => ({ done: true, matches: [], media: stored.size, unreadable: [] }),
  };
}
