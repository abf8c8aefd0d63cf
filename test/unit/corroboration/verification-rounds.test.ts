import { expect } from 'chai'
import { createVerificationRounds } from '../../../indexer/corroboration/verification-rounds.ts'
import type { Hex } from '../../../shared/domain/address.ts'

describe('rounds of verifications', () => {
  it('query the list once if nothing waits', async () => {
    const queries: (readonly Hex[])[] = []
    const { listNext } = createVerificationRounds(async (except) => {
      queries.push(except)
      return []
    })
    expect(await listNext(['0x01'])).to.deep.equal([])
    expect(queries).to.deep.equal([['0x01']])
  })

  it('list a transaction again only once all others were queried', async () => {
    const waiting: readonly Hex[] = ['0x01', '0x02', '0x03']
    const { listNext, note } = createVerificationRounds(async (except) =>
      waiting
        .filter((txHash) => !except.includes(txHash))
        .slice(0, 2)
        .map((txHash) => ({ txHash, blockNumber: 1, blockHash: '0x0b', isDeep: true, isAgreed: false })),
    )
    const turns: (readonly Hex[])[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      const next = await listNext([])
      note(next)
      turns.push(next.map(({ txHash }) => txHash))
    }
    expect(turns).to.deep.equal([['0x01', '0x02'], ['0x03'], ['0x01', '0x02']])
  })
})
