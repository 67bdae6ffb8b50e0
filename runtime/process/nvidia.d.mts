// Types of nvidia.mjs for the modules that are TypeScript.
export function hasNvidia(root?: string): boolean;
export function cudaProvider(modules: string): string[];
export function provideCuda(
  modules: string,
  node: string,
  options?: { readonly byHand?: boolean; readonly env?: NodeJS.ProcessEnv; readonly now?: number },
): string | undefined;
