#!/usr/bin/env node
// The command `axon` as package.json names it: there in a fresh clone, and readable by any Node.
// Builds the program when it is not built yet, takes the Node that npm brought along when this one
// is too old, and hands over. Must never write to standard output: that is the command's.
'use strict';
const { spawn, spawnSync } = require('child_process');
const { existsSync } = require('fs');
const { constants } = require('os');
const { join } = require('path');
const { pathToFileURL } = require('url');

const root = join(__dirname, '..', '..');
const program = join(root, 'out', 'main', 'cli.js');
/** As in main/app/build.ts, which no old Node can read. */
const BUILT = ['main/headless.js', 'main/quic.js', 'main/cli.js', 'renderer/index.html'].map(
  (file) => join(root, 'out', file),
);
/** The version everything is tested with; older ones give way to the one that npm brings along. */
const TESTED_MAJOR = 24;

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

function fittingNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major >= TESTED_MAJOR) return process.execPath;
  const brought = join(
    root,
    'node_modules',
    'node',
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (existsSync(brought)) return brought;
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  return fail(
    `AXON Hub runs with Node 22.18 or newer; this is ${process.versions.node}. Run "npm ci" in ${root}: it brings a fitting one along ` +
      '(the package "node"). Where it cannot, install Node 24 and try again.',
  );
}

function build(node) {
  if (!existsSync(join(root, 'node_modules', 'electron-vite'))) {
    fail(
      `The packages of AXON Hub are not installed yet. Run "npm ci" in ${root}, then try again.`,
    );
  }
  // What the builder says goes to standard error, both channels.
  const { status } = spawnSync(node, [join(__dirname, 'start.ts'), 'build'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0 || !existsSync(program))
    fail(`The command is not built. "npm run build" in ${root} says why.`);
}

function runWith(node) {
  let child;
  // Before the child runs: a signal that comes between would end this program and not the child. A
  // terminal may have told the child already; whoever runs until it is stopped bears to be told
  // twice. On Windows the console tells everyone, and what is called a signal here would end the
  // child at once.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (process.platform !== 'win32' || signal === 'SIGTERM') child.kill(signal);
    });
  }
  child = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  child.on('error', (error) =>
    fail(
      `The Node of this folder cannot be started: ${error.message}. "npm ci" in ${root} puts it right.`,
    ),
  );
  child.on('exit', (code, signal) =>
    process.exit(signal === null ? code : 128 + constants.signals[signal]),
  );
}

const node = fittingNode();
if (!BUILT.every((file) => existsSync(file))) build(node);
if (node === process.execPath)
  import(pathToFileURL(program).href).catch((error) => fail(error.stack));
else runWith(node);
