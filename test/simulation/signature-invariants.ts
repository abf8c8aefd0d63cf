import type { Address, Hex } from '../../shared/domain/address.ts'
import { TRANSFER_TOPIC, toTopic } from '../../shared/domain/log-topics.ts'
import type { InvariantContext } from './invariant-context.ts'
import { blocksFrom, type Receipt } from './model/chain.ts'

/** An authorization as the service recorded it. */
export type AuthorizationNow = {
  readonly id: number
  readonly status: string
  readonly tokenAddress: Address
  readonly payer: Address
  readonly nonce: Hex
  readonly recipient: Address
  readonly valueAtomic: bigint
  readonly txHash: Hex | null
}

/**
 * At rest, every request of kind `authorization` has a response. Each authorization has a final status that matches its
 * chain: either the recorded transaction executed the authorization, or no transaction did.
 */
export async function findWrongAuthorizations({
  database,
  history,
}: InvariantContext): Promise<readonly string[]> {
  const rows = await database.sql<(AuthorizationNow & { readonly chainId: number })[]>`
    select a.id, a.status, a.chain_id, a.token_address, a.payer, a.nonce, c.address as recipient, a.value_atomic, a.tx_hash
    from authorizations a join charges c on c.id = a.charge_id`
  const unanswered = await database.sql<{ problem: string }[]>`
    select 'the signature ' || id || ' has no response' as problem from requests
    where kind = 'authorization' and responded_at is null`
  const isShaken = [...history.scenes.values()].some(({ chain }) => chain.hasLostDepth())
  return [
    ...unanswered.map(({ problem }) => problem),
    ...rows.flatMap((row) => {
      const { chain } = history.scenes.get(row.chainId) ?? {}
      const receipts =
        chain === undefined ? [] : blocksFrom(chain.tip(), 1).flatMap((block) => block.receipts)
      return findWrongEnd(row, isShaken ? null : receipts)
    }),
  ]
}

const EXECUTED = ['final', 'executed_externally']

/**
 * Returns the violations of one authorization.
 *
 * @param receipts - all receipts of the chain; `null` if a reorganization of any chain has removed confirmed blocks
 */
export function findWrongEnd(row: AuthorizationNow, receipts: readonly Receipt[] | null): readonly string[] {
  const { id, status, txHash } = row
  if (status === 'signed' || status === 'mined') return [`authorization ${id} is still ${status}`]
  if (receipts === null) return []
  const executed = receipts.filter((receipt) => isExecution(receipt, row))
  if (executed.length > 1) return [`authorization ${id} was executed ${executed.length} times`]
  const [receipt] = executed
  if (EXECUTED.includes(status))
    return receipt?.transaction.hash === txHash
      ? []
      : [`authorization ${id} is ${status}, but ${txHash} did not pay`]
  return receipt === undefined
    ? []
    : [`authorization ${id} is ${status}, but was executed by ${receipt.transaction.hash}`]
}

/** Whether a transaction used an authorization's nonce and made its payment. */
function isExecution({ logs }: Receipt, row: AuthorizationNow): boolean {
  const { tokenAddress, payer, nonce, recipient, valueAtomic } = row
  const ofToken = logs.filter(({ address }) => address === tokenAddress)
  const isUsed = ofToken.some(({ topics }) => topics[1] === toTopic(payer) && topics[2] === nonce)
  return (
    isUsed &&
    ofToken.some(
      ({ topics, data }) =>
        topics[0] === TRANSFER_TOPIC &&
        topics[1] === toTopic(payer) &&
        topics[2] === toTopic(recipient) &&
        BigInt(data) === valueAtomic,
    )
  )
}
