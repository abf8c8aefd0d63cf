import { expect } from 'chai'
import { describeEvidence } from '../../../api/client/commands/describe-evidence.ts'
import { verifyEvidence } from '../../../api/client/verify-evidence.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { buildEvidence, buildTerms } from '../../support/evidence/build-evidence.ts'

describe('describeEvidence', () => {
  it('states the amounts, the recipients, and the facts that the service only reports', async () => {
    const text = await describeAltered()
    expect(text).to.match(/^PROVEN: the address 0x\w+ is computed from the id ch_\w+ and these terms\./)
    expect(text).to.match(/10 USDC reached the charge's address from 0xbBbB/)
    expect(text).to.match(/In this transaction the split paid, in total:/)
    expect(text).to.match(/9\.900001 USDC to 0xA1A1\w+ \(99\.0991 % by the terms\)/)
    expect(text).to.match(/0\.01 USDC to 0x4E4E\w+ \(the distributor\)/)
    expect(text).to.match(/Reported by the service, not proven:\n.*one\.example showed it/)
    expect(text).not.to.include('NOT VERIFIED')
  })

  it('does not state payments by the split unless a distribution is proven', async () => {
    expect(await describeAltered([], { kinds: ['credit'] })).not.to.include('the split paid')
  })

  it('warns that the owner of an escrow decides about its money', async () => {
    const owner = `0x${'cc'.repeat(20)}` as Address
    const { charge } = buildTerms({ escrowOwner: owner })
    const trust = { address: charge.address, blockHashes: [] }
    const lines = describeEvidence(await verifyEvidence(JSON.stringify({ charge, data: [] }), trust))
    expect(lines.join('\n')).to.match(/It is an ESCROW: the account 0xCc\w+ alone decides/i)
    expect(lines.join('\n')).to.include(`Its split ${charge.addressTerms.splitAddress} pays 0.1 %`)
  })

  it('lists a transaction without proof, with the reason', async () => {
    const text = await describeAltered([{ proof: null, reason: 'not_committed' }])
    expect(text).to.match(/NOT VERIFIED:\n.*no proof: the headers of the network commit to the transactions/)
  })

  it('does not claim that a hash is missing if the caller gave the hash of the block', async () => {
    const text = await describeAltered([{ proof: null, reason: null }])
    expect(text).to.match(/NOT VERIFIED:\n.*: the evidence has no proof of it$/)
    const block = { number: 7, hash: `0x${'77'.repeat(32)}`, time: '2026-11-20T12:00:00.000Z' }
    const other = await describeAltered([{ proof: null, reason: null, block }])
    expect(other).to.match(/NOT VERIFIED:\n.*: you gave no hash of its block \(0x7777/)
  })

  it('does not name a network for a token that only the caller named', async () => {
    const text = await describeAltered([], { chainId: 31_337 })
    expect(text).to.include('the chain with the id 31337, which the evidence calls base')
    expect(text).to.match(/10000000 units of the token 0x8335\w+ that you named reached/)
  })
})

/**
 * Describes evidence whose first transaction has this chain and these kinds of logs. Each of `others` adds a changed
 * copy of the original transaction.
 */
async function describeAltered(
  others: readonly object[] = [],
  { chainId = 8453, kinds = ['credit', 'distribution'] } = {},
): Promise<string> {
  const evidence = await buildEvidence()
  const [first] = evidence.data
  const logs = first?.logs.filter(({ kind }) => kinds.includes(kind))
  const data = [{ ...first, chainId, logs }, ...others.map((other) => ({ ...first, ...other }))]
  const trust = {
    address: evidence.charge.address,
    blockHashes: [first?.block.hash ?? ''],
    tokens: first?.logs.map(({ tokenAddress }) => tokenAddress) ?? [],
  }
  return describeEvidence(await verifyEvidence(JSON.stringify({ ...evidence, data }), trust)).join('\n')
}
