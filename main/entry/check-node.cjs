// Runs before `npm start`, on any Node: says in one sentence what is needed when this Node cannot
// read the sources.
'use strict';
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `AXON Hub starts with Node 22.18 or newer; this is ${process.versions.node}. "npm ci" normally brings a fitting one along for this ` +
      'folder (the package "node"); where it cannot, install Node 24 and try again.\n',
  );
  process.exit(1);
}
