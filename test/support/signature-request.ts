import type { SignedPayment } from '../../api/client/check-authorization.ts'
import type { Address } from '../../shared/domain/address.ts'
import { type Authorization, authorizationTypedData } from '../../shared/domain/eip3009/authorization.ts'

export const PAYER = `0x${'12'.repeat(20)}` as Address
export const PAIR = { token: 'USDC', network: 'base' } as const
export const CHARGE = {
  ...{ id: `ch_${'0'.repeat(36)}`, address: `0x${'c4'.repeat(20)}` as Address, environment: 'live' as const },
  ...{ amount: 10, amountExact: '10', amountReceivedExact: null },
}

/** The payment that a client expects to authorize. */
export const ASKED: SignedPayment = { charge: CHARGE, pair: PAIR, payer: PAYER }

/** Builds the typed data that the service asks the payer to sign for `CHARGE`, with the given changes. */
export function buildTypedData(changes: Partial<Authorization> = {}) {
  const now = BigInt(Math.floor(Date.now() / 1000))
  return authorizationTypedData({
    ...{ chainId: 8453, token: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' as Address },
    domain: { name: 'USD Coin', version: '2' },
    authorization: {
      ...{ from: PAYER, to: CHARGE.address, value: 10_000_000n, validAfter: 0n, validBefore: now + 300n },
      nonce: `0x${'01'.repeat(32)}`,
      ...changes,
    },
  })
}
