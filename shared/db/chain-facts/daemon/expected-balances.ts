import type { Address } from '../../../domain/address.ts'
import type { AttoDollars } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'
import { isAgreed } from './at-depth.ts'

/** Token balance that a charge's split, or the Safe of an escrow charge, should have according to our rows. */
export type ExpectedBalance = {
  readonly chargeId: string
  readonly account: Address
  readonly tokenAddress: Address
  /** Amount in 10⁻¹⁸ dollars, because it can be finer than the token's atomic unit. */
  readonly balanceAtto: AttoDollars
}

/**
 * Lists the expected balances of these charges' addresses at a block. A split should hold its incoming payments and
 * escrow releases, minus its distributions, plus its held shares that were not released. A Safe should hold its
 * incoming payments minus its outgoing transfers. Accounts without rows are not listed; their expected balance is 0.
 */
export async function listExpectedBalances(
  db: Db,
  query: {
    readonly chainId: number
    readonly block: number
    readonly chargeIds: readonly string[]
    /** Tokens of the deployment. Split events and escrow transfers of other tokens are ignored. */
    readonly tokens: readonly { readonly address: Address; readonly decimals: number }[]
    /** Whether to add amounts that no quorum has shown. Such amounts are always subtracted. */
    readonly withUncorroborated: boolean
  },
): Promise<readonly ExpectedBalance[]> {
  const { chainId, block, chargeIds, tokens, withUncorroborated } = query
  const there = db`
    join charges c on c.id = r.charge_id
    join deployments d on d.chain_id = r.chain_id
    where r.chain_id = ${chainId} and r.inclusion = 'included' and r.block_number <= ${block}
      and r.charge_id = any (${chargeIds})`
  const token = db`
    join unnest(${tokens.map(({ address }) => address)}::text[], ${tokens.map(({ decimals }) => decimals)}::int[])
      as p (address, decimals) on p.address = r.token_address`
  const inAtto = db`r.amount_atomic * 10::numeric ^ (18 - p.decimals)`
  return db<ExpectedBalance[]>`
    select charge_id, account, token_address, trunc(sum(amount)) as balance_atto from (
      select r.charge_id, c.address as account, r.token_address, r.amount_atto as amount from transfers r ${there}
        and (${withUncorroborated} or r.credited_at is not null or ${isAgreed(db, 'r')})
        -- A transfer from an address to itself does not change its balance.
        and r.sender is distinct from c.address
      union all
      select r.charge_id, c.split_address, r.token_address,
        case when r.kind = 'held' then 1 else -1 end * ${inAtto}
      from split_events r ${token} ${there}
        and (${withUncorroborated} or r.kind <> 'held' or r.applied_at is not null or ${isAgreed(db, 'r')})
      union all
      select r.charge_id, c.address, r.token_address, -${inAtto} - r.dust_atto from escrow_transfers r ${token} ${there}
      union all
      select r.charge_id, c.split_address, r.token_address, ${inAtto} + r.dust_atto
      from escrow_transfers r ${token} ${there}
        and r.recipient = c.split_address
        and (${withUncorroborated} or r.applied_at is not null or ${isAgreed(db, 'r')})
    ) movements
    group by charge_id, account, token_address
    order by charge_id, account, token_address`
}
