import { parseUnits } from 'viem'

export type Pair = { readonly token: string; readonly network: string }

/** The specified fields of a charge that the rules compare. */
export type ChargeView = {
  readonly id: string
  readonly amountExact: string
  readonly amountReceivedExact: string | null
  readonly isOverpaid: boolean
  readonly acceptedPayments: readonly Pair[]
  readonly paidWith: readonly Pair[]
  readonly address: string
  readonly addressTerms: { readonly recipients: readonly { readonly address: string }[] }
  readonly status: string
  readonly settlementStatus: string | null
  readonly externalRef: string | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly confirmedAt: string | null
  readonly settledAt: string | null
}

/** Returns a JSON value as a charge, or `null` if the value is not a charge. */
export function findCharge(json: unknown): ChargeView | null {
  const { id, status, address } = (json ?? {}) as Partial<ChargeView>
  const isCharge = typeof id === 'string' && id.startsWith('ch_') && Boolean(status) && Boolean(address)
  return isCharge ? (json as ChargeView) : null
}

/** Returns the received amount in 10⁻¹⁸ dollars. */
export function readReceived({ amountReceivedExact }: ChargeView): bigint {
  return amountReceivedExact === null ? 0n : parseUnits(amountReceivedExact, 18)
}

/** Returns the amount to pay in 10⁻¹⁸ dollars. */
export function readTarget({ amountExact }: ChargeView): bigint {
  return parseUnits(amountExact, 18)
}
