// The consent of a person to a removal: asked for at a terminal, and said with --yes where nobody can be
// asked.
import { type Context, usageErrors } from './context.ts';

export interface Consent {
  readonly yes: boolean;
  readonly 'dry-run': boolean;
}

/** Before anything is started: a script has to say that it means it. */
export function requireConsent({ yes, 'dry-run': dryRun }: Consent, { confirm }: Context): void {
  if (yes || dryRun || confirm !== null) return;
  throw usageErrors.USAGE(
    'there is no terminal to ask for confirmation: add --yes to go ahead, or --dry-run to see what would happen',
  );
}

export async function agreed({ confirm, screen }: Context, question: string): Promise<boolean> {
  if (confirm !== null && (await confirm(question))) return true;
  screen.write('Nothing was changed\n');
  return false;
}
