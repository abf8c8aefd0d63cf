import { expect } from 'chai'
import { numberToHex, size, slice } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { encodeRawTransaction, getTxId, type RawTransaction } from '../../devnet/tron/raw-transaction.ts'
import { createTronChain } from '../../devnet/tron/tron-chain.ts'

const OWNER = privateKeyToAccount(`0x${'01'.repeat(32)}`)

describe('the local TRON', () => {
  it('counts the bytes of a transaction once, also if its block is replaced', async () => {
    const genesis = [{ address: OWNER.address, balanceWei: 10n ** 9n }]
    const chain = await createTronChain({ chainId: 1, genesis, blockMs: 1 })
    const { number, hash: blockHash, timestamp } = chain.head()
    const raw: RawTransaction = {
      contract: { type: 'TransferContract', owner: OWNER.address, to: `0x${'0e'.repeat(20)}`, amountSun: 1n },
      refBlockBytes: slice(numberToHex(number, { size: 8 }), 6),
      refBlockHash: slice(blockHash, 8, 16),
      ...{ expirationMs: BigInt(timestamp + 600) * 1_000n, timestampMs: BigInt(timestamp) * 1_000n },
      feeLimitSun: 0n,
    }
    const rawData = encodeRawTransaction(raw)
    const hash = getTxId(rawData)
    const signature = await OWNER.sign({ hash })
    expect(await chain.broadcast({ ...raw, rawData, hash, signature })).to.equal('SUCCESS')
    await chain.mine()
    const bytes = BigInt(size(rawData)) + 134n
    expect(chain.usedBytesOf(OWNER.address)).to.equal(bytes)
    await chain.fork({ depth: 1 })
    expect(chain.find(hash)?.block.number).to.equal(1)
    expect(chain.usedBytesOf(OWNER.address)).to.equal(bytes)
  })
})
