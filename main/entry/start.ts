// What `npm start` runs.
import { launch } from '../app/launcher.ts';

await launch(process.argv.slice(2));
