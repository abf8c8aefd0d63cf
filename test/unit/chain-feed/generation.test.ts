import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { erc20Abi } from 'viem'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'

/** Digest of the inputs for `TABLES_VERSION` 5 in indexer/chain-feed/generation.ts. Change both together. */
const DIGEST = 'cdea22e4a0b4c70558845c98103de08dbf6fd77cb5bbc6f3e5e293667edd405e'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

describe('the version of Ponder’s tables', () => {
  it('must change with every input of Ponder’s build id; otherwise a deploy ends with exit code 1', () => {
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
