import type { Address, Hex } from '../../../domain/address.ts'
import { AUTHORIZATION_TRANSITIONS, isAllowedTransition } from '../../../domain/allowed-transitions.ts'
import type { AuthorizationStatus } from '../../../domain/eip3009/authorization-status.ts'
import { invariant } from '../../../domain/errors.ts'
import type { AtomicUnits } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'
import type { RelayerTransactionStatus } from '../../relayer/daemon/relayer-transactions.ts'
import { isTransferRecorded } from '../authorization-row.ts'

export type ExecutingTransaction = {
  readonly relayer: Address
  readonly nonce: number
  readonly gasLimit: bigint
}

/** An accepted authorization. */
export type NewAuthorization = {
  readonly requestId: string
  readonly organizationId: string
  readonly chargeId: string
  readonly chainId: number
  readonly tokenAddress: Address
  readonly payer: Address
  /** Whether the payer's own key signed; otherwise the payer's contract approves the signature. */
  readonly isSignedByKey: boolean
  readonly nonce: Hex
  readonly digest: Hex
  readonly valueAtomic: AtomicUnits
  /** Unix seconds. */
  readonly validBefore: bigint
  /**
   * The lowest block that can contain the authorization's transfer. If the nonce was unused at acceptance, this block
   * is the confirmation depth plus one minute below the head, because after a reorganization the transfer might be
   * mined below the head. If another sender had used the nonce, this block is 15 minutes below the head.
   */
  readonly fromBlock: number
  /** Another sender's transaction that has already executed the authorization; `null` if there is none. */
  readonly txHash: Hex | null
}

/**
 * Inserts an authorization. The caller must do so before any node receives the signature.
 *
 * @returns false if the authorization is already stored, or its charge has another `signed` or `mined` authorization
 */
export async function insertAuthorization(db: Db, taken: NewAuthorization): Promise<boolean> {
  const { count } = await db`
    insert into authorizations (request_id, organization_id, charge_id, chain_id, token_address, payer, nonce, digest,
      value_atomic, valid_before, from_block, tx_hash, is_signed_by_key)
    values (${taken.requestId}, ${taken.organizationId}, ${taken.chargeId}, ${taken.chainId}, ${taken.tokenAddress},
      ${taken.payer}, ${taken.nonce}, ${taken.digest}, ${db.types.numeric(taken.valueAtomic)},
      ${db.types.numeric(taken.validBefore)}, ${taken.fromBlock}, ${taken.txHash}, ${taken.isSignedByKey})
    on conflict do nothing`
  return count > 0
}

/**
 * Records our transaction that executes an authorization, in the database transaction that signs it.
 *
 * @returns false if the authorization already has a transaction, or has ended
 */
export async function linkAuthorizationTransaction(
  db: Db,
  {
    requestId,
    carrier,
    txHash,
  }: { readonly requestId: string; readonly carrier: ExecutingTransaction; readonly txHash: Hex },
): Promise<boolean> {
  const { count } = await db`
    update authorizations set relayer = ${carrier.relayer}, relayer_nonce = ${carrier.nonce}, tx_hash = ${txHash},
      gas_limit = ${String(carrier.gasLimit)}
    where request_id = ${requestId} and status = 'signed' and relayer is null and tx_hash is null`
  return count > 0
}

/**
 * Counts an organization's authorizations on a chain that have no transaction yet. Nodes might have their signatures.
 */
