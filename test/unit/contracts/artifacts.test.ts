import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { expect } from 'chai'

import artifact from '../../../contracts/artifacts/PaymentSplit.json' with { type: 'json' }
import constants from '../../../contracts/artifacts/split-constants.json' with { type: 'json' }
import pinned from '../../../contracts/pinned-addresses.json' with { type: 'json' }
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'

const repository = resolve(import.meta.dirname, '../../..')

describe('the committed contract artifacts', () => {
  let copy: string

  beforeEach(() => {
    copy = copyContracts()
  })

  afterEach(() => rmSync(copy, { recursive: true }))

  // One build tests both: the check names the changed file, and all other files equal forge’s output.
  it('equal a clean build’s output, and the check names a changed file', function () {
    this.timeout(240_000)
    appendFileSync(join(copy, 'shared/chain/abi/payment-split.ts'), ' ')
    const { status, stderr } = checkArtifacts(copy)
    expect(stderr.trim().split('\n')).to.deep.equal([
      'shared/chain/abi/payment-split.ts differs from the output of forge build: run npm run abi and commit it',
    ])
    expect(status).to.equal(1)
  })

  it('include the ABI from which payment-split.ts is generated', () => {
    expect(paymentSplitAbi).to.deep.equal(JSON.parse(JSON.stringify(artifact.abi, dropDefaults)))
  })

  it('put the factory at the address that existing charges use and the documents state', () => {
    const { factoryAddress, implementationAddress } = constants
    expect({ factoryAddress, implementationAddress }).to.deep.equal(pinned)
    const documents = readFileSync(join(repository, 'docs/contracts.md'), 'utf8')
    const deploys = documents.split('\n').filter((line) => line.startsWith('| `PaymentSplitFactory` '))
    expect(deploys.map((line) => line.match(/0x[0-9a-fA-F]{40}/)?.[0])).to.deep.equal([pinned.factoryAddress])
  })
})

/** Drops the properties that an ABI of signatures lacks: Solidity's own types, empty names, and `indexed: false`. */
function dropDefaults(key: string, value: unknown): unknown {
  return key === 'internalType' || value === '' || value === false ? undefined : value
}

/** Creates a folder with all files that the check reads. A test may change these copies of the committed files. */
function copyContracts(): string {
  const copy = mkdtempSync(join(tmpdir(), 'contracts-copy-'))
  for (const path of ['node_modules', 'foundry.toml', 'biome.json', '.gitignore', 'package.json']) {
    symlinkSync(join(repository, path), join(copy, path))
  }
  mkdirSync(join(copy, 'shared/chain'), { recursive: true })
  for (const path of ['src', 'script', 'test', 'artifacts'].map((folder) => `contracts/${folder}`)) {
    cpSync(join(repository, path), join(copy, path), { recursive: true })
  }
  cpSync(join(repository, 'shared/chain/abi'), join(copy, 'shared/chain/abi'), { recursive: true })
  return copy
}

function checkArtifacts(cwd: string): { status: number | null; stderr: string } {
  const command = ['--import', 'tsx', 'contracts/script/write-artifacts.ts', '--check']
  return spawnSync(process.execPath, command, { cwd, encoding: 'utf8' })
}
