import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { API_SETTINGS } from '../../../shared/runtime/settings.ts'
import { findDockerfileProblems } from '../../support/dockerfile-rules.ts'
import { listUnnamed } from '../../support/install-packages.ts'
import { ours } from './plant.ts'

const dockerfile = readFileSync(ours('Dockerfile'), 'utf8')
const { scripts } = JSON.parse(readFileSync(ours('package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

type Sbom = {
  readonly bomFormat: string
  readonly components: readonly { readonly name: string; readonly hashes?: readonly unknown[] }[]
}

const PACKAGE = 'stablecoin-payment-service'

/** Edits that each break one rule, and a part of the rule's name. */
const BREACHES: readonly (readonly [title: RegExp | string, into: string, rule: string])[] = [
  ['node:22-bookworm-slim\n\n', 'node:latest\n\n', 'bases'],
  ['FROM ${NODE_IMAGE} AS build', 'FROM node:22 AS build', 'bases'],
  ['USER 1000:1000', 'USER node', 'last user'],
  ['USER 1000:1000', 'USER 0:0', 'last user'],
  [/^CMD .*$/m, 'CMD node dist/api/main.js', 'lists of words'],
  ['WORKDIR /app', 'WORKDIR app', 'absolute'],
  ['COPY . .', 'ADD https://example.com/sources.tar .', 'added from'],
  ['RUN npm ci\n', 'RUN npm install\n', 'lock file'],
  ['RUN npm run build', 'RUN npm run build | tee log', 'pipe'],
  ['ENV NODE_ENV=production', 'ENV CURSOR_SECRET=abc', 'secret'],
  ['COPY .ci/write-sbom.mjs .ci/\n', '', 'copied first'],
  ['COPY --from=build /app/dist dist', 'COPY dist dist', 'last stage'],
]

describe('the Dockerfile', () => {
  it('follows every rule', () => {
    expect(findDockerfileProblems(dockerfile, scripts)).to.deep.equal([])
  })

  for (const [title, into, rule] of BREACHES)
    it(`rejects ${into.trim() || `a missing ${String(title).trim()}`}`, () => {
      const broken = dockerfile.replace(title, into)
      expect(broken).not.to.equal(dockerfile)
      expect(findDockerfileProblems(broken, scripts).join()).to.include(rule)
    })

  it('exposes the API’s port', () => {
    expect(dockerfile).to.include(`EXPOSE ${String(API_SETTINGS.properties.API_PORT['default'])}\n`)
  })

  it('writes an SBOM of exactly the production packages with their digests', () => {
    expect(dockerfile).to.include('npm run --silent sbom > sbom.json').and.to.include('/app/sbom.json')
    const text = execFileSync('npm', ['run', '--silent', 'sbom'], {
      cwd: ours('.'),
      stdio: 'pipe',
      encoding: 'utf8',
    })
    const { bomFormat, components } = JSON.parse(text) as Sbom
    expect(bomFormat).to.equal('CycloneDX')
    const names = components.map(({ name }) => name)
    expect(names).to.include.members(['koa', 'ponder', 'viem', 'zod']).and.not.to.include('mocha')
    expect(listUnnamed(ours('package-lock.json'), names)).to.deep.equal([])
    const bare = components.filter(({ name, hashes = [] }) => hashes.length === 0 && name !== PACKAGE)
    // Binaries for other platforms have no digest (CONTRIBUTING.md, "74 entries have no digest").
    expect(bare.filter(({ name }) => !/^@(rollup|esbuild)\//.test(name))).to.deep.equal([])
  })

  it('has a build context without secrets, build outputs or installed packages', () => {
    const ignored = readFileSync(ours('.dockerignore'), 'utf8').split('\n')
    expect(ignored).to.include.members(['.git', '.env', '.devnet', 'node_modules', 'dist'])
  })
})
