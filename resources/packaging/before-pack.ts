// What electron-builder runs before it collects the files of the app: leaves out the chunks that
// neither of the app's two processes loads.
import { join } from 'node:path';
import type { BeforePackContext } from 'app-builder-lib';
import { chunksBeside } from './loaded-chunks.ts';

export default function beforePack({ packager }: BeforePackContext): void {
  const main = join(packager.info.appDir, 'out/main');
  const files = packager.config.files;
  const [own] = Array.isArray(files) ? files : [];
  if (typeof own !== 'object' || !Array.isArray(own.filter))
    throw new Error('electron-builder gives the files of the configuration in another form');
  for (const chunk of chunksBeside(main, ['electron.js', 'quic.js']))
    own.filter.push(`!out/main/${chunk}`);
}
