import type { Logger } from '../../shared/runtime/logger.ts'
import type { BalanceDifference } from './compare-balances.ts'

type DifferenceFields = Readonly<Record<string, unknown>>

/** Returns the alert fields of a difference on this chain at this block; amounts in the token's units. */
function fieldsOf(
  difference: BalanceDifference,
  { chainId, block }: { readonly chainId: number; readonly block: number },
): DifferenceFields {
  return {
    chain_id: chainId,
    block_number: block,
    charge_id: difference.charge.id,
    account: difference.account,
    token_address: difference.tokenAddress,
    expected_atomic: difference.expectedAtomic,
    found_atomic: difference.foundAtomic,
  }
}

/** Maximum reported shortages in memory. */
const MOST_SHORTAGES = 1_000

/**
 * Creates the functions that report the differences of one chain. A shortage is reported once per run of the daemon.
 */
export function createDifferenceTelling({
  chainId,
  log,
}: {
  readonly chainId: number
  readonly log: Logger
}) {
  const shortages = new Set<string>()
  return { unexplained, held, shortage }

  function unexplained(difference: BalanceDifference, block: number): void {
    const fields = fieldsOf(difference, { chainId, block })
    log.error({ msg: 'Balance of a charge is not what its transfers explain', ...fields })
  }

  function held(
    excesses: readonly BalanceDifference[],
    { block, isComplete }: { readonly block: number; readonly isComplete: boolean },
  ): void {
    for (const excess of excesses)
      log.error({
        msg: 'A charge is held open by a balance that nothing explains: see npm run charges -- held',
        ...fieldsOf(excess, { chainId, block }),
        searched_its_whole_life: isComplete,
      })
  }

  function shortage(difference: BalanceDifference, block: number): void {
    const { account, tokenAddress, expectedAtomic, foundAtomic } = difference
    const place = `${account}/${tokenAddress}/${expectedAtomic - foundAtomic}`
    if (shortages.has(place)) return
    if (shortages.size >= MOST_SHORTAGES) shortages.clear()
    shortages.add(place)
    const fields = fieldsOf(difference, { chainId, block })
    log.error({ msg: 'A balance of a charge is less than its transfers explain', ...fields })
  }
}
