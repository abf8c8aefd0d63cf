import type { Logger } from '../../shared/runtime/logger.ts'
import type { BalanceMismatch } from './compare-balances.ts'

type DifferenceFields = Readonly<Record<string, unknown>>

/** Amounts are in the token's atomic units. */
function fieldsOf(
  difference: BalanceMismatch,
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

const MAX_SHORTAGES = 1_000

/**
 * Creates the functions that report the differences of one chain. The same shortage is reported again only after the
 * daemon has restarted, or after the memory of 1,000 reported shortages was full and has been cleared.
 */
export function createMismatchReporter({ chainId, log }: { readonly chainId: number; readonly log: Logger }) {
  const shortages = new Set<string>()
  return { unexplained, held, shortage }

  function unexplained(difference: BalanceMismatch, block: number): void {
    const fields = fieldsOf(difference, { chainId, block })
    log.error({ msg: 'Charge balance does not match its recorded transfers', ...fields })
  }

  function held(
    excesses: readonly BalanceMismatch[],
    { block, isComplete }: { readonly block: number; readonly isComplete: boolean },
  ): void {
    for (const excess of excesses)
      log.error({
        msg: 'Charge expiry is blocked by an unmatched balance: see npm run charges -- blocked',
        ...fieldsOf(excess, { chainId, block }),
        searched_its_whole_life: isComplete,
      })
  }

  function shortage(difference: BalanceMismatch, block: number): void {
    const { account, tokenAddress, expectedAtomic, foundAtomic } = difference
    const place = `${account}/${tokenAddress}/${expectedAtomic - foundAtomic}`
    if (shortages.has(place)) return
    if (shortages.size >= MAX_SHORTAGES) shortages.clear()
    shortages.add(place)
    const fields = fieldsOf(difference, { chainId, block })
    log.error({ msg: 'Charge balance is below its recorded transfers', ...fields })
  }
}
