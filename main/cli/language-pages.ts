// The pages of the agent languages, as `axon examples --language` prints them. A test runs every
// message in them between two hubs.
import draft from '../../resources/docs/acp-draft.md?raw';
import crunch from '../../resources/docs/claude-crunch.md?raw';
import eliza from '../../resources/docs/elizaos.md?raw';
import fipa from '../../resources/docs/fipa-acl.md?raw';

export const LANGUAGE_PAGES: ReadonlyMap<string, string> = new Map([
  ['claude-crunch', crunch],
  ['fipa-acl', fipa],
  ['elizaos', eliza],
  ['acp-draft', draft],
]);
