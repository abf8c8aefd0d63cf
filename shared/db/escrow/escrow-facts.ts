import type { Address } from '../../domain/address.ts'
import type { SplitTerms } from '../../domain/charge.ts'
import { invariant } from '../../domain/errors.ts'
import type { EscrowAction } from '../../domain/escrow-action.ts'
import type { EscrowCredit, EscrowFacts, SafeState } from '../../domain/escrow-order.ts'
import { type AttoDollars, atto, attoToAtomicFloor } from '../../domain/money.ts'
import { type Network, type PairContract, pairKey, type Token } from '../../domain/networks.ts'
import { testnetContract } from '../../domain/testnet-contract.ts'
import type { Db } from '../connect.ts'

type Row = {
  readonly chargeId: string
  readonly address: Address
  readonly splitAddress: Address
  readonly splitTerms: SplitTerms
  readonly releaser: Address | null
  readonly moved: EscrowAction | null
  readonly paidPairs: number
  readonly revertedOrders: number
  readonly isSimulated: boolean
  readonly receivedAtto: AttoDollars | null
  /** Of the last credit, as all that follows. */
  readonly network: Network | null
  readonly token: Token | null
  readonly chainId: number | null
  readonly tokenAddress: Address | null
  readonly sender: Address | null
}

/**
 * Finds what the ledger knows of a charge's escrow, or answers `null` if there is no such charge.
 *
 * Whose charge it is, is for the caller to know. An escrow counts as moved from the first block that shows it, or
 * as soon as the order that our relayer sent is mined. Credits of the sandbox, which are on no chain, are left out,
 * unless the charge is simulated: then they are all there is, and its Safe is as if it had never been made.
 */
export async function findEscrowFacts(db: Db, chargeId: string): Promise<EscrowFacts | null> {
  const [row] = await db<Row[]>`
    select c.id as charge_id, c.address, c.split_address, c.split_terms, c.escrow_releaser as releaser,
      coalesce(
        case when c.escrow_released_at is not null then 'release' when c.escrow_refunded_at is not null then 'refund' end,
        (select m.action from escrow_movements m
         where m.charge_id = c.id and m.presence <> 'vanished' order by m.block_timestamp, m.log_index limit 1),
        (select o.action from escrow_orders o
         where o.charge_id = c.id and o.status in ('mined', 'final') order by o.created_at limit 1)) as moved,
      (select count(distinct (t.network, t.token)) from transfers t
       where t.charge_id = c.id and t.credited_at is not null and (t.chain_id is null) = c.is_simulated) as paid_pairs,
      (select count(*) from escrow_orders o where o.charge_id = c.id and o.status = 'reverted') as reverted_orders,
      c.is_simulated, c.received_atto, l.network, l.token, l.chain_id, l.token_address, l.sender
    from charges c
    left join lateral (
      select t.network, t.token, t.chain_id, t.token_address, t.sender from transfers t
      where t.charge_id = c.id and t.credited_at is not null and (t.chain_id is null) = c.is_simulated
      order by t.credited_at desc, t.block_timestamp desc, t.id desc limit 1
    ) l on true
    where c.id = ${chargeId}`
  if (row === undefined) return null
  const { isSimulated, receivedAtto, network, token, chainId, tokenAddress, sender, ...facts } = row
  return isSimulated
    ? { ...facts, ...simulatedCredit(row) }
    : { ...facts, lastCredit: creditOf({ chainId, tokenAddress }, sender), simulatedSafe: null }
}

/** What a simulated charge was paid, as if its testnet had it: the Safe holds the sum, and has executed nothing. */
function simulatedCredit({ chargeId, network, token, sender, receivedAtto }: Row): {
  readonly lastCredit: EscrowCredit | null
  readonly simulatedSafe: SafeState
} {
  const contract = network === null || token === null ? null : contractOf({ chargeId, network, token })
  const balanceAtomic = attoToAtomicFloor(receivedAtto ?? atto(0n), contract?.decimals ?? 0)
  return {
    lastCredit: creditOf(contract, sender),
    simulatedSafe: { isDeployed: false, nonce: 0n, balanceAtomic },
  }
}

function contractOf(credit: { chargeId: string; network: Network; token: Token }): PairContract {
  const contract = testnetContract(credit)
  invariant(
    contract !== null,
    `${credit.chargeId} was paid ${pairKey(credit)}, which the registry no longer has`,
  )
  return contract
}

function creditOf(
  contract: { readonly chainId: number | null; readonly tokenAddress: Address | null } | null,
  sender: Address | null,
): EscrowCredit | null {
  if (contract === null || sender === null) return null
  const { chainId, tokenAddress } = contract
  return chainId === null || tokenAddress === null ? null : { chainId, tokenAddress, sender }
}
