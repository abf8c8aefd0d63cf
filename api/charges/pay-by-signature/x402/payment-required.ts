import { type Address, checksum } from '../../../../shared/domain/address.ts'
import type { PayablePair } from '../../../../shared/domain/eip3009/plan-authorization.ts'

/** A pair that a payer can sign for now, with the amount and the domain to sign. */
export type RequiredPair = Pick<
  PayablePair,
  'chainId' | 'tokenAddress' | 'domain' | 'valueAtomic' | 'offeredSeconds'
>

/** The content of a payment request. */
export type PaymentRequirement = {
  /** URL that the client must request again with the payment. */
  readonly url: string
  readonly payTo: Address
  readonly pairs: readonly RequiredPair[]
  /** The reason why the submitted payment was rejected, or a message that a payment is required. */
  readonly error: string
}

/**
 * Returns the content of `PAYMENT-REQUIRED`, with one entry per pair.
 *
 * The client signs with `name` and `version`. The specification allows omitting `assetTransferMethod`, but at least one
 * facilitator rejects payments without it (observed in November 2026).
 *
 * @see x402 specification v2, "PaymentRequired"; schemes/exact, scheme_exact_evm
 */
export function presentPaymentRequired({ url, payTo, pairs, error }: PaymentRequirement) {
  return {
    x402Version: 2,
    error,
    resource: { url, description: 'A payment and its current state', mimeType: 'application/json' },
    accepts: pairs.map(({ chainId, tokenAddress, domain, valueAtomic, offeredSeconds }) => ({
      scheme: 'exact',
      network: toCaip2(chainId),
      amount: String(valueAtomic),
      asset: checksum(tokenAddress),
      payTo: checksum(payTo),
      maxTimeoutSeconds: offeredSeconds,
      extra: { assetTransferMethod: 'eip3009', name: domain.name, version: domain.version },
    })),
  } as const
}

/** Returns the CAIP-2 name of a chain, as used by x402. */
export function toCaip2(chainId: number): string {
  return `eip155:${chainId}`
}
