import { expect } from 'chai'
import { describeEvidence } from '../../../api/client/commands/describe-evidence.ts'
import { verifyEvidence } from '../../../api/client/verify-evidence.ts'
import { buildEvidence } from '../../support/evidence/build-evidence.ts'

describe('describeEvidence', () => {
  it('states the amounts, who was paid, and what is only reported', async () => {
    const text = await describeAltered()
    expect(text).to.match(/^PROVEN: 0x\w+ is the address of charge ch_\w+\./)
    expect(text).to.match(/10 USDC reached the charge's address from 0xbBbB/)
    expect(text).to.match(/9\.900001 USDC to 0xA1A1\w+ \(99\.0991 %\)/)
    expect(text).to.match(/0\.01 USDC to 0x4E4E\w+ \(not named by the terms: the distributor\)/)
    expect(text).to.match(/Reported by the service, not proven:\n.*one\.example showed it/)
    expect(text).not.to.include('NOT VERIFIED')
  })

  it('lists a transaction without proof, with the reason', async () => {
    const text = await describeAltered([{ proof: null, reason: 'not_committed' }])
    expect(text).to.match(/NOT VERIFIED:\n.*no proof: the headers of the network commit to the transactions/)
  })

  it('names no network for a token that only the caller knows', async () => {
    const text = await describeAltered([], 31_337)
    expect(text).to.include('the chain with the id 31337, which the evidence calls base')
    expect(text).to.match(/10000000 units of the token 0x8335\w+ that you named reached/)
  })
})

/** Describes evidence with further transactions. */
async function describeAltered(others: readonly object[] = [], chainId = 8453): Promise<string> {
  const evidence = await buildEvidence()
  const [first] = evidence.data
  const data = [{ ...first, chainId }, ...others.map((other) => ({ ...first, ...other }))]
  const trust = {
    blockHashes: [first?.block.hash ?? ''],
    tokens: first?.logs.map(({ tokenAddress }) => tokenAddress) ?? [],
  }
  return describeEvidence(await verifyEvidence(JSON.stringify({ ...evidence, data }), trust)).join('\n')
}
