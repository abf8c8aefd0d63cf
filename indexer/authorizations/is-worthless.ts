import { type AuthorizationOfPayer, isAuthorizationSpent } from '../../shared/chain/authorization-use.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import type { AuthorizationContext } from './authorization-context.ts'

/** A node whose head is older is left out, as reconciliation leaves it out, unless all are. */
const STOPPED_SECONDS = 600

/** What one node says. */
type Word = { readonly headTimestamp: number; readonly isPast: boolean; readonly isSpent: boolean }

/**
 * Tells whether an authorization can never be carried out any more: its window is past at confirmation depth, and its nonce
 * unused.
 *
 * **Here a payer could be asked to pay twice.** Every node that answers and goes on must say both, and one must. The state
 * of the newest block is enough: every block in which it could be stands below the one at depth.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function isWorthless(
  { nodes, confirmations, clock }: Pick<AuthorizationContext, 'nodes' | 'confirmations' | 'clock'>,
  authorization: AuthorizationOfPayer & { readonly validBefore: number },
): Promise<boolean> {
  const nowSeconds = clock().getTime() / 1000
  // Chains do not run ahead of our clock by more than seconds: before it is past here, no node need be asked.
  if (nowSeconds < authorization.validBefore) return false
  const answers = await Promise.allSettled(nodes.map((node) => ask(node, { authorization, confirmations })))
  const words = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  if (words.length === 0) throw answers.find((answer) => answer.status === 'rejected')?.reason
  const going = words.filter(({ headTimestamp }) => headTimestamp > nowSeconds - STOPPED_SECONDS)
  return (going.length > 0 ? going : words).every(({ isPast, isSpent }) => isPast && !isSpent)
}

async function ask(
  node: ChainClient,
  {
    authorization,
    confirmations,
  }: {
    readonly authorization: AuthorizationOfPayer & { readonly validBefore: number }
    readonly confirmations: number
  },
): Promise<Word> {
  const head = await node.getBlock()
  const deepNumber = head.number - BigInt(confirmations) + 1n
  const deep = deepNumber < 0n ? null : await node.getBlock({ blockNumber: deepNumber })
  return {
    headTimestamp: Number(head.timestamp),
    isPast: deep !== null && Number(deep.timestamp) >= authorization.validBefore,
    // Read last: what was mined before the head was read is in it.
    isSpent: await isAuthorizationSpent(node, authorization),
  }
}
