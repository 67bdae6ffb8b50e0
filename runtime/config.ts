// Settings: each is declared once and found in a fixed order: flag, environment, config.json, default. The
// answer keeps where a value came from, so that `framehound config` can say it.
import type { Static, TSchema } from 'typebox';
import { Check, Convert, Errors } from 'typebox/value';
import { engineErrors } from './errors.ts';
import './schema.ts'; // The words of its errors.

export interface Setting<S extends TSchema = TSchema> {
  readonly schema: S;
  readonly fallback: Static<S>;
  /** Environment variable. */
  readonly env?: string;
  /** Flag of the command line, without the dashes. */
  readonly flag?: string;
  readonly doc: string;
  /** The fact that it is set may be shown, its value may not. */
  readonly secret?: boolean;
}

type Settings = Record<string, Setting>;
export type Values<T extends Settings> = { readonly [K in keyof T]: Static<T[K]['schema']> };
export type SettingSource = 'flag' | 'environment' | 'config.json' | 'default';

export interface Config<T extends Settings> {
  readonly values: Values<T>;
  readonly sources: { readonly [K in keyof T]: SettingSource };
}

interface ConfigSources {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file: Readonly<Record<string, unknown>>;
}

export function setting<S extends TSchema>(schema: S, details: Omit<Setting<S>, 'schema'>): Setting<S> {
  return { schema, ...details };
}

/**
 * Throws INVALID_CONFIG naming the flag, the variable or the field of the file. Unknown keys of the file are
 * an error too.
 */
export function resolveConfig<const T extends Settings>(settings: T, given: ConfigSources): Config<T> {
  const unknown = Object.keys(given.file).find((key) => !(key in settings));
  if (unknown)
    throw engineErrors.INVALID_CONFIG(`config.json: unknown setting "${unknown}"`, { setting: unknown });
  const entries = Object.entries(settings).map(
    ([key, declared]) => [key, resolve(key, declared, given)] as const,
  );
  return {
    values: Object.fromEntries(entries.map(([key, { value }]) => [key, value])) as Values<T>,
    sources: Object.fromEntries(entries.map(([key, { source }]) => [key, source])) as Config<T>['sources'],
  };
}

function resolve(
  key: string,
  declared: Setting,
  given: ConfigSources,
): { value: unknown; source: SettingSource } {
  const candidates: [unknown, Exclude<SettingSource, 'default'>][] = [
    [declared.flag ? given.flags[declared.flag] : undefined, 'flag'],
    [declared.env ? given.env[declared.env] : undefined, 'environment'],
    [given.file[key], 'config.json'],
  ];
  const at = candidates.find(([value]) => value !== undefined && value !== '');
  if (!at) return { value: declared.fallback, source: 'default' };
  const [raw, source] = at;
  // Flags and the environment hold text; "4" is a number where a number is wanted.
  const value = source === 'config.json' ? raw : Convert(declared.schema, listed(declared.schema, raw));
  if (Check(declared.schema, value)) return { value, source };
  const names = {
    flag: `--${declared.flag}`,
    environment: declared.env,
    'config.json': `config.json: ${key}`,
  };
  const shown = declared.secret ? '' : `, not ${String(raw)}`;
  throw engineErrors.INVALID_CONFIG(`${names[source]} ${complaint(declared.schema, value)}${shown}`, {
    setting: key,
  });
}

/** Text where a list is wanted is its parts between commas. */
function listed(schema: TSchema, raw: unknown): unknown {
  if ((schema as { type?: unknown }).type !== 'array' || typeof raw !== 'string') return raw;
  return raw
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Complaint about a value, with the alternatives of a choice. A schema may describe valid values. */
function complaint(schema: TSchema, value: unknown): string {
  const { anyOf } = schema as { anyOf?: readonly { const?: unknown; description?: string }[] };
  const choices = anyOf?.map((choice) => String(choice.const ?? choice.description));
  if (choices) return `must be one of ${choices.join(', ')}`;
  const { description } = schema as { description?: string };
  if (description !== undefined) return `must be ${description}`;
  const [first] = Errors(schema, value);
  return first?.message ?? 'has an invalid value';
}
