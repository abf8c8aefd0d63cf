import { hashTypedData } from 'viem'
import { type Address, checksum, type Hex } from '../address.ts'
import { listDomainFields } from '../list-domain-fields.ts'

/**
 * Permit2, at the same address on every EVM network.
 *
 * @see https://github.com/Uniswap/permit2
 */
export const PERMIT2 = '0x000000000022d473030f116ddee9f6b43ac78ba3' as Address

export const PERMIT2_PRIMARY_TYPE = 'PermitTransferFrom' as const

const DOMAIN_NAME = 'Permit2'

/** @see https://github.com/Uniswap/permit2, `PermitHash`. The order of the fields is part of the signed hash. */
const TYPES = {
  PermitTransferFrom: [
    { name: 'permitted', type: 'TokenPermissions' },
    { name: 'spender', type: 'address' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  TokenPermissions: [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
} as const

/** The owner's permission for a spender to make one transfer of a token. */
type Permit = {
  readonly token: Address
  readonly amountAtomic: bigint
  readonly spender: Address
  readonly nonce: bigint
  /** Unix seconds. */
  readonly deadline: bigint
}

type Domain = { readonly name: string; readonly chainId: number; readonly verifyingContract: Address }

/** Returns the problem of a permit's domain, or `null` if it is Permit2's domain on that chain. */
export function findDomainProblem({ domain }: { readonly domain: Domain }, chainId: number): string | null {
  if (domain.name !== DOMAIN_NAME) return 'permit2 has another domain'
  if (domain.chainId !== chainId) return `permit2 is for chain ${domain.chainId}, not ${chainId}`
  return domain.verifyingContract === PERMIT2
    ? null
    : `permit2 is for the contract ${domain.verifyingContract}`
}

/** Returns the EIP-712 hash that the owner signs, as Permit2 computes it on that chain. */
export function hashPermit(permit: Permit, chainId: number): Hex {
  const { token, amountAtomic: amount, spender, nonce, deadline } = permit
  return hashTypedData({
    domain: { name: DOMAIN_NAME, chainId: BigInt(chainId), verifyingContract: PERMIT2 },
    types: TYPES,
    primaryType: PERMIT2_PRIMARY_TYPE,
    message: { permitted: { token, amount }, spender, nonce, deadline },
  })
}

/** Returns a permit in the form for `eth_signTypedData_v4`, with amount, nonce and deadline as decimal text. */
export function presentPermit(permit: Permit, chainId: number) {
  const domain = { name: DOMAIN_NAME, chainId, verifyingContract: checksum(PERMIT2) }
  return {
    domain,
    types: {
      EIP712Domain: listDomainFields(domain),
      PermitTransferFrom: [...TYPES.PermitTransferFrom],
      TokenPermissions: [...TYPES.TokenPermissions],
    },
    primaryType: PERMIT2_PRIMARY_TYPE,
    message: {
      permitted: { token: checksum(permit.token), amount: permit.amountAtomic.toString() },
      spender: checksum(permit.spender),
      nonce: permit.nonce.toString(),
      deadline: permit.deadline.toString(),
    },
  }
}
