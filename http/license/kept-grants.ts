// What the licenses hand to the engine process after a crash: the keys that a license server granted, by their hashes.
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import type { SavedValue } from '../../runtime/process/guardian-client.ts';

export interface Grant {
  readonly hash: string;
  /** When the license server was asked, Unix ms. */
  readonly since: number;
  /** The time from then until now by a clock that cannot be set, ms. */
  readonly ageMs: number;
  /** When the key expires, Unix ms; Infinity when it does not. */
  readonly until: number;
}

/** Where grants outlive a process. */
export interface GrantMemory {
  /** Those of the process before; empty at the first start. */
  readonly before: readonly Grant[];
  keep(grants: readonly Grant[]): void;
}

/** Most grants that are handed over, the latest: they travel in the environment of a process. */
const MOST_GRANTS = 128;

const KeptGrants = Type.Object({
  /** The license server that said so: another one may think otherwise. */
  server: Type.String(),
  grants: Type.Array(
    Type.Object({
      hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      since: Type.Number(),
      ageMs: Type.Number(),
      until: Type.Union([Type.Number(), Type.Null()]),
    }),
  ),
});

/** `kept`: what `keep` was last given by the process before. `server`: its address and the key its answers are signed with. */
export function grantMemory(
  server: string,
  kept: SavedValue | undefined,
  keep: (text: string) => void,
): GrantMemory {
  return {
    before: parse(server, kept),
    keep: (grants) =>
      keep(
        JSON.stringify({
          server,
          // Infinity becomes null.
          grants: grants.slice(-MOST_GRANTS),
        }),
      ),
  };
}

function parse(server: string, kept: SavedValue | undefined): Grant[] {
  if (kept === undefined) return [];
  const value: unknown = JSON.parse(kept.value);
  // Another version of the program may have written it.
  if (!Check(KeptGrants, value) || value.server !== server) return [];
  return value.grants.map((grant) => ({
    ...grant,
    ageMs: grant.ageMs + kept.ageMs,
    until: grant.until ?? Number.POSITIVE_INFINITY,
  }));
}
