#!/usr/bin/env node
// The command. Any version of Node.js can read this file, so an old one gets a sentence, not a stack trace.
'use strict';
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    'docent: Docent needs Node.js 24 or later, and this is ' +
      process.version +
      '. Install a newer one from https://nodejs.org, then run the command again.',
  );
  process.exitCode = 1;
} else {
  void import('./cli.js');
}
