import { expect } from 'chai'
import { hashTypedData } from 'viem'
import { atomic } from '../../../shared/domain/money.ts'
import { createClaimSecret, hashClaimSecret } from '../../../shared/domain/refund/claim-secret.ts'
import {
  type ClaimTerms,
  hashRefundClaim,
  presentClaimData,
} from '../../../shared/domain/refund/refund-claim.ts'

const TERMS: ClaimTerms = {
  ...{ chargeId: 'ch_1', network: 'base', token: 'USDC', family: 'evm', chainId: 8453 },
  ...{ amountAtomic: atomic(1_000_000n), expiresAt: new Date('2026-12-01T00:00:00.999Z') },
  ...{ destination: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' as ClaimTerms['destination'] },
  ...{ host: 'pay.example', claimHash: 'ab'.repeat(32) },
}

describe('a signed claim of a refund', () => {
  it('commits to charge, address, network, token, amount, link, deadline, chain and host', () => {
    const changes: readonly Partial<ClaimTerms>[] = [
      ...[{}, { chargeId: 'ch_2' }, { destination: `0x${'12'.repeat(20)}` as ClaimTerms['destination'] }],
      ...[{ network: 'polygon' as const }, { token: 'USDT' as const }, { amountAtomic: atomic(1_000_001n) }],
      ...[{ claimHash: 'ac'.repeat(32) }, { expiresAt: new Date(0) }, { chainId: 1 }, { host: 'pay.test' }],
    ]
    const hashes = new Set(changes.map((change) => hashRefundClaim({ ...TERMS, ...change })))
    expect(hashes.size).to.equal(changes.length)
  })

  it('covers exactly the data that the page gives to the payer’s wallet, in readable fields', () => {
    const data = presentClaimData(TERMS)
    expect(hashTypedData(data as never)).to.equal(hashRefundClaim(TERMS))
    expect(data.domain).to.deep.equal({ name: 'pay.example refund claim', version: '1', chainId: 8453 })
    expect(data.message).to.deep.equal({
      ...{ charge: 'ch_1', network: 'base', token: 'USDC', amount: '1000000', validBefore: '1796083200' },
      destination: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      claimNonce: String(BigInt(`0x${'ab'.repeat(32)}`)),
    })
  })
})

describe('the secret of a payer’s link', () => {
  it('has 128 random bits, and a hash of 64 hex digits', () => {
    const secrets = Array.from({ length: 100 }, createClaimSecret)
    expect(new Set(secrets).size).to.equal(100)
    for (const secret of secrets) {
      expect(Buffer.from(secret, 'base64url')).to.have.length(16)
      expect(hashClaimSecret(secret)).to.match(/^[0-9a-f]{64}$/)
    }
  })

  it('is not accepted with another length or other characters', () => {
    const secret = createClaimSecret()
    for (const text of ['', secret.slice(1), `${secret}A`, `${secret}\n`, `${secret.slice(1)}%`])
      expect(hashClaimSecret(text)).to.equal(null)
  })
})
