// `framehound license issue|list|revoke`: the keys that open the service on this machine.
import { randomBytes } from 'node:crypto';
import { day } from '../../http/license/licenses.ts';
import {
  type IssuedKey,
  issueKey,
  KEY_BYTES,
  readKeys,
  revokeKey,
  type Tier,
} from '../../http/license/store.ts';
import { folders } from '../../settings.ts';
import { commandTable } from '../command-table.ts';
import { argumentsOf, type Command, type Context, exit, flagsOf, only, usageErrors } from '../context.ts';
import { unknownAction } from '../help.ts';
import { printable } from '../terminal.ts';

const MOST_DAYS = 36_500;
const LONGEST_NAME = 200;

export const license: Command = async (args, context) => {
  const [action = 'list', ...parameters] = args;
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (!run) throw unknownAction('license', action);
  return run(parameters, context);
};

/** The key alone on standard output, so that it can be put into a variable or a file. */
function issue(args: readonly string[], { values, out, screen }: Context): number {
  const given = flagsOf(commandTable.license.actions.issue, args);
  const name = given.name.trim();
  if (name.length > LONGEST_NAME)
    throw usageErrors.USAGE(`--name can have at most ${LONGEST_NAME} characters`);
  const request = { tier: tierOf(given.tier), name, days: daysOf(given.days) };
  const { licenses } = folders(values);
  const { key, issued } = issueKey(licenses, request, randomBytes(KEY_BYTES), Date.now());
  out(`${key}\n`);
  const ends = issued.expires_at === null ? 'does not expire' : `expires on ${day(issued.expires_at)}`;
  screen.write(
    `license ${issued.id} (${issued.tier}) ${ends}; the key is shown only now and is not stored\n`,
  );
  if (values.license_url)
    screen.write(
      `✗ this key has no effect while license_url is set: that license server decides about keys\n`,
    );
  return exit.ok;
}

function list(args: readonly string[], { values, out, screen }: Context): number {
  const { json } = flagsOf(commandTable.license.actions.list, args);
  const { keys, damaged } = readKeys(folders(values).licenses);
  const rows = keys.map(({ hash: _hash, version: _version, ...row }) => row);
  if (json) out(`${JSON.stringify(rows)}\n`);
  else for (const row of keys) out(line(row, Date.now() / 1000));
  if (keys.length === 0 && !json)
    screen.write('There are no keys yet. To make one: framehound license issue --tier pro\n');
  for (const { file, message } of damaged) screen.write(`✗ ${file}: ${message}\n`);
  return damaged.length > 0 ? exit.error : exit.ok;
}

function revoke(args: readonly string[], { values, screen }: Context): number {
  const { positionals } = argumentsOf(commandTable.license.actions.revoke, args);
  const which = only(positionals, 'license revoke needs one id; see: framehound license list');
  const { id, tier } = revokeKey(folders(values).licenses, which, Date.now());
  screen.write(`license ${id} (${tier}) is revoked; a running service rejects it within two seconds\n`);
  return exit.ok;
}

function line({ id, tier, name, created_at, expires_at, revoked_at }: IssuedKey, now: number): string {
  const end =
    expires_at === null
      ? 'does not expire'
      : `${expires_at <= now ? 'expired' : 'expires'} ${day(expires_at)}`;
  const state = revoked_at === null ? end : `revoked ${day(revoked_at)}`;
  return `${id}  ${tier.padEnd(5)}  issued ${day(created_at)}  ${state.padEnd(18)}  ${printable(name)}\n`;
}

function tierOf(text: string | undefined): Tier {
  if (text === 'pro' || text === 'basic') return text;
  throw usageErrors.USAGE(
    `license issue needs --tier pro or --tier basic${text === undefined ? '' : `, not ${printable(text)}`}`,
  );
}

function daysOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= 1 && days <= MOST_DAYS) return days;
  throw usageErrors.USAGE(`--days must be a whole number from 1 to ${MOST_DAYS}, not ${printable(text)}`);
}

const actions: Readonly<Record<string, (args: readonly string[], context: Context) => number>> = {
  issue,
  list,
  revoke,
};
