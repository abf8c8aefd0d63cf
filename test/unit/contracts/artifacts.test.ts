import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { expect } from 'chai'

import artifact from '../../../contracts/artifacts/PaymentSplit.json' with { type: 'json' }
import constants from '../../../contracts/artifacts/split-constants.json' with { type: 'json' }
import pinned from '../../../contracts/pinned-addresses.json' with { type: 'json' }
import { requireCommitted } from '../../../contracts/script/require-committed.ts'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const repository = resolve(import.meta.dirname, '../../..')

describe('the committed contract artifacts', () => {
  it('are checked, and the error names each changed or missing file', async () => {
    const checkout = await temporaryDirectory('artifacts')
    const files = ['unchanged', 'changed', 'missing'].map((path) => ({ path, text: path }))
    writeFileSync(join(checkout, 'unchanged'), 'unchanged')
    writeFileSync(join(checkout, 'changed'), 'changed ')
    expect(() => requireCommitted(files, checkout)).to.throw('differs from changed, missing')
    expect(() => requireCommitted(files.slice(0, 1), checkout)).not.to.throw()
  })

  it('include the ABI from which payment-split.ts is generated', () => {
    expect(paymentSplitAbi).to.deep.equal(JSON.parse(JSON.stringify(artifact.abi, dropDefaults)))
  })

  it('put the factory at the address that existing charges use and docs/contracts.md states', () => {
    const { factoryAddress, implementationAddress } = constants
    expect({ factoryAddress, implementationAddress }).to.deep.equal(pinned)
    const documents = readFileSync(join(repository, 'docs/contracts.md'), 'utf8')
    const deploys = documents.split('\n').filter((line) => line.startsWith('| `PaymentSplitFactory` '))
    expect(deploys.map((line) => line.match(/0x[0-9a-fA-F]{40}/)?.[0])).to.deep.equal([pinned.factoryAddress])
  })
})

/** Drops what an ABI parsed from signatures lacks: Solidity's own types, empty names, and `indexed: false`. */
function dropDefaults(key: string, value: unknown): unknown {
  return key === 'internalType' || value === '' || value === false ? undefined : value
}
