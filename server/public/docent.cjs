#!/usr/bin/env node
// The command. Any version of Node.js can read this file, so an old one gets a sentence, not a stack trace.
'use strict';
var version = process.versions.node.split('.').map(Number);
if (version[0] < 24 || (version[0] === 24 && version[1] < 7)) {
  console.error(
    'docent: Docent needs Node.js 24.7 or later, and this is ' +
      process.version +
      '. Install a newer one from https://nodejs.org, then run the command again.',
  );
  process.exitCode = 1;
} else if (process.argv[2] === 'serve' && mayStartOver()) {
  // Two times 16 MB for young objects, not two times 64: a server under load takes a quarter less memory,
  // and no more CPU time. Node.js reads this flag only when it starts. The process keeps its ID.
  process.execve(
    process.execPath,
    [process.execPath, '--max-semi-space-size=16'].concat(process.execArgv, process.argv.slice(1)),
  );
} else {
  void import('./cli.js');
}

/** Not where the owner has chosen, nor where a parent process talks to this one. */
function mayStartOver() {
  // oxlint-disable-next-line no-process-env -- this file can't import how the server reads it
  var flags = process.execArgv.join(' ') + ' ' + process.env.NODE_OPTIONS;
  return !/semi-space-size/.test(flags) && process.platform !== 'win32' && !process.channel;
}
