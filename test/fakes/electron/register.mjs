// Makes `import 'electron'` in the built main bundle reach the test double. Loaded with `node
// --import`.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/** A bench has it built. */
const BUILT = process.env.ELECTRON_DOUBLE;
const DOUBLE = (
  BUILT === undefined ? new URL('./double.ts', import.meta.url) : pathToFileURL(BUILT)
).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? {
          url: DOUBLE,
          format: BUILT === undefined ? 'module-typescript' : 'module',
          shortCircuit: true,
        }
      : next(specifier, context),
});
