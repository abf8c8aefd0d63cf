import { hashTypedData } from 'viem'
import type { Hex } from '../address.ts'
import { presentAddress } from '../chain-families/chain-families.ts'
import { listDomainFields } from '../list-domain-fields.ts'
import type { RefundClaim, RefundRecord } from './refund.ts'

/** The content that the sender of a payment signs to confirm the address to which it is refunded. */
export type ClaimTerms = Pick<
  RefundRecord,
  'chargeId' | 'network' | 'token' | 'family' | 'amountAtomic' | 'expiresAt'
> &
  Pick<RefundClaim, 'destination'> & {
    readonly chainId: number
    /** The host of the checkout, which the wallet shows. */
    readonly host: string
    /** The hash of the secret in the payer's link. If the link is replaced, the signature becomes void. */
    readonly claimHash: string
  }

const FIELDS = [
  { name: 'charge', type: 'string' },
  { name: 'destination', type: 'address' },
  { name: 'network', type: 'string' },
  { name: 'token', type: 'string' },
  { name: 'amount', type: 'uint256' },
  { name: 'claimNonce', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
] as const

/** Presents a claim as EIP-712 data for a wallet (`eth_signTypedData_v4`). Numbers are decimal text. */
export function presentClaimData(terms: ClaimTerms) {
  const { amount, claimNonce, validBefore, ...message } = buildMessage(terms)
  const domain = buildDomain(terms)
  return {
    types: { EIP712Domain: listDomainFields(domain), RefundClaim: FIELDS },
    primaryType: 'RefundClaim',
    domain,
    message: {
      ...message,
      ...{ amount: String(amount), claimNonce: String(claimNonce), validBefore: String(validBefore) },
    },
  } as const
}

/** Returns the EIP-712 hash that the sender signs. */
export function hashRefundClaim(terms: ClaimTerms): Hex {
  return hashTypedData({
    types: { RefundClaim: FIELDS },
    primaryType: 'RefundClaim',
    domain: buildDomain(terms),
    message: buildMessage(terms),
  })
}

function buildDomain({ host, chainId }: ClaimTerms) {
  return { name: `${host} refund claim`, version: '1', chainId }
}

function buildMessage({ chargeId, destination, network, token, family, ...terms }: ClaimTerms) {
  return {
    ...{ charge: chargeId, destination: presentAddress(destination, family) as Hex, network, token },
    amount: terms.amountAtomic,
    claimNonce: BigInt(`0x${terms.claimHash}`),
    validBefore: BigInt(Math.floor(terms.expiresAt.getTime() / 1000)),
  }
}
