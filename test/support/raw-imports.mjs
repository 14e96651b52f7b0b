// Lets plain Node read `import text from './file?raw'` as the bundler does, for child processes of
// tests. Loaded with `node --import`.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

registerHooks({
  load: (url, context, next) => {
    if (!url.endsWith('?raw')) return next(url, context);
    const source = readFileSync(fileURLToPath(url.slice(0, -'?raw'.length)), 'utf8');
    return {
      format: 'module',
      shortCircuit: true,
      source: `export default ${JSON.stringify(source)};`,
    };
  },
});
