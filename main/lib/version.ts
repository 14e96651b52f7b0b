// The version of this program, from package.json; written into the bundle when it is built.
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
