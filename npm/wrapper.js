#!/usr/bin/env node
// Starts the binary in this platform's package and ends as it ends: same words, standard streams,
// folder and exit code; killed by a signal, it dies of the same one. Signals that it gets go to the
// binary. Without a binary: one line and 127, but a hook ends with 0 and says nothing, since another
// code could block a tool call.
'use strict';

const { spawn } = require('child_process');
const { constants } = require('os');
const self = require('../package.json');

const FORWARDED = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGALRM', 'SIGABRT', 'SIGUSR1', 'SIGUSR2'];
const words = process.argv.slice(2);

function binary() {
  const platform = `${process.platform}-${process.arch}`;
  const all = Object.keys(self.optionalDependencies);
  const wanted = all.find((name) => name.endsWith(`${self.name}-${platform}`));
  if (!wanted) {
    fail(127, `there is no binary for ${platform} on npm: build it with cargo`);
  }
  const file = process.platform === 'win32' ? `${self.name}.exe` : self.name;
  try {
    return require.resolve(`${wanted}/bin/${file}`);
  } catch {
    return fail(127, `its package ${wanted} is not installed: install ${self.name} again, with optional dependencies`);
  }
}

function fail(code, reason) {
  if (words[0] === 'hook') {
    process.exit(0);
  }
  process.stderr.write(`${self.name}: could not start: ${reason}\n`);
  process.exit(code);
}

function die(signal) {
  if (process.platform !== 'win32') {
    // A listener that came and went leaves the system's own action, for ignored signals too.
    process.on(signal === 'SIGKILL' ? 'SIGTERM' : signal, () => {});
    FORWARDED.concat(signal).forEach((name) => process.removeAllListeners(name));
    process.kill(process.pid, signal);
  }
  // Where this process outlives it, the code that a shell would report.
  setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
}

const path = binary();
let child;
for (const name of FORWARDED) {
  try {
    process.on(name, () => child.kill(name));
  } catch {
    // A platform without this signal.
  }
}
child = spawn(path, words, { stdio: 'inherit', argv0: process.argv[1] });
child.on('error', (error) => fail(error.code === 'ENOENT' ? 127 : 126, `${path}: ${error.code}`));
child.on('exit', (code, signal) => (signal ? die(signal) : process.exit(code)));
