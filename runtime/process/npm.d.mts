// Types of npm.mjs for the modules that are TypeScript.
export function npmProgram(
  env?: NodeJS.ProcessEnv,
  platform?: NodeJS.Platform,
  node?: string,
): { readonly command: string; readonly args: readonly string[] };
export function withoutOuterNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