export async function countBroadcastAuthorizations(
  db: Db,
  whose: { readonly organizationId: string; readonly chainId: number },
): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*) as count from authorizations
    where organization_id = ${whose.organizationId} and chain_id = ${whose.chainId} and status = 'signed'
      and relayer is null and tx_hash is null`
  return row.count
}

/**
 * Deletes an authorization that can never be executed. Returns false if it has ended, or has a transaction, ours or
 * another sender's.
 */
export async function deleteAuthorization(db: Db, requestId: string): Promise<boolean> {
  const [row] = await db<[{ isGone: boolean }]>`select delete_authorization(${requestId}) as is_gone`
  return row.isGone
}

export type InFlightAuthorization = Omit<
  NewAuthorization,
  'organizationId' | 'chainId' | 'isSignedByKey' | 'digest' | 'validBefore'
> & {
  readonly id: number
  /** Payment address of the charge. */
  readonly recipient: Address
  readonly validBefore: number
  readonly status: 'signed' | 'mined' | 'final' | 'executed_externally'
  /** Our transaction, not one that was replaced under the same nonce; `null` if there is none. */
  readonly transaction: {
    readonly relayer: Address
    readonly txHash: Hex
    readonly status: RelayerTransactionStatus
    readonly isCancellation: boolean
  } | null
}

type UnderWayRow = Omit<InFlightAuthorization, 'transaction'> & {
  readonly relayer: Address | null
  readonly ownHash: Hex | null
  readonly ownStatus: RelayerTransactionStatus | null
  readonly isCancellation: boolean | null
}

/**
 * Returns the authorizations of a chain that must be checked, and records the time of the check. They are the
 * authorizations that have not ended, and those that were executed within the last day but whose transfer is not
 * recorded, because a reorganization deeper than the confirmation depth might have removed it.
 *
 * Authorizations whose transaction has changed since their last check come first. The others follow once they were not
 * checked for `lookSeconds`, longest first, so every authorization is checked eventually.
 */
export async function lockInFlightAuthorizations(
  db: Db,
  query: { readonly chainId: number; readonly limit: number; readonly lookSeconds: number },
): Promise<readonly InFlightAuthorization[]> {
  const hasMoved = db`a.last_checked_transaction is distinct from t.tx_hash || ' ' || t.status`
  const rows = await db<UnderWayRow[]>`
    with due as (
      select a.id, a.request_id, a.charge_id, c.address as recipient, a.token_address, a.payer, a.nonce, a.value_atomic,
        a.valid_before, a.from_block, a.status, a.tx_hash, a.relayer, t.tx_hash as own_hash, t.status as own_status,
        t.is_cancellation
      from authorizations a
      join charges c on c.id = a.charge_id
      left join relayer_transactions t
        on t.chain_id = a.chain_id and t.relayer = a.relayer and t.nonce = a.relayer_nonce and t.status <> 'replaced'
      where a.chain_id = ${query.chainId} and (a.status in ('signed', 'mined')
        or (a.status in ('final', 'executed_externally') and a.ended_at > now() - interval '1 day' and not ${isTransferRecorded(db)}))
        and (a.last_checked_at is null or a.last_checked_at < now() - make_interval(secs => ${query.lookSeconds})
          or ${hasMoved})
      order by ${hasMoved} desc, a.last_checked_at nulls first, a.id
      limit ${query.limit})
    update authorizations a set last_checked_at = now(), last_checked_transaction = due.own_hash || ' ' || due.own_status
    from due where a.id = due.id
    returning due.*`
  return rows.map(({ relayer, ownHash, ownStatus, isCancellation, ...row }) => ({
    ...row,
    transaction:
      relayer === null || ownHash === null || ownStatus === null
        ? null
        : { relayer, txHash: ownHash, status: ownStatus, isCancellation: isCancellation === true },
  }))
}

export type AuthorizationPosition = {
  readonly status: AuthorizationStatus
  readonly txHash: Hex | null
}

/**
 * Changes an authorization's status or transaction, if neither has changed since the caller read them.
 *
 * @returns false if one of them has changed, or if the change would give the charge a second unfinished authorization
 */
export async function transitionAuthorization(
  db: Db,
  move: { readonly id: number; readonly from: AuthorizationPosition; readonly to: AuthorizationPosition },
): Promise<boolean> {
  const { id, from, to } = move
  const isAllowed =
    from.status === to.status ||
    isAllowedTransition(AUTHORIZATION_TRANSITIONS, { from: from.status, to: to.status })
  invariant(isAllowed, `an authorization cannot change from ${from.status} to ${to.status}`)
  const isOver = to.status !== 'signed' && to.status !== 'mined'
  const { count } = await db`
    update authorizations a
    set status = ${to.status}, tx_hash = ${to.txHash}, ended_at = case when ${isOver} then now() end
    where id = ${id} and status = ${from.status} and tx_hash is not distinct from ${from.txHash}
      -- A reopened authorization waits until all other authorizations of its charge have ended.
      and (${isOver} or not exists (
        select from authorizations o
        where o.charge_id = a.charge_id and o.id <> a.id and o.status in ('signed', 'mined')))`
  return count > 0
}
