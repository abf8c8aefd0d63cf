import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { erc20Abi } from '../../../shared/chain/abi/erc20.ts'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'

/** Of `TABLES_VERSION` 1 in indexer/chain-feed/generation.ts: change both together. */
const DIGEST = '118ec9056f161c7eab423d09646db796934bcf1e26aba9a3f730273929a4e159'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

describe('the version of the tables of Ponder', () => {
  it('changes with everything Ponder hashes into its build id, or a deploy would end in its exit code 1', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
    const config = read('indexer/ponder/ponder.config.ts')
    const hashed = [
      read('indexer/ponder/ponder.schema.ts'),
      read('indexer/ponder/src/index.ts'),
      config.slice(config.indexOf('contracts:')),
      JSON.stringify([erc20Abi, paymentSplitAbi]),
      dependencies['ponder'],
    ]
    expect(createHash('sha256').update(hashed.join('\n')).digest('hex')).to.equal(DIGEST)
  })
})
