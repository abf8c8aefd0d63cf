#!/usr/bin/env node
'use strict'

// The Solidity compiler forge calls, made of npm's `solc` package, so that a build needs no download.
// Forge asks `--version` first, then `--standard-json` with every source inline on stdin; the path options it
// adds are for files a compiler would read itself, and this one reads none. npm's own `solcjs` refuses them.

const { readFileSync, writeSync } = require('node:fs')

const { version } = require('solc/package.json')

if (process.argv.includes('--version')) {
  // Forge reads the last line. Answered without loading the compiler, which takes a second.
  writeAll(`solc, the solidity compiler commandline interface\nVersion: ${version}\n`)
} else if (process.argv.includes('--standard-json')) {
  writeAll(require('solc').compile(readFileSync(0, 'utf8')))
} else {
  process.stderr.write('solc.cjs: expected --version or --standard-json\n')
  process.exitCode = 1
}

/** Writes all of `text` to stdout, however little a pipe takes at a time. */
function writeAll(text) {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}
