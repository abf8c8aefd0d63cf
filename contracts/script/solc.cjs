#!/usr/bin/env node
'use strict'

// The Solidity compiler that forge calls, based on npm's `solc` package, so that a build needs no download. Forge first
// passes `--version`, then `--standard-json` with every source inline on stdin. It also passes path options for files
// that a compiler would read itself; this script ignores them, while npm's own `solcjs` rejects them.

const { readFileSync, writeSync } = require('node:fs')

const { version } = require('solc/package.json')

if (process.argv.includes('--version')) {
  // Forge reads the last line. Do not load the compiler for this, because that takes a second.
  writeAll(`solc, the solidity compiler commandline interface\nVersion: ${version}\n`)
} else if (process.argv.includes('--standard-json')) {
  writeAll(require('solc').compile(readFileSync(0, 'utf8')))
} else {
  process.stderr.write('solc.cjs: expected --version or --standard-json\n')
  process.exitCode = 1
}

/** Writes the whole text to stdout; a pipe may accept only a part at a time. */
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
