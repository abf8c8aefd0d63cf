import type { Address } from '../domain/address.ts'
import type { ChainClient } from './client.ts'

/** What stands at an address: nothing but a key, an account that runs another's code (EIP-7702), or a contract. */
export type AccountKind = 'plain' | 'delegated' | 'contract'

/** The first bytes of a delegation's code; the address it runs follows. @see https://eips.ethereum.org/EIPS/eip-7702 */
const DELEGATION_PREFIX = '0xef0100'

/** Answers what stands at an address now. @throws {BaseError} viem's, if no node answers */
export async function readAccountKind(client: ChainClient, address: Address): Promise<AccountKind> {
  const code = await client.getCode({ address })
  if (code === undefined) return 'plain'
  return code.startsWith(DELEGATION_PREFIX) && code.length === 48 ? 'delegated' : 'contract'
}
