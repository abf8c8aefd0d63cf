import { expect } from 'chai'
import { toRlp } from 'viem'
import { decodeReceipt } from '../../../shared/domain/evidence/decode-receipt.ts'

describe('decoding a receipt of the receipts trie', () => {
  const address = `0x${'aa'.repeat(20)}` as const
  const topic = `0x${'bb'.repeat(32)}` as const

  it('returns the address, topics and data of each log', () => {
    const logs = [{ address, topics: [topic], data: '0x01' }]
    expect(decodeReceipt(encode([topic]))).to.deep.equal({ isSuccess: true, logs })
  })

  it('returns null if a topic of a log is a list', () => {
    expect(decodeReceipt(encode([[topic], topic]))).to.equal(null)
  })

  function encode(topics: readonly unknown[]) {
    return toRlp(['0x01', '0x5208', '0x00', [[address, topics, '0x01']]] as never)
  }
})
