// Loads modules of ours as they are on Windows, as far as that depends on `node:path`.
import { type ModuleHooks, registerHooks } from 'node:module';

const mark = '?windows';
const windowsPath = `data:text/javascript,${encodeURIComponent(`
import { win32 } from 'node:path';
export const { basename, dirname, extname, isAbsolute, join, normalize, parse, relative, resolve, sep } = win32;
`)}`;

/** `load` imports one; what it imports of ours is loaded the same way. */
export async function onWindows<T>(module: URL): Promise<T> {
  const hooks: ModuleHooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (!context.parentURL?.endsWith(mark)) return next(specifier, context);
      if (specifier === 'node:path') return { url: windowsPath, shortCircuit: true };
      const found = next(specifier, context);
      return specifier.startsWith('.') ? { ...found, url: `${found.url}${mark}` } : found;
    },
  });
  try {
    return (await import(`${module.href}${mark}`)) as T;
  } finally {
    hooks.deregister();
  }
}
