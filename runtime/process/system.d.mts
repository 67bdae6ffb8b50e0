// Types of system.mjs for the modules that are TypeScript.
export const nodePackages: Readonly<Record<string, string>>;
export function fittingNode(): string | undefined;
export function unsupported(system?: {
  readonly node?: string;
  readonly platform?: string;
  readonly arch?: string;
  readonly glibc?: string | null;
}): string | undefined;
