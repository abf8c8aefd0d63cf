import { type Address, checksum } from '../../shared/domain/address.ts'
import type { AuthorizationDomain } from '../../shared/domain/authorization.ts'
import type { AtomicUnits } from '../../shared/domain/money.ts'

/** A pair that a payer may sign for now, and what of it. */
export type RequiredPair = {
  readonly chainId: number
  readonly tokenAddress: Address
  readonly domain: AuthorizationDomain
  readonly valueAtomic: AtomicUnits
  /** For so long a signature is to hold, from now. */
  readonly offeredSeconds: number
}

/** What is to be paid for, where, and with what. */
export type Required = {
  /** Where the request is to be repeated with the payment. */
  readonly url: string
  readonly payTo: Address
  readonly pairs: readonly RequiredPair[]
  /** Why the last payment was not taken, or that there must be one. */
  readonly error: string
}

/**
 * Answers what stands in `PAYMENT-REQUIRED`: an entry for each pair that can be signed for.
 *
 * Name and version are what the client signs with. `assetTransferMethod` may be left out by the specification, and a
 * facilitator was seen that refuses without it (November 2026).
 *
 * @see x402 specification v2, "PaymentRequired"; schemes/exact, scheme_exact_evm
 */
export function presentPaymentRequired({ url, payTo, pairs, error }: Required) {
  return {
    x402Version: 2,
    error,
    resource: { url, description: 'A payment, and what became of it', mimeType: 'application/json' },
    accepts: pairs.map(({ chainId, tokenAddress, domain, valueAtomic, offeredSeconds }) => ({
      scheme: 'exact',
      network: networkOf(chainId),
      amount: String(valueAtomic),
      asset: checksum(tokenAddress),
      payTo: checksum(payTo),
      maxTimeoutSeconds: offeredSeconds,
      extra: { assetTransferMethod: 'eip3009', name: domain.name, version: domain.version },
    })),
  } as const
}

/** Names a chain as x402 does (CAIP-2). */
export function networkOf(chainId: number): string {
  return `eip155:${chainId}`
}
