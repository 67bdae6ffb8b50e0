// Findings of `framehound doctor`.
import { installCommand } from './context.ts';

export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** Nothing is broken, but it cannot be done as things are. */
  readonly lacking?: boolean;
  /** Command or step that repairs it, or that brings what is lacking. */
  readonly fix?: string;
}

/** `fix`: of what is thrown. */
export async function attempt(
  name: string,
  look: () => Promise<string>,
  fix = installCommand,
): Promise<Finding> {
  try {
    return { name, ok: true, found: await look() };
  } catch (error) {
    return { name, ok: false, found: error instanceof Error ? error.message : String(error), fix };
  }
}
