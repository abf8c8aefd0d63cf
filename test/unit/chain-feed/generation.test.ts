import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { erc20Abi } from '../../../shared/chain/abi/erc20.ts'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'

/** Of `TABLES_VERSION` 4 in indexer/chain-feed/generation.ts: change both together. */
const DIGEST = '6b47a311f67285f61a4fa3c8bc924b447b2903333d2354d437312ec4f56f955e'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

describe('the version of Ponder’s tables', () => {
  it('changes with every input of Ponder’s build id, because a deploy would otherwise end with exit code 1', () => {
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
