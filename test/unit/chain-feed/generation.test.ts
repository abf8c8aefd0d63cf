import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { erc20Abi } from '../../../shared/chain/abi/erc20.ts'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'

/** Of `TABLES_VERSION` 3 in indexer/chain-feed/generation.ts: change both together. */
const DIGEST = '76d757d90affd7348af463b4a6dce476370a26be7490c9be8c9d9188299a8ecd'

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
