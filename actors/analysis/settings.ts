// Every setting of the product, in one table.
import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Type } from 'typebox';
import { setting, type Values } from '../../runtime/config.ts';
import { DecodeMode } from '../decoder/contract.ts';

const cores = availableParallelism();
const home = join(homedir(), '.framehound');

export const settings = {
  home: setting(Type.String({ minLength: 1 }), {
    fallback: home,
    env: 'FRAMEHOUND_HOME',
    flag: 'home',
    doc: 'folder of the task journal, the models and the default analysis folder',
  }),
  cache_dir: setting(Type.String(), {
    fallback: '',
    env: 'FRAMEHOUND_CACHE_DIR',
    flag: 'cache-dir',
    doc: 'analysis folder; empty means "analysis" in the home folder',
  }),
  model: setting(Type.String({ minLength: 1 }), {
    fallback: 'starter-visual',
    env: 'FRAMEHOUND_MODEL',
    flag: 'model',
    doc: 'visual model, a key of `framehound models list`',
  }),
  device: setting(
    Type.Union([
      Type.Literal('auto'),
      Type.Literal('cpu'),
      Type.Literal('cuda'),
      Type.Literal('tensorrt'),
      Type.Literal('webgpu'),
      Type.Literal('dml'),
      Type.Literal('coreml'),
    ]),
    {
      fallback: 'auto',
      env: 'FRAMEHOUND_DEVICE',
      flag: 'device',
      doc: 'where models run; auto takes the best that works',
    },
  ),
  decode: setting(DecodeMode, {
    fallback: 'exact',
    env: 'FRAMEHOUND_DECODE',
    flag: 'decode',
    doc: 'exact: the picture of every second; keyframes: the nearest key picture, several times faster',
  }),
  hardware_decoding: setting(Type.Union([Type.Literal('auto'), Type.Literal('off')]), {
    fallback: 'auto',
    env: 'FRAMEHOUND_HARDWARE_DECODING',
    doc: 'use a decoding device where there is one',
  }),
  decoders: setting(Type.Integer({ minimum: 1, maximum: 256 }), {
    fallback: cores,
    env: 'FRAMEHOUND_DECODERS',
    doc: 'files decoded at the same time, one thread each',
  }),
  model_threads: setting(Type.Integer({ minimum: 1, maximum: 256 }), {
    fallback: cores,
    env: 'FRAMEHOUND_MODEL_THREADS',
    doc: 'processor threads a model may use',
  }),
  preview_side: setting(Type.Integer({ minimum: 64, maximum: 4096 }), {
    fallback: 640,
    env: 'FRAMEHOUND_PREVIEW_SIDE',
    doc: 'longest side of stored previews, px',
  }),
  preview_quality: setting(Type.Integer({ minimum: 1, maximum: 100 }), {
    fallback: 80,
    env: 'FRAMEHOUND_PREVIEW_QUALITY',
    doc: 'JPEG quality of stored previews',
  }),
  models_url: setting(Type.String({ pattern: '^https?://' }), {
    fallback: 'https://huggingface.co',
    env: 'FRAMEHOUND_MODELS_URL',
    doc: 'where model files are pulled from',
  }),
  log_level: setting(
    Type.Union([Type.Literal('debug'), Type.Literal('info'), Type.Literal('warn'), Type.Literal('error')]),
    { fallback: 'warn', env: 'FRAMEHOUND_LOG_LEVEL', flag: 'log-level', doc: 'least level that is logged' },
  ),
};

export type SettingValues = Values<typeof settings>;

/** The folders that follow from the settings. */
export function folders(values: Pick<SettingValues, 'home' | 'cache_dir'>) {
  const own = resolve(values.home);
  return {
    home: own,
    cache: values.cache_dir ? resolve(values.cache_dir) : join(own, 'analysis'),
    models: join(own, 'models'),
    journal: join(own, 'journal.ndjson'),
  };
}
