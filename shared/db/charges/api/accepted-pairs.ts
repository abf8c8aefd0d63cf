import type { Fragment } from 'postgres'
import { findTestnetToken } from '../../../domain/find-testnet-token.ts'
import { type Pair, type PairContract, type PairKey, pairKey } from '../../../domain/networks.ts'
import { isStale, type StaleAfter } from '../../chain-facts/stale.ts'
import type { Db } from '../../connect.ts'

/** An accepted pair and its current availability. */
export type AcceptedPair = Pair &
  PairContract & {
    /** Whether an operator has paused the pair, or its chain is stale (`isStale`). */
    readonly isUnavailable: boolean
  }

/** The contracts of a charge's accepted pairs, and the pairs that are unavailable now. */
export type PairStates = {
  readonly contracts: ReadonlyMap<PairKey, PairContract>
  readonly unavailablePayments: readonly PairKey[]
}

/**
 * Returns a SQL expression for the accepted pairs of a charge, as JSON in no particular order. Availability has the
 * same condition for new and for existing charges (decisions 2.4).
 */
export function selectAcceptedPairs(
  db: Db,
  charge: { readonly environment: Fragment; readonly acceptedPayments: Fragment },
  staleAfter: StaleAfter,
) {
  return db`
    (select coalesce(jsonb_agg(jsonb_build_object('token', p.token, 'network', p.network, 'chainId', p.chain_id,
       'tokenAddress', p.token_address, 'decimals', p.decimals,
       'isUnavailable', p.paused_at is not null or ${isStale(db, staleAfter)})), '[]')
     from pairs p join deployments d on d.chain_id = p.chain_id
     where p.environment = ${charge.environment} and p.token || '/' || p.network = any (${charge.acceptedPayments}))`
}

/** Converts a charge's pairs. All pairs of a simulated charge are available, because the charge is on no chain. */
export function toPairStates(
  {
    isSimulated,
    acceptedPayments,
  }: { readonly isSimulated: boolean; readonly acceptedPayments: readonly Pair[] },
  pairs: readonly AcceptedPair[],
): PairStates {
  if (isSimulated) return { contracts: listTestnetTokens(acceptedPayments), unavailablePayments: [] }
  const unavailable = new Set(pairs.filter((pair) => pair.isUnavailable).map(pairKey))
  return {
    contracts: new Map(
      pairs.map(({ token, network, chainId, tokenAddress, decimals }) => [
        pairKey({ token, network }),
        { chainId, tokenAddress, decimals },
      ]),
    ),
    unavailablePayments: acceptedPayments.map(pairKey).filter((key) => unavailable.has(key)),
  }
}

function listTestnetTokens(pairs: readonly Pair[]): PairStates['contracts'] {
  return new Map(
    pairs.flatMap((pair) => {
      const contract = findTestnetToken(pair)
      return contract === null ? [] : [[pairKey(pair), contract] as const]
    }),
  )
}

/** Lists the pairs that are unavailable now, in the form `live USDC/base`. */
export async function listUnavailablePairs(db: Db, staleAfter: StaleAfter): Promise<readonly string[]> {
  const rows = await db<{ pair: string }[]>`
    select p.environment || ' ' || p.token || '/' || p.network as pair
    from pairs p join deployments d on d.chain_id = p.chain_id
    where p.paused_at is not null or ${isStale(db, staleAfter)}`
  return rows.map(({ pair }) => pair)
}

/** Lists the given charges that accept one of the pairs from `listUnavailablePairs`, except simulated charges. */
export async function listAcceptingCharges(
  db: Db,
  { ids, pairs }: { readonly ids: readonly string[]; readonly pairs: readonly string[] },
): Promise<readonly string[]> {
  const rows = await db<{ id: string }[]>`
    select c.id from charges c
    where c.id = any (${ids}) and not c.is_simulated
      and exists (select from unnest(c.accepted_payments) a where c.environment || ' ' || a = any (${pairs}))`
  return rows.map(({ id }) => id)
}
