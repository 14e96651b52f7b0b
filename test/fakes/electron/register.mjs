// Makes `import 'electron'` in the built main bundle reach the test double. Loaded with `node
// --import`.
import { registerHooks } from 'node:module';

const DOUBLE = new URL('./double.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: DOUBLE, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
});
