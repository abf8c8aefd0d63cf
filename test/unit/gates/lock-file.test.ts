import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'

import { ours } from './plant.ts'

type Entry = {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly optional?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
}
type Lock = { readonly packages: Readonly<Record<string, Entry>> }

describe('package-lock.json', () => {
  const { packages } = JSON.parse(readFileSync(ours('package-lock.json'), 'utf8')) as Lock
  const entries = Object.entries(packages).filter(([path]) => path !== '')

  const without = entries.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))

  it('has the digest of every package that CI and the image install', () => {
    const installed = without.filter(([, entry]) => !isForAnotherPlatform(entry))
    expect(installed.map(([path]) => path)).to.deep.equal([])
  })

  it('lacks digests only of platform binaries, whose number CONTRIBUTING.md states', async () => {
    const binaries = new Set(CHOOSERS.flatMap((name) => binariesOf(packages[`node_modules/${name}`])))
    const unexplained = without.filter(([path, { version }]) => !binaries.has(`${path}@${version}`))
    expect(unexplained.map(([path]) => path)).to.deep.equal([])
    expect(await readFile(ours('CONTRIBUTING.md'), 'utf8')).to.include(
      `**${without.length} entries have no digest**`,
    )
  })

  it('does not name a registry, so that npm uses the configured registry', () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).to.deep.equal([])
  })
})

describe('completing the lock file', function () {
  this.timeout(240_000)

  let directory: string
  let registry: Server

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lock-'))
    registry = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? '')
      const isKnown = path === '/@tool/cli-darwin-arm64'
      const isBusy = path === '/@tool/busy-linux-arm64'
      response.writeHead(isKnown ? 200 : isBusy ? 503 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isKnown ? PACKUMENT : { error: 'not found' }))
    })
    await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done))
  })

  afterEach(async () => {
    await new Promise((done) => registry.close(done))
    await rm(directory, { recursive: true })
  })

  it('writes nothing and exits 1 if the registry returns an error other than 404', async () => {
    const owner = {
      version: '1.0.0',
      integrity: 'sha512-own',
      optionalDependencies: { '@tool/busy-linux-arm64': '1.0.0' },
    }
    const before = JSON.stringify({ packages: { 'node_modules/tool': owner } })
    await writeFile(join(directory, 'package-lock.json'), before)
    const { exitCode, stderr } = await complete()
    expect(await readFile(join(directory, 'package-lock.json'), 'utf8')).to.equal(before)
    expect(exitCode).to.equal(1)
    expect(stderr).to.include('returned no sha512 digest for @tool/busy-linux-arm64@1.0.0')
  })

  it('adds digests from the registry, and exits 1 naming the packages that the registry lacks', async () => {
    const owner = {
      version: '1.0.0',
      integrity: 'sha512-own',
      optionalDependencies: { '@tool/cli-darwin-arm64': '1.0.0', '@tool/cli-win32-x64': '1.0.0' },
    }
    await writeFile(
      join(directory, 'package-lock.json'),
      JSON.stringify({ packages: { '': {}, 'node_modules/tool': owner } }),
    )
    const { exitCode, stderr } = await complete()
    const lock = JSON.parse(await readFile(join(directory, 'package-lock.json'), 'utf8')) as Lock
    expect(lock.packages['node_modules/@tool/cli-darwin-arm64']).to.deep.equal({
      version: '1.0.0',
      integrity: INTEGRITY,
      optional: true,
      os: ['darwin'],
      cpu: ['arm64'],
    })
    expect(lock.packages['node_modules/@tool/cli-win32-x64']).to.not.have.property('integrity')
    expect(exitCode).to.equal(1)
    expect(stderr).to.include('@tool/cli-win32-x64@1.0.0').and.not.include('darwin')
  })

  function complete(): Promise<{ exitCode: number; stderr: string }> {
    const { port } = registry.address() as AddressInfo
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: directory,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_fetch_retries: '0',
    }
    return new Promise((done) => {
      execFile(
        process.execPath,
        [ours('.ci/complete-lock.mjs')],
        { cwd: directory, env },
        (error, _, stderr) => done({ exitCode: typeof error?.code === 'number' ? error.code : 0, stderr }),
      )
    })
  }
})

const INTEGRITY = `sha512-${'A'.repeat(86)}==`

const PACKUMENT = {
  name: '@tool/cli-darwin-arm64',
  'dist-tags': { latest: '1.0.0' },
  versions: {
    '1.0.0': {
      name: '@tool/cli-darwin-arm64',
      version: '1.0.0',
      dist: { integrity: INTEGRITY, tarball: 'http://127.0.0.1/none.tgz' },
    },
  },
}

/**
 * Packages with one binary per platform. The registry mirror with which the lock file was created has only the binaries
 * for Linux on x64.
 */
const CHOOSERS = [
  '@biomejs/biome',
  '@foundry-rs/anvil',
  '@foundry-rs/forge',
  'oxc-parser',
  'oxlint',
  'oxlint-tsgolint',
  'rollup',
]

function binariesOf(chooser: Entry | undefined): readonly string[] {
  return Object.entries(chooser?.optionalDependencies ?? {}).map(
    ([name, version]) => `node_modules/${name}@${version}`,
  )
}

/** Whether a package is for a platform other than Linux with glibc on x64, which CI and the image use. */
function isForAnotherPlatform({ optional, os, cpu, libc }: Entry): boolean {
  if (optional !== true || os === undefined || cpu === undefined) return false
  return !os.includes('linux') || !cpu.includes('x64') || (libc !== undefined && !libc.includes('glibc'))
}
