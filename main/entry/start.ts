// What `npm start` runs.
import { launch } from '../app/launcher.ts';

launch(process.argv.slice(2));
