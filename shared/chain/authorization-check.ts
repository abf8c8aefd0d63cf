import type { Address, Hex } from '../domain/address.ts'
import type { AuthorizationTerms } from '../domain/authorization.ts'
import { authorizationSeparator } from '../domain/authorization.ts'
import type { ChainClient } from './client.ts'
import { hasReverted } from './node-errors.ts'
import type { ChainNodes } from './nodes/chain-nodes.ts'
import { queryQuorum } from './nodes/query-nodes.ts'

/** What a token says of payments by signature: as configured; another domain; it knows none; no quorum reports the same. */
export type AuthorizationCheck = 'match' | 'differ' | 'missing' | 'unreachable'

/** `DOMAIN_SEPARATOR()`. */
const SEPARATOR: Hex = '0x3644e515'

/** `authorizationState(address(0), bytes32(0))`: whatever it answers, a token without it answers nothing. */
const STATE: Hex = `0xe94a0102${'0'.repeat(128)}`

type Terms = Pick<AuthorizationTerms, 'chainId' | 'token' | 'domain'>

/**
 * Compares what a token signs with on its chain with what we would have a payer sign, by the reports of a quorum.
 *
 * Two reads. Of some 4,100 sellers 45 advertised a wrong domain (x402's issues, November 2026): every signature for such
 * a one is refused by the token, and nobody is told why.
 *
 * @see https://eips.ethereum.org/EIPS/eip-3009
 */
export async function checkAuthorization(chain: ChainNodes, terms: Terms): Promise<AuthorizationCheck> {
  const verdict = await queryQuorum(chain, {
    read: ({ client }) => readCheck(client, terms),
    toText: String,
  })
  return verdict.outcome === 'agreed' ? verdict.agreed.value : 'unreachable'
}

async function readCheck(client: ChainClient, terms: Terms): Promise<AuthorizationCheck> {
  const [separator, state] = await Promise.all([
    readWord(client, { to: terms.token, data: SEPARATOR }),
    readWord(client, { to: terms.token, data: STATE }),
  ])
  if (separator === null || state === null) return 'missing'
  return separator === authorizationSeparator(terms) ? 'match' : 'differ'
}

/** Answers `null` if the contract answers nothing that is one word. */
async function readWord(client: ChainClient, call: { to: Address; data: Hex }): Promise<Hex | null> {
  try {
    const { data } = await client.call(call)
    return data?.length === 66 ? data : null
  } catch (error) {
    if (hasReverted(error)) return null
    throw error
  }
}
