import type { Address } from '../../domain/address.ts'
import type { ChainClient } from '../nodes/client.ts'

/** Kind of an account: without code, with delegated code (EIP-7702), or a contract. */
export type AccountKind = 'plain' | 'delegated' | 'contract'

/**
 * Prefix of the code of a delegating account. The address of the delegate follows.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7702
 */
const DELEGATION_PREFIX = '0xef0100'

/**
 * Returns the current kind of an account.
 *
 * @throws {BaseError} from viem if no node responds
 */
export async function readAccountKind(client: ChainClient, address: Address): Promise<AccountKind> {
  const code = await client.getCode({ address })
  if (code === undefined) return 'plain'
  return code.startsWith(DELEGATION_PREFIX) && code.length === 48 ? 'delegated' : 'contract'
}
