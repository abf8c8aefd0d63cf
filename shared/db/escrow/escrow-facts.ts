import type { Address, Hex } from '../../domain/address.ts'
import { invariant } from '../../domain/errors.ts'
import type { EscrowCredit, EscrowFacts, SafeState } from '../../domain/escrow-order.ts'
import { findTestnetToken } from '../../domain/find-testnet-token.ts'
import { type AttoDollars, atto, attoToAtomicFloor } from '../../domain/money.ts'
import { type Network, type PairContract, pairKey, type Token } from '../../domain/networks.ts'
import type { Db } from '../connect.ts'
import { isEscrowDust } from '../predicates.ts'
import { isOrderOpen } from './executed-orders.ts'
import { isRehearsed } from './rehearsed-escrow.ts'

type Row = Omit<EscrowFacts, 'lastCredit' | 'isMixed' | 'simulatedSafe'> & {
  readonly isSimulated: boolean
  readonly isRehearsed: boolean
  /** Whether some of the charge's credits are from the sandbox. */
  readonly hasSandboxCredits: boolean
  readonly receivedAtto: AttoDollars | null
  /** Network of the last credit. All fields below describe this credit. */
  readonly network: Network | null
  readonly token: Token | null
  /** From the configured pair, like the next two fields; `null` if the pair is not configured. */
  readonly chainId: number | null
  readonly tokenAddress: Address | null
  readonly decimals: number | null
  readonly sender: Address | null
  readonly txHash: Hex | null
  readonly amountAtto: AttoDollars | null
  readonly at: Date | null
}

/**
 * Finds the recorded facts about a charge's escrow; `null` if no such charge exists. The caller must check access.
 *
 * An escrow counts as moved once it has ended, or once an order that our relayer sent is mined. Before the end, a
 * transfer that the releaser makes on chain does not block an order. Sandbox credits are excluded, because they are on
 * no chain. A rehearsed escrow (`isRehearsed`) is the exception: it has only sandbox credits, and its Safe is treated
 * as not deployed. Dust affects neither the number of pairs nor the last credit, unless all credits are dust. Otherwise
 * a stranger's cent would block every order, or direct a refund to the stranger (decisions 4.1).
 */
export async function findEscrowFacts(db: Db, chargeId: string): Promise<EscrowFacts | null> {
  const [row] = await db<Row[]>`
    with credits as (
      select t.*, sum(t.amount_atto) over (partition by t.network, t.token) as pair_atto,
        ${isEscrowDust(db, db`sum(t.amount_atto) over (partition by t.network, t.token, t.sender)`)} as is_dust
      from transfers t join charges c on c.id = t.charge_id
      cross join lateral (select ${isRehearsed(db)} as is_rehearsed) r
      where c.id = ${chargeId} and t.credited_at is not null and (t.chain_id is null) = r.is_rehearsed
    ), counted as (
      select * from (select *, bool_and(is_dust) over () as is_only_dust from credits) t where is_dust = is_only_dust
    )
    select c.id as charge_id, c.address, c.split_address, c.split_terms, c.escrow_releaser as releaser, c.amount_micro,
      coalesce(
        case when c.escrow_released_at is not null then 'release' when c.escrow_refunded_at is not null then 'refund' end,
        (select o.action from escrow_orders o
         where o.charge_id = c.id and o.status <> 'signed' and ${isOrderOpen(db)} order by o.created_at limit 1)) as moved,
      (select count(distinct (t.network, t.token)) from counted t) as paid_pairs,
      case when l.is_only_dust then l.pair_atto end as only_dust_atto,
      (select count(*) from escrow_orders o where o.charge_id = c.id and o.status = 'reverted') as reverted_orders,
      exists (select from transfers t
       where t.charge_id = c.id and t.credited_at is not null and t.chain_id is null) as has_sandbox_credits,
      c.is_simulated, r.is_rehearsed, c.received_atto, l.network, l.token, p.chain_id, p.token_address, p.decimals,
      l.sender, l.tx_hash, l.amount_atto, coalesce(to_timestamp(l.block_timestamp), l.credited_at) as "at"
    from charges c
    cross join lateral (select ${isRehearsed(db)} as is_rehearsed) r
    left join lateral (
      select * from counted t order by t.credited_at desc, t.block_timestamp desc, t.id desc limit 1
    ) l on true
    left join pairs p on (p.chain_id = l.chain_id and p.token_address = l.token_address)
      or (r.is_rehearsed and p.environment = c.environment and p.network = l.network and p.token = l.token)
    where c.id = ${chargeId}`
  if (row === undefined) return null
  return row.isRehearsed
    ? { ...row, ...rehearsedCredit(row), isMixed: false }
    : { ...row, lastCredit: creditOf(row, row), simulatedSafe: null, isMixed: row.hasSandboxCredits }
}

/**
 * Returns the last sandbox credit, and a simulated Safe that holds all sandbox credits and has executed no transaction.
 */
function rehearsedCredit(row: Row): {
  readonly lastCredit: EscrowCredit | null
  readonly simulatedSafe: SafeState
} {
  const contract = row.isSimulated ? registeredContract(row) : row
  const balanceAtomic = attoToAtomicFloor(row.receivedAtto ?? atto(0n), contract?.decimals ?? 0)
  return {
    lastCredit: creditOf(contract, row),
    simulatedSafe: { isDeployed: false, nonce: 0n, balanceAtomic },
  }
}

function registeredContract({ chargeId, network, token }: Row): PairContract | null {
  return network === null || token === null ? null : contractOf({ chargeId, network, token })
}

function contractOf(credit: { chargeId: string; network: Network; token: Token }): PairContract {
  const contract = findTestnetToken(credit)
  invariant(
    contract !== null,
    `charge ${credit.chargeId} was paid with ${pairKey(credit)}, which is no longer in the registry`,
  )
  return contract
}

type Contract = Pick<Row, 'chainId' | 'tokenAddress' | 'decimals'>

function creditOf(
  contract: Contract | null,
  { network, token, ...credit }: Pick<Row, 'network' | 'token' | 'sender' | 'txHash' | 'amountAtto' | 'at'>,
): EscrowCredit | null {
  const { sender, txHash, amountAtto, at } = credit
  if (contract === null || network === null || token === null) return null
  if (sender === null || amountAtto === null || at === null) return null
  const { chainId, tokenAddress, decimals } = contract
  if (chainId === null || tokenAddress === null || decimals === null) return null
  const amountAtomic = attoToAtomicFloor(amountAtto, decimals)
  return { network, token, chainId, tokenAddress, decimals, sender, txHash, amountAtomic, at }
}
