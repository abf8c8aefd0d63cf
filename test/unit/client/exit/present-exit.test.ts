import { expect } from 'chai'
import type { ExitReport } from '../../../../api/client/exit/describe-exit.ts'
import { parseExitCharge } from '../../../../api/client/exit/exit-charge.ts'
import { presentExit } from '../../../../api/client/exit/present-exit.ts'
import { addressOfByte, buildCharge } from '../../../support/checked-charges.ts'

describe('the JSON of an exit', () => {
  const charge = parseExitCharge(buildCharge({}))
  const token = { symbol: 'USDC', address: addressOfByte('cc'), decimals: 6 }
  const unpaid = { charge, token, amount: 1n, recipient: null, to: charge.factory, data: '0x' as const }

  it('contains the payments that were skipped, that would fail, and that failed', () => {
    const plan = {
      ...{ chain: { name: 'base', chainId: 8453, coin: token }, holdings: [], distributed: [], payable: [] },
      skipped: [{ ...unpaid, reason: 'below --minimum' }],
      blocked: [{ ...unpaid, reason: 'AllPayoutsFailed' }],
    }
    const { chains, problems } = present([plan], ['base: the key has no coin'])
    const { skipped, blocked } = chains[0] ?? {}
    const named = { charge: charge.id, token: 'USDC' }
    expect(skipped).to.deep.equal([{ ...named, reason: 'below --minimum' }])
    expect(blocked).to.deep.equal([{ ...named, reason: 'AllPayoutsFailed' }])
    expect(problems).to.deep.equal(['base: the key has no coin'])
  })

  function present(plans: readonly unknown[], problems: readonly string[]) {
    const report = {
      ...{ archive: { charges: [charge], rejected: [] }, charges: [charge], skipped: [] },
      ...{ payouts: new Map(), escrowSplits: [], plans, unread: [], silent: [] },
    } as unknown as ExitReport
    return JSON.parse(presentExit(report, { sent: [], problems })) as {
      readonly chains: readonly { readonly skipped: unknown; readonly blocked: unknown }[]
      readonly problems: unknown
    }
  }
})
