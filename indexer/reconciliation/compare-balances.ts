import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { readBalances } from '../../shared/chain/tokens/read-balances.ts'
import { listExpectedBalances } from '../../shared/db/chain-facts/daemon/expected-balances.ts'
import type { ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { Address } from '../../shared/domain/address.ts'
import { type AttoDollars, atto, attoToAtomicCeil, attoToAtomicFloor } from '../../shared/domain/money.ts'
import { isAccepted, isEscrow, type WatchedDeployment } from '../chain-feed/observe.ts'
import type { UnrelatedTransfer } from './unrelated-transfer.ts'

/** A token balance of one of a charge's addresses. */
export type ObservedBalance = BalanceKey & { readonly foundAtomic: bigint }

/**
 * A balance that differs from our rows. The expected amount is rounded down to the token's units, because an amount
 * below the smallest unit is not a difference.
 */
export type BalanceMismatch = ObservedBalance & { readonly expectedAtomic: bigint }

/** One of a charge's addresses (its split or its escrow Safe) and one token. */
export type BalanceKey = {
  readonly charge: ReconciledCharge
  readonly account: Address
  readonly tokenAddress: Address
}

/** Lists the balances to compare: each charge's split, and its Safe if it has one, in every token that it accepts. */
export function listComparedBalances(
  charges: readonly ReconciledCharge[],
  deployment: WatchedDeployment,
): readonly BalanceKey[] {
  return charges.flatMap((charge) =>
    deployment.tokens
      .filter(({ token }) => isAccepted(charge, { deployment, token }))
      .flatMap(({ address: tokenAddress }) =>
        (isEscrow(charge) ? [charge.address, charge.splitAddress] : [charge.splitAddress]).map((account) => ({
          charge,
          account,
          tokenAddress,
        })),
      ),
  )
}

/**
 * Reads these balances from one node at a block. Omits balances for which the token returns no amount.
 *
 * @throws {BaseError} from viem if the node does not respond
 */
export async function readObservedBalances(
  { client }: { readonly client: ChainClient },
  { balances, block }: { readonly balances: readonly BalanceKey[]; readonly block: number },
): Promise<readonly ObservedBalance[]> {
  const amounts = await readBalances(client, { places: balances, block })
  return balances.flatMap((balance, index) => {
    const foundAtomic = amounts[index] ?? null
    return foundAtomic === null ? [] : [{ ...balance, foundAtomic }]
  })
}

type Comparison = {
  readonly found: readonly ObservedBalance[]
  readonly block: number
  readonly strays?: readonly Pick<UnrelatedTransfer, 'account' | 'tokenAddress' | 'amountAtto'>[]
  readonly isStrict?: boolean
}

/**
 * Returns the balances at a block that differ from our rows and from `strays`, transfers that are not payments. With
 * `isStrict`, only rows that count or that a quorum shows can explain an excess. Otherwise one node's report could let
 * a paid charge end unpaid.
 */
export async function diffBalances(
  { db, deployment }: { readonly db: Db; readonly deployment: WatchedDeployment },
  { found, block, strays = [], isStrict = false }: Comparison,
): Promise<readonly BalanceMismatch[]> {
  const chargeIds = [...new Set(found.map(({ charge }) => charge.id))]
  const { chainId, tokens } = deployment
  const query = { chainId, block, chargeIds, tokens, withUncorroborated: !isStrict }
  const decimalsOf = new Map(tokens.map(({ address, decimals }) => [address, decimals]))
  const expected = new Map<string, bigint>()
  for (const row of await listExpectedBalances(db, query)) expected.set(placeOf(row), row.balanceAtto)
  for (const stray of strays)
    expected.set(placeOf(stray), (expected.get(placeOf(stray)) ?? 0n) + stray.amountAtto)
  return found.flatMap((balance) => {
    const exact = atto(expected.get(placeOf(balance)) ?? 0n)
    const expectedAtomic = toldOf(exact, decimalsOf.get(balance.tokenAddress) ?? ATTO_DECIMALS)
    return balance.foundAtomic === expectedAtomic ? [] : [{ ...balance, expectedAtomic }]
  })
}

/** The key does not include the charge, because an account belongs to only one charge. */
function placeOf({ account, tokenAddress }: { account: Address; tokenAddress: Address }): string {
  return `${account}/${tokenAddress}`
}

const ATTO_DECIMALS = 18

/** Rounds an amount down to the token's units. The amount may be negative while the feed is behind. */
function toldOf(exact: AttoDollars, decimals: number): bigint {
  return exact < 0n ? -1n * attoToAtomicCeil(atto(-1n * exact), decimals) : attoToAtomicFloor(exact, decimals)
}
